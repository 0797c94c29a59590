#pragma once

#include <boost/container/flat_map.hpp>
#include <set>
#include <vector>

#include "engine/ids.h"
#include "model/selector.h"
#include "policy/volcano/devices/vgpu_cards.h"

namespace muster::volcano {

// Keeps pods of the same rule off each other's cards. A rule is a set of labels; a pod that has all of them is of that rule.
class ExclusiveCards {
 public:
  explicit ExclusiveCards(const std::vector<StringMap>& rules) : rules_(rules) {}

  // Whether any rule applies to a pod with these labels.
  bool concerns(const StringMap& labels) const { return !rules_.empty() && !matching(labels).empty(); }
  // Whether the pod must keep off the card.
  bool reserved(const StringMap& labels, std::size_t card) const;

  void clear();
  // A pod is on the node with what it holds: its cards are those where it is among the holders.
  void arrive(PodId pod, const StringMap& labels, const std::vector<VgpuCard>& cards);
  // It was given cards, or is about to leave the card with this index, which nobody may have until it has gone.
  void give(PodId pod, const StringMap& labels, const std::vector<VgpuCard>& cards);
  void keep(PodId pod, const StringMap& labels, std::size_t card);
  // It gave up its cards; `gone`: it left the node as well.
  void leave(PodId pod, const std::vector<VgpuCard>& cards);
  void forget(PodId pod) { on_node_.erase(pod); }

 private:
  std::vector<std::size_t> matching(const StringMap& labels) const;

  const std::vector<StringMap>& rules_;
  boost::container::flat_map<std::size_t, std::set<std::size_t>> cards_;  // by rule
  boost::container::flat_map<PodId, std::vector<std::size_t>> rules_of_;  // of pods that are of any rule
  std::set<PodId> on_node_;
};

}  // namespace muster::volcano
