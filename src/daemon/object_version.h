#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace muster::daemon {

// Versions of objects in one store are numbers that only grow. One that is no number is newer than nothing.
inline std::uint64_t version_of(const std::string& text) {
  std::uint64_t version = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, version);
  return read.ec == std::errc() && read.ptr == end ? version : 0;
}

}  // namespace muster::daemon
