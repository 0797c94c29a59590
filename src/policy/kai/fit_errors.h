#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "engine/fit.h"
#include "engine/ids.h"

namespace muster::kai {

using ToldId = StrongId<struct ToldTag>;

// A kind of resource of which a node may have too little.
enum class LackKind : std::uint8_t { kGpus, kGpuMemory, kOther };

// What nodes had against a task, and how many of them each: a counter for each reason, no text.
class FitTally {
 public:
  void add(ToldId reason, std::uint32_t nodes = 1);
  void add(const FitTally& other);
  // A node that is against it and gives no reason.
  void add_silent() { any_ = true; }
  // A reason that names the node. Only the first few are kept by name: there may be as many as nodes.
  bool keeps_names() const { return named_ < kMostNamed; }
  void add_named(ToldId reason) { ++named_, add(reason); }
  void add_unnamed() { ++unnamed_, any_ = true; }

  // Whether any node was against it.
  bool any() const { return any_; }
  // Whether any gave a reason.
  bool has_reasons() const { return !counts_.empty(); }
  const auto& counts() const { return counts_; }
  std::uint32_t unnamed() const { return unnamed_; }

 private:
  static constexpr std::uint32_t kMostNamed = 8;
  boost::container::small_vector<std::pair<ToldId, std::uint32_t>, 4> counts_;
  std::uint32_t named_ = 0, unnamed_ = 0;
  bool any_ = false;
};

// Why tasks found no node in this cycle, in the words of KAI's scheduler, for conditions and events. What one attempt says is added
// to what earlier ones said.
class FitErrors {
 public:
  ToldId told(std::string_view text) { return texts_.intern(text); }
  // Where both use the same words.
  ToldId told(ReasonId reason, const FitTable& fits);
  // What is told of nodes that have too little of a resource; none until it is set. So it is worded once, and not for every node.
  ToldId& told_of(LackKind kind, ResourceId resource);
  const std::string& text(ToldId id) const { return texts_.text(id); }

  // Wherever it would go. Of a task that has something against it already only the counts change.
  void refuse(PodId pod, std::string why);
  void add(PodId pod, const FitTally& tally);
  void forget(PodId pod) { tasks_.erase(pod); }

  bool knows(PodId pod) const { return tasks_.contains(pod); }
  bool has_node_reasons(PodId pod) const;
  // "no nodes with enough resources were found: 2 node(s) had …"; of a task of which nothing is known, that it could not be placed.
  std::string text_of(PodId pod) const;
  // The same without the counts.
  std::string base_of(PodId pod) const;

 private:
  struct Task {
    std::string base;  // empty: the usual
    FitTally tally;
  };
  Interner<ToldId> texts_;
  std::vector<ToldId> of_reasons_;
  std::array<std::vector<ToldId>, 3> of_lacks_;  // by kind, then by resource
  boost::unordered_flat_map<PodId, Task> tasks_;
};

}  // namespace muster::kai
