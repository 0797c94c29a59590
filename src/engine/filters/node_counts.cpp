#include "engine/filters/node_counts.h"

#include <algorithm>

namespace muster {

// In steps of a page, so that a growing cluster costs little.
void NodeCounts::grow(std::size_t size) {
  const auto pages = (size + kPageSize - 1) / kPageSize;
  Bitset larger(pages * kPageSize);
  std::copy(counted_.words().begin(), counted_.words().end(), larger.words().begin());
  counted_ = std::move(larger);
  page_of_.resize(pages, kNoPage);
}

}  // namespace muster
