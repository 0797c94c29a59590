#include "codec/zip_writer.h"

#include <array>
#include <cstdint>
#include <zlib.h>

#include "base/assert.h"
#include "codec/deflate.h"

namespace muster {
namespace {

constexpr std::size_t kLargestFile = std::size_t{2} << 30;
constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::uint16_t kVersion = 20;  // the oldest that knows deflate
constexpr std::uint16_t kNamesAreUtf8 = 0x800;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: the same content gives the same archive

void put16(std::string& out, std::uint32_t number) {
  out.push_back(static_cast<char>(number & 0xFF));
  out.push_back(static_cast<char>(number >> 8 & 0xFF));
}
void put32(std::string& out, std::uint32_t number) {
  put16(out, number & 0xFFFF);
  put16(out, number >> 16);
}

// As archives have it: without zlib's own head and tail.
std::string deflated(std::string_view content) {
  constexpr int kRaw = -15;
  constexpr int kMemory = 8;
  z_stream stream{};
  MUSTER_ASSERT(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // it is not written to
  stream.avail_in = static_cast<uInt>(content.size());
  std::string out;
  for (int done = Z_OK; done != Z_STREAM_END;) {
    const auto at = out.size();
    out.resize(at + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + at);
    stream.avail_out = static_cast<uInt>(kPiece);
    done = deflate(&stream, Z_FINISH);
    MUSTER_ASSERT(done == Z_OK || done == Z_STREAM_END);
    out.resize(at + kPiece - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

// What the head of the file and its entry in the directory have in common.
void put_file(std::string& out, std::string_view name, std::string_view packed, std::string_view content) {
  put16(out, kVersion);
  put16(out, kNamesAreUtf8);
  put16(out, kDeflated);
  put16(out, 0);
  put16(out, kFirstDay);
  put32(out, checksum(content));
  put32(out, static_cast<std::uint32_t>(packed.size()));
  put32(out, static_cast<std::uint32_t>(content.size()));
  put16(out, static_cast<std::uint32_t>(name.size()));
  put16(out, 0);
}

}  // namespace

Result<std::string> zip_of(std::string_view name, std::string_view content) {
  if (content.size() >= kLargestFile) return fail("an archive with 2 GiB or more cannot be read again");
  const auto packed = deflated(content);
  std::string out = "PK\x03\x04";
  put_file(out, name, packed, content);
  out.append(name).append(packed);
  const auto directory = out.size();
  out.append("PK\x01\x02");
  put16(out, kVersion);
  put_file(out, name, packed, content);
  put16(out, 0);  // comment
  put16(out, 0);  // disk
  put16(out, 0);  // attributes inside
  put32(out, 0);  // and outside
  put32(out, 0);  // where its head is
  out.append(name);
  const auto directory_size = out.size() - directory;
  out.append("PK\x05\x06");
  put32(out, 0);  // disks
  put16(out, 1);
  put16(out, 1);
  put32(out, static_cast<std::uint32_t>(directory_size));
  put32(out, static_cast<std::uint32_t>(directory));
  put16(out, 0);  // comment
  return out;
}

}  // namespace muster
