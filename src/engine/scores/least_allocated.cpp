#include "engine/scores/least_allocated.h"

#include "engine/scores/allocation.h"

namespace muster {

bool LeastAllocatedScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  add_allocation_scores(books_, pod, nodes, weight, totals, [](std::int64_t requested, std::int64_t allocatable) {
    return percentage(std::max<std::int64_t>(allocatable - requested, 0), allocatable);
  });
  return true;
}

}  // namespace muster
