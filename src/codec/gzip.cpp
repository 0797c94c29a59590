#include "codec/gzip.h"

#include <zlib.h>

#include "base/assert.h"

namespace muster {

std::string gzip(std::string_view text) {
  constexpr int kWithGzipHead = 15 + 16;  // the largest window, and zlib's sign for this format
  constexpr int kUsualMemory = 8;
  z_stream stream{};
  // Fails for want of memory alone.
  MUSTER_ASSERT(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kWithGzipHead, kUsualMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  MUSTER_ASSERT(stream.avail_in == text.size() && stream.avail_out == packed.size());
  MUSTER_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace muster
