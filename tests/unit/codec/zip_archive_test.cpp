#include "codec/zip_archive.h"

#include <gtest/gtest.h>
#include <vector>
#include <zlib.h>

namespace muster {
namespace {

std::string u16(std::uint32_t n) { return {static_cast<char>(n & 0xFF), static_cast<char>(n >> 8 & 0xFF)}; }
std::string u32(std::uint32_t n) { return u16(n & 0xFFFF) + u16(n >> 16); }

std::string deflated(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct File {
  std::string name = "snapshot.json";
  std::string content = "{}";
  bool deflate = true;
  std::uint32_t flags = 8;  // sizes stand behind the content, as the original writes it
  std::uint32_t method = 8;
  std::int64_t claimed = -1;  // another size than it has
};

std::string zip_of(const std::vector<File>& files, const std::string& comment = "") {
  std::string out;
  std::string directory;
  for (const auto& file : files) {
    const auto packed = file.deflate ? deflated(file.content) : file.content;
    const auto method = file.deflate ? file.method : 0;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(file.content.data()), static_cast<uInt>(file.content.size())));
    const auto size = static_cast<std::uint32_t>(file.claimed < 0 ? static_cast<std::int64_t>(file.content.size()) : file.claimed);
    const auto sizes = u32(crc) + u32(static_cast<std::uint32_t>(packed.size())) + u32(size);
    const auto offset = static_cast<std::uint32_t>(out.size());
    const auto name = u16(static_cast<std::uint32_t>(file.name.size()));
    out += "PK\x03\x04" + u16(20) + u16(file.flags) + u16(method) + u32(0) + std::string(12, '\0') + name + u16(0) + file.name +
           packed;
    out += "PK\x07\x08" + sizes;
    directory += "PK\x01\x02" + u16(20) + u16(20) + u16(file.flags) + u16(method) + u32(0) + sizes + name + u16(0) + u16(0) +
                 u16(0) + u16(0) + u32(0) + u32(offset) + file.name;
  }
  const auto count = u16(static_cast<std::uint32_t>(files.size()));
  const auto start = static_cast<std::uint32_t>(out.size());
  return out + directory + "PK\x05\x06" + u32(0) + count + count + u32(static_cast<std::uint32_t>(directory.size())) + u32(start) +
         u16(static_cast<std::uint32_t>(comment.size())) + comment;
}

// The content, or what is wrong.
std::string read(const std::string& archive) {
  const auto member = find_zip_member(archive, "snapshot.json");
  if (!member) return "! " + member.error().message;
  std::string room(member->size, '\0');
  const auto done = unpack(*member, room);
  return done ? room : "! " + done.error().message;
}

TEST(ZipArchive, GivesTheOneFile) {
  const std::string long_text(100'000, 'x');
  EXPECT_EQ(read(zip_of({{}})), "{}");
  EXPECT_EQ(read(zip_of({{.content = long_text}})), long_text);
  EXPECT_EQ(read(zip_of({{.name = "other.json", .content = "[1]", .deflate = false}})), "[1]");
  EXPECT_EQ(read(zip_of({{.name = "a/", .content = "", .deflate = false}, {.content = "[2]"}})), "[2]");
  EXPECT_EQ(read(zip_of({{.name = "notes.txt", .content = "?"}, {.content = "[3]"}})), "[3]");
  EXPECT_EQ(read(zip_of({{}}, "a comment with PK\x05\x06 in it")), "{}");
  EXPECT_TRUE(is_zip(zip_of({})));
  EXPECT_FALSE(is_zip("{\"a\":1}"));
}

TEST(ZipArchive, SaysWhatIsWrong) {
  EXPECT_EQ(read(zip_of({})), "! is a zip archive without any file");
  EXPECT_EQ(read(zip_of({{.content = ""}})), "! \"snapshot.json\" in this zip archive is empty");
  EXPECT_EQ(read(zip_of({{.name = "a"}, {.name = "b"}})), "! is a zip archive of 2 files, none of them snapshot.json");
  EXPECT_EQ(read(zip_of({{.flags = 1}})), "! \"snapshot.json\" in this zip archive is encrypted");
  EXPECT_EQ(read(zip_of({{.method = 12}})), "! \"snapshot.json\" in this zip archive is packed in a way that muster does not read");
  EXPECT_EQ(read(zip_of({{.claimed = 3}})), "! \"snapshot.json\" in this zip archive is garbled or not whole");
  EXPECT_EQ(read(zip_of({{.claimed = 1 << 20}})), "! \"snapshot.json\" in this zip archive claims a size that it cannot have");
  EXPECT_EQ(read(zip_of({{.claimed = 0xFFFFFFFF}})),
            "! \"snapshot.json\" in this zip archive is larger than 2 GiB, which is more than is read at once");
  auto wrong_sum = zip_of({{.content = "abc", .deflate = false}});
  wrong_sum[wrong_sum.find("abc")] = 'A';
  EXPECT_EQ(read(wrong_sum), "! \"snapshot.json\" in this zip archive is garbled: its checksum is wrong");
}

// Never anything but the content or an error, whatever is missing or changed.
TEST(ZipArchive, SurvivesEveryCutAndEveryChangedByte) {
  const std::string content = R"({"config":{"actions":"allocate"},"rawObjects":{"pods":[]}})";
  const auto archive = zip_of({{.content = content}});
  for (std::size_t size = 0; size < archive.size(); ++size) EXPECT_TRUE(read(archive.substr(0, size)).starts_with("! ")) << size;
  for (std::size_t at = 0; at < archive.size(); ++at)
    for (const int bits : {0x01, 0x80, 0xFF}) {
      auto changed = archive;
      changed[at] = static_cast<char>(changed[at] ^ bits);
      const auto text = read(changed);
      EXPECT_TRUE(text == content || text.starts_with("! ")) << at;
    }
}

}  // namespace
}  // namespace muster
