#include "codec/deflate.h"

#include <array>
#include <zlib.h>

#include "base/assert.h"

namespace muster {
namespace {

constexpr std::size_t kPackedChunk = std::size_t{64} << 10;

// zlib does not write to what it is given.
Bytef* bytes_for_zlib(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

}  // namespace

struct DeflateStream::State {
  z_stream stream{};
};

DeflateStream::DeflateStream() : state_(std::make_unique<State>()) {
  MUSTER_ASSERT(deflateInit(&state_->stream, Z_BEST_SPEED) == Z_OK);  // fails for want of memory alone
}

DeflateStream::~DeflateStream() { deflateEnd(&state_->stream); }

std::string DeflateStream::pack(std::string_view piece) {
  auto& stream = state_->stream;
  stream.next_in = bytes_for_zlib(piece);
  stream.avail_in = static_cast<uInt>(piece.size());
  MUSTER_ASSERT(stream.avail_in == piece.size());
  std::string packed;
  do {
    const auto at = packed.size();
    packed.resize(at + kPackedChunk);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + at);
    stream.avail_out = static_cast<uInt>(kPackedChunk);
    const int done = deflate(&stream, Z_SYNC_FLUSH);
    MUSTER_ASSERT(done == Z_OK || done == Z_BUF_ERROR);
    packed.resize(at + kPackedChunk - stream.avail_out);
  } while (stream.avail_out == 0);
  return packed;
}

struct InflateStream::State {
  z_stream stream{};
};

InflateStream::InflateStream() : state_(std::make_unique<State>()) {
  MUSTER_ASSERT(inflateInit(&state_->stream) == Z_OK);  // fails for want of memory alone
}

InflateStream::~InflateStream() { inflateEnd(&state_->stream); }

Result<std::string> InflateStream::unpack(std::string_view packed, std::size_t size) {
  auto& stream = state_->stream;
  std::string piece(size, '\0');
  stream.next_in = bytes_for_zlib(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(piece.data());
  stream.avail_out = static_cast<uInt>(size);
  const auto is_good = [](int done) { return done == Z_OK || done == Z_BUF_ERROR; };
  if (!is_good(inflate(&stream, Z_SYNC_FLUSH))) return fail("cannot be unpacked");
  if (stream.avail_out != 0) return fail("is shorter than it says");
  // The mark at the end of a piece brings no bytes, and may be left when there is no more room for any.
  std::array<Bytef, 1> more{};
  stream.next_out = more.data();
  stream.avail_out = 1;
  const bool goes_on = is_good(inflate(&stream, Z_SYNC_FLUSH));
  if (stream.avail_out == 0) return fail("is longer than it says");
  if (!goes_on || stream.avail_in != 0) return fail("cannot be unpacked");
  return piece;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes_for_zlib(bytes), bytes.size()));
}

}  // namespace muster
