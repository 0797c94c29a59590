#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

// A file in a zip archive, still packed. The bytes are those of the archive.
struct ZipMember {
  std::string name;
  std::string_view packed;
  bool deflated = false;
  std::uint32_t checksum = 0;
  std::size_t size = 0;  // unpacked, as the archive claims it: never more than the packed bytes could hold
};

bool is_zip(std::string_view bytes);

// The one file of an archive; of several, the one called `preferred`. Errors: not whole, garbled, encrypted, packed in another way
// than by deflate, too large, several files.
Result<ZipMember> find_zip_member(std::string_view archive, std::string_view preferred);

// Unpacks into room of exactly the member's size. An error is a content that is garbled or not what the archive claims.
Result<void> unpack(const ZipMember& member, std::span<char> room);

}  // namespace muster
