#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <vector>

#include "daemon/effects.h"

namespace muster::daemon {

// When pods that have no node were first seen: so that it can be told how long a gang that was complete waited for its first bind.
class SeenPods {
 public:
  // Only the first time of a pod counts.
  void note(const std::string& uid, kube::Instant seen) { pods_.try_emplace(uid, seen); }
  void forget(const std::string& uid) { pods_.erase(uid); }

  // The gangs of binds that were decided together, whose pods are forgotten.
  std::vector<CompleteGang> take_gangs(const std::vector<Bind>& binds);
  std::size_t size() const { return pods_.size(); }

 private:
  boost::unordered_flat_map<std::string, kube::Instant> pods_;  // by uid
};

}  // namespace muster::daemon
