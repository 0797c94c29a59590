#pragma once

#include <array>
#include <vector>

#include "policy/volcano/hyper_tree.h"

namespace muster::volcano {

// What the nodes of each domain have and hold together, as of the last update(). Only nodes that changed are counted anew.
class HyperSums {
 public:
  enum class Of : std::uint8_t { kAllocatable, kUsed, kIdle, kLater };

  void update(const Books& books, const HyperTree& tree);

  std::int64_t get(Of what, HyperNodeId domain, ResourceId resource) const;
  // Whether amounts are at most a domain's sum; a resource that no node names counts as 0.
  bool covers(Of what, HyperNodeId domain, const Amounts& amounts) const;

 private:
  // What is summed; the rest follows. Most of the latter two is 0, and is then never touched.
  enum Kind : std::uint8_t { kOffered, kTaken, kMoving, kKinds };  // moving: releasing less pipelined
  void rebuild(const Books& books, const HyperTree& tree);
  void recount(const Books& books, const HyperTree& tree, NodeId node);

  std::array<std::vector<IdVector<HyperNodeId, std::int64_t>>, kKinds> sums_;  // by resource
  std::array<std::vector<IdVector<NodeId, std::int64_t>>, kKinds> counted_;    // what each node has added
  bool built_ = false;
  std::uint64_t tree_version_ = 0;
  std::uint64_t seen_ = 0;  // place in the change log
};

}  // namespace muster::volcano
