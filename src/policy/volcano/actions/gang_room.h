#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Where in a domain it helps a gang if others leave; rather where few leave for many.
class GangRoom {
 public:
  // On nodes that some of its pods may go to and that are large enough for them; or on any, where room in its queue is wanted too.
  enum class Helps { kWhereTheyMayGo, kEverywhere };
  // `pods` wait, `candidates` might go.
  GangRoom(Session& session, std::span<const PodId> pods, HyperNodeId domain, std::span<const PodId> candidates, Helps helps);
  // Nowhere, until it is told.
  explicit GangRoom(const Books& books) : books_(books), helps_(books.node_count()), ranks_(books.node_count()) {}
  void set_helps(NodeId node, bool helps) { helps_.assign(node.index(), helps); }
  void set_rank(NodeId node, std::uint32_t rank) { ranks_[node] = rank; }

  bool helps_on(NodeId node) const { return helps_.test(node.index()); }
  // Nodes with smaller numbers come first.
  std::uint32_t rank(NodeId node) const { return ranks_[node]; }
  // What is free there or about to be, and what these pods hold there.
  Amounts free_or_leaving() const;
  Amounts held_by(std::span<const PodId> pods) const;

  // How many pods like this one the node will have room for, if `more` is freed besides; and of two such numbers the difference, as
  // far as it counts.
  std::int64_t room_for(PodId pod, NodeId node, const Amounts& more) const;
  static std::int64_t most_pods(std::int64_t gained, std::int64_t at_least = 0);
  // Whether a node comes before another one, by how many leave there and for how many more pods there is room then.
  static bool comes_first(std::int64_t leaving, std::int64_t pods, std::int64_t others_leaving, std::int64_t others_pods);

 private:
  // Pods that ask for the same and are told the same about nodes.
  struct Kind {
    PodId pod;
    Bitset nodes;  // that they may go to, as far as it can be told
  };
  struct Gain {
    NodeId node;
    std::int64_t leaving = 0;  // candidates
    std::int64_t pods = 0;     // so many more of a kind have room then
  };
  void find_kinds(Session& session, std::span<const PodId> pods, const Bitset* domain);
  void rank_nodes(std::vector<Gain> gains);

  const Books& books_;
  std::vector<Kind> kinds_;
  Bitset helps_;
  IdVector<NodeId, std::uint32_t> ranks_;
};

}  // namespace muster::volcano
