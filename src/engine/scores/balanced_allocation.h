#pragma once

#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/node_scorer.h"

namespace muster {

// Prefers nodes on which the pod evens out how much of each resource is taken: 75 when it changes nothing, more when the shares of
// cpu, memory and the extended resources come closer to each other, less when they drift apart. An extended resource counts
// only for pods that ask for it. Says nothing about pods that ask for none of the resources. At most six extended resources.
class BalancedAllocationScorer : public NodeScorer {
 public:
  explicit BalancedAllocationScorer(const Books& books, std::vector<std::string> extended = {"nvidia.com/gpu"});

  Dependence dependence(PodId pod) const override;
  bool add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) override;

 private:
  // One resource that counts for a pod: what the pod adds, and the node columns.
  struct Part {
    double request = 0;
    const std::int64_t* allocatable = nullptr;
    const std::int64_t* taken = nullptr;
  };
  // How even nodes are as they stand, seen through one choice of extended resources, up to a place in the books' change log.
  struct Baseline {
    std::uint64_t extended = 0;  // a bit for each
    std::uint64_t seen = 0;
    std::vector<std::int8_t> by_node;
  };
  bool concerns(PodId pod) const;
  std::uint64_t collect_parts(PodId pod);
  const Baseline& baseline(std::uint64_t extended);
  template <std::size_t kParts>
  void add_few(std::span<const NodeId> nodes, const Baseline& before, std::int64_t weight, std::span<double> totals) const;
  enum class Count : std::uint8_t { kPresent, kWithPod };
  std::int64_t evenness_of(std::size_t node, Count count) const;

  const Books& books_;
  std::vector<std::string> extended_;
  std::vector<Part> parts_;  // of the pod at hand, used again for the next
  std::vector<Baseline> baselines_;
};

}  // namespace muster
