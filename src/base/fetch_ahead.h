#pragma once

#include <algorithm>
#include <cstddef>

namespace muster {

// Has the processor fetch a record from memory while something else is done. For walks over tables that do not fit its cache, where
// each record would otherwise be waited for. The first 256 bytes: records keep what is asked most at their beginning.
template <class T>
void fetch_ahead(const T& record) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kBytes = std::min(sizeof(T), 4 * kLine);
  for (std::size_t at = 0; at < kBytes; at += kLine) __builtin_prefetch(reinterpret_cast<const char*>(&record) + at);
}

}  // namespace muster
