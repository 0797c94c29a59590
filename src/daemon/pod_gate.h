#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kube/object_decoder.h"
#include "model/objects.h"

namespace muster::daemon {

// Pods that need something that cannot be done here, and would never start if they were bound without it. They are kept back, as if
// they had a scheduling gate, and are told why.
class PodGate {
 public:
  // What a pod needs that cannot be done, in words; empty: nothing.
  using Refusal = std::function<std::string(const Pod&)>;
  explicit PodGate(Refusal refusal = {}) : refusal_(std::move(refusal)) {}

  // Gates a pod without a node that must be kept back. Only for pods that we would place: others are of no concern, and not told.
  void look_at(Pod& pod);
  void forget(const kube::Identity& pod);

  struct KeptBack {
    kube::Identity pod;
    std::string why;
  };
  // Those that are kept back and have not been told of, in the order of their names.
  std::vector<KeptBack> news();

 private:
  const Refusal refusal_;
  boost::unordered_flat_map<std::string, KeptBack> kept_;  // by namespace/name
  boost::unordered_flat_set<std::string> untold_;
};

}  // namespace muster::daemon
