#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/controllers/workbench.h"

namespace muster::sim {

// Nodes with a taint that has the effect NoExecute, as those that are down: their pods are deleted when they no longer tolerate it,
// and are gone at once, because nobody is there to end them. Without that, a gang would wait for them for ever. So are the pods of
// a node that is deleted, and those of one that there is not: when it has not come after 40 seconds, for it may be made after them.
class LostNodes {
 public:
  // Waits for no pod longer than so many seconds, unless it tolerates the taint for ever.
  LostNodes(Workbench& bench, std::optional<std::int64_t> longest) : bench_(bench), longest_(longest) {}

  void observe_node(const Object& node);
  void observe_pod(const Object& pod);
  // One that was deleted, or has not come, takes its pods with it.
  void observe_gone_node(const std::string& name);

 private:
  // Since when a node has a taint. Where that does not say it, as one by kubectl, since it was first seen.
  std::int64_t since(const std::string& node, const Tree& taint);

  Workbench& bench_;
  std::optional<std::int64_t> longest_;
  std::map<std::string, std::map<std::string, std::int64_t>> seen_;  // by node and taint; seconds
};

// For how many seconds a pod tolerates a taint: 0 for not at all, nothing for ever.
std::optional<std::int64_t> tolerated_seconds(const Tree& pod, const Tree& taint);

}  // namespace muster::sim
