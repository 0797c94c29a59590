#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/strong_id.h"

namespace muster {

// A table indexed by a strong id that only grows, a page at a time: what it holds is never moved, so that references stay good and
// growing costs nothing but the new page. For large records; small ones are quicker in an IdVector.
template <class Id, class T>
class IdPages {
 public:
  T& operator[](Id id) { return pages_[id.index() / kPage][id.index() % kPage]; }
  const T& operator[](Id id) const { return pages_[id.index() / kPage][id.index() % kPage]; }

  T& push_back(T item) {
    if (size_ % kPage == 0) pages_.emplace_back().reserve(kPage);
    ++size_;
    return pages_.back().emplace_back(std::move(item));
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPage = 128;
  std::vector<std::vector<T>> pages_;  // each full but the last
  std::size_t size_ = 0;
};

}  // namespace muster
