#include "engine/scores/most_allocated.h"

#include "engine/scores/allocation.h"

namespace muster {

bool MostAllocatedScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  add_allocation_scores(books_, pod, nodes, weight, totals, [](std::int64_t requested, std::int64_t allocatable) {
    return percentage(std::min(requested, allocatable), allocatable);
  });
  return true;
}

}  // namespace muster
