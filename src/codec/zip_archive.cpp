#include "codec/zip_archive.h"

#include <algorithm>
#include <optional>
#include <vector>
#include <zlib.h>

#include "base/assert.h"
#include "model/quoted.h"

namespace muster {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::size_t kLocalHeaderSize = 30;
constexpr std::size_t kDirectoryEntrySize = 46;
constexpr std::size_t kDirectoryEndSize = 22;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint32_t kTooLarge = 0xFFFFFFFF;  // the number stands elsewhere: 4 GiB and more

constexpr std::size_t kMaxSize = std::size_t{2} << 30;
constexpr std::size_t kMostExpansion = 1032;  // of deflate
constexpr std::size_t kSlack = 1024;

// Numbers in little-endian order, nothing beyond the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  bool has(std::size_t at, std::size_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  std::uint32_t u16(std::size_t at) const { return byte(at) | byte(at + 1) << 8; }
  std::uint32_t u32(std::size_t at) const { return u16(at) | u16(at + 2) << 16; }
  std::string_view part(std::size_t at, std::size_t count) const { return bytes_.substr(at, count); }

 private:
  std::uint32_t byte(std::size_t at) const { return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0; }
  std::string_view bytes_;
};

struct Entry {
  std::string name;
  std::uint32_t flags = 0, method = 0, checksum = 0, packed = 0, size = 0, offset = 0;
};

tl::unexpected<Error> broken(const std::string& what) { return fail("is a broken zip archive: " + what); }

// The end of the directory is at the end of the file, before a comment of any length.
std::optional<std::size_t> find_directory_end(const Bytes& bytes) {
  if (bytes.size() < kDirectoryEndSize) return std::nullopt;
  const auto last = bytes.size() - kDirectoryEndSize;
  for (std::size_t back = 0; back <= std::min(last, kLongestComment); ++back)
    if (bytes.u32(last - back) == kDirectoryEnd && bytes.u16(last - back + 20) == back) return last - back;
  return std::nullopt;
}

Result<std::vector<Entry>> read_directory(const Bytes& bytes) {
  const auto end = find_directory_end(bytes);
  if (!end) return broken("it ends before its directory, so it is probably not whole");
  const auto count = bytes.u16(*end + 10);
  std::size_t at = bytes.u32(*end + 16);
  if (at == kTooLarge) return fail("is too large: it holds 4 GiB or more");
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!bytes.has(at, kDirectoryEntrySize) || at >= *end || bytes.u32(at) != kDirectoryEntry)
      return broken("its directory is garbled");
    const std::size_t name = bytes.u16(at + 28);
    if (!bytes.has(at + kDirectoryEntrySize, name)) return broken("its directory is garbled");
    entries.push_back({std::string(bytes.part(at + kDirectoryEntrySize, name)), bytes.u16(at + 8), bytes.u16(at + 10),
                       bytes.u32(at + 16), bytes.u32(at + 20), bytes.u32(at + 24), bytes.u32(at + 42)});
    at += kDirectoryEntrySize + name + bytes.u16(at + 30) + bytes.u16(at + 32);
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.name.ends_with('/'); });
  return entries;
}

Result<Entry> choose(std::vector<Entry> entries, std::string_view preferred) {
  if (entries.empty()) return fail("is a zip archive without any file");
  const auto wanted = std::ranges::find(entries, preferred, &Entry::name);
  if (wanted != entries.end()) return std::move(*wanted);
  if (entries.size() == 1) return std::move(entries.front());
  return fail("is a zip archive of " + std::to_string(entries.size()) + " files, none of them " + std::string(preferred));
}

Result<ZipMember> locate_content(const Bytes& bytes, Entry entry) {
  constexpr std::uint32_t kEncrypted = 1, kStored = 0, kDeflated = 8;
  const auto about = [&](const std::string& what) { return fail(quoted(entry.name) + " in this zip archive " + what); };
  if ((entry.flags & kEncrypted) != 0) return about("is encrypted");
  if (entry.method != kStored && entry.method != kDeflated) return about("is packed in a way that muster does not read");
  if (entry.packed == kTooLarge || entry.size == kTooLarge || entry.offset == kTooLarge || entry.size > kMaxSize)
    return about("is larger than 2 GiB, which is more than is read at once");
  if (!bytes.has(entry.offset, kLocalHeaderSize) || bytes.u32(entry.offset) != kLocalHeader)
    return about("is not where it should be");
  const std::size_t begin = entry.offset + kLocalHeaderSize + bytes.u16(entry.offset + 26) + bytes.u16(entry.offset + 28);
  if (!bytes.has(begin, entry.packed)) return about("is not whole");
  const bool deflated = entry.method == kDeflated;
  const bool possible = deflated ? entry.size <= std::size_t{entry.packed} * kMostExpansion + kSlack : entry.size == entry.packed;
  if (!possible) return about("claims a size that it cannot have");
  if (entry.size == 0) return about("is empty");
  return ZipMember{entry.name, bytes.part(begin, entry.packed), deflated, entry.checksum, entry.size};
}

// zlib counts in 32 bits, which the limits above keep to.
bool inflate_all(std::string_view packed, std::span<char> room) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  unsigned char nothing = 0;
  stream.next_in = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = room.empty() ? &nothing : reinterpret_cast<unsigned char*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"); }

Result<ZipMember> find_zip_member(std::string_view archive, std::string_view preferred) {
  const Bytes bytes(archive);
  auto entries = read_directory(bytes);
  if (!entries) return fail(std::move(entries.error()));
  auto entry = choose(std::move(*entries), preferred);
  if (!entry) return fail(std::move(entry.error()));
  return locate_content(bytes, std::move(*entry));
}

Result<void> unpack(const ZipMember& member, std::span<char> room) {
  MUSTER_ASSERT(room.size() == member.size);
  if (!member.deflated)
    std::ranges::copy(member.packed, room.begin());
  else if (!inflate_all(member.packed, room))
    return fail(quoted(member.name) + " in this zip archive is garbled or not whole");
  const auto checksum = crc32_z(0, reinterpret_cast<const unsigned char*>(room.data()), room.size());
  if (checksum != member.checksum) return fail(quoted(member.name) + " in this zip archive is garbled: its checksum is wrong");
  return {};
}

}  // namespace muster
