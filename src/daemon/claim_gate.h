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

// Of a pod with volumes or devices to be claimed, more than its binding has to be written: the node on a volume claim that waits
// for its first consumer, the devices on a device claim. This version does not write that, and a pod that was bound without it
// would never start. So such pods are kept back, as if they had a scheduling gate, and are told why: those with volume claims until
// the claims are bound, those with device claims for good.
class ClaimGate {
 public:
  enum class Volumes { kMustBeBound, kBoundByOthers };
  // What else a pod may need that cannot be done, in words; empty: nothing.
  using Refusal = std::function<std::string(const Pod&)>;
  explicit ClaimGate(Volumes volumes = Volumes::kMustBeBound, Refusal refusal = {})
      : volumes_(volumes), refusal_(std::move(refusal)) {}

  // Gates a pod without a node that must be kept back. Only for pods that we would place: others are of no concern, and not told.
  void look_at(Pod& pod);
  // Pods that were kept back and need no longer be, as they are, in the order of their names.
  std::vector<Pod> take(const PersistentVolumeClaim& claim);
  void forget_claim(const kube::Identity& claim);
  void forget_pod(const kube::Identity& pod);

  struct KeptBack {
    kube::Identity pod;
    std::string why;
  };
  // Those that are kept back and have not been told of, in the order of their names.
  std::vector<KeptBack> news();

 private:
  struct Waiting {
    Pod pod;
    std::string why;
  };
  std::string why_not(const Pod& pod) const;

  const Volumes volumes_;
  const Refusal refusal_;
  boost::unordered_flat_set<std::string> bound_;                               // volume claims, by namespace/name
  boost::unordered_flat_map<std::string, Waiting> waiting_;                    // pods, by namespace/name
  boost::unordered_flat_map<std::string, std::vector<std::string>> by_claim_;  // pods that may wait for a volume claim
  boost::unordered_flat_set<std::string> untold_;
};

}  // namespace muster::daemon
