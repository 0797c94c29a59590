#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/devices/device_catalog.h"
#include "engine/devices/device_finder.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Whether the devices that a pod claims can be had on a node: those of allocated claims where their allocation says, those of the
// others by a search among the devices that the node reaches.
//
// Whoever places a pod reserves its devices, so that the next pod finds them taken, and releases them when the pod is taken back.
// When the pod is bound they are confirmed: from then on they are the claim's, whatever becomes of the pod.
class DynamicResourcesFilter : public NodeFilter {
 public:
  DynamicResourcesFilter(const Books& books, FitTable& fits, DeviceCatalog& catalog);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override { return look_at(pod); }
  FitStatus check(PodId pod, NodeId node) const override;
  void restrict(PodId pod, Bitset& nodes) const override;

  // False: the node has no devices for the pod's claims, and nothing was reserved.
  bool reserve(PodId pod, NodeId node);
  void release(PodId pod);
  void confirm(PodId pod);
  // What another one has reserved is from now on this one's to release.
  void take_over(DynamicResourcesFilter& other) { reserved_ = std::move(other.reserved_); }
  // The pod that was looked at last, and its claims, may be gone.
  void forget() { current_ = Pending(); }

  // ---- the score: the earlier the alternatives that a node offers, the better
  bool prefers_nodes(PodId pod) const { return pod == current_.pod && current_.prefers; }
  // Kubernetes cannot score pods with claims of both kinds, allocated and not.
  bool cannot_score(PodId pod) const {
    return pod == current_.pod && !current_.open.empty() && current_.open.size() != current_.claims.size();
  }
  std::int64_t points(PodId pod, NodeId node) const;

 private:
  using Answers = DeviceFinder::Answers;
  // A pod that looks for a node.
  struct Pending {
    PodId pod;
    std::vector<const ClaimEntry*> claims;   // all of its claims
    std::vector<const ResourceClaim*> open;  // those without devices
    bool prefers = false;                    // some of them have alternatives
    DeviceFinder::LikenessId likeness;
  };
  Prepared look_at(PodId pod) const;
  void promise(PodId pod, std::vector<DeviceAllocation> allocations);
  Result<const ClaimEntry*> resolve(PodId pod, const PodClaim& claim) const;
  std::optional<FitStatus> check_classes(const ClaimEntry& entry) const;
  Answers& answers() const;
  FitStatus ask(Answers& answers, NodeId node) const;
  bool reaches_allocated(NodeId node) const;
  AllocationOutcome search(NodeId node) const;
  std::int64_t points_of(const std::vector<DeviceAllocation>& allocations) const;
  FitStatus status_of(const AllocationOutcome& outcome, NodeId node) const;

  const Books& books_;
  FitTable& fits_;
  DeviceCatalog& catalog_;
  FitStatus none_;
  FitStatus bad_pools_;
  FitStatus elsewhere_;
  boost::unordered_flat_map<PodId, std::vector<std::string>> reserved_;  // claims that a pod was promised devices for

  mutable Pending current_;  // the pod that was looked at last
  mutable DeviceFinder finder_;
};

}  // namespace muster
