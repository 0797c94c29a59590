#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/filters/volume_catalog.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Whether a pod's volume claims can be met on a node: bound ones by the node affinity of their volume, those that wait for their
// first consumer by a free volume that the node can reach or by provisioning one there.
//
// Whoever places a pod reserves its volumes, so that the next pod finds them taken, and releases them when the pod is taken back.
// How much space a provisioner has left is not known here.
class VolumeBindingFilter : public NodeFilter {
 public:
  VolumeBindingFilter(const Books& books, FitTable& fits, VolumeCatalog& catalog);

  Dependence dependence(PodId pod) const override;
  Prepared prepare(PodId pod) override;
  FitStatus check(PodId pod, NodeId node) const override;

  void reserve(PodId pod, NodeId node);
  void release(PodId pod);
  // What another one has reserved is from now on this one's to release.
  void take_over(VolumeBindingFilter& other) { reserved_ = std::move(other.reserved_); }

 private:
  using Claims = std::vector<const PersistentVolumeClaim*>;
  struct Sorted {
    Claims bound;
    Claims waiting;    // for their first consumer
    Claims immediate;  // unbound, and not ours to bind
  };
  // What would be done for the waiting claims on a node.
  struct Plan {
    bool possible = true;
    std::vector<std::pair<const PersistentVolume*, const PersistentVolumeClaim*>> bindings;
    Claims provisions;
  };
  // Why a node does not do, as bits: several may hold at once and are then told together.
  enum Conflict : unsigned { kAffinity = 1, kNoVolume = 2, kLostVolume = 4 };
  struct Reservation {
    std::vector<std::string> volumes;
    std::vector<std::string> claims;
  };

  std::optional<FitStatus> find_refusal(PodId pod) const;
  Result<Sorted> sort_claims(PodId pod) const;
  unsigned check_bound(const NodeRecord& node) const;
  Plan plan(const Sorted& claims, const NodeRecord& node) const;
  const PersistentVolume* find_volume(const PersistentVolumeClaim& claim, const NodeRecord& node, const Plan& so_far) const;
  bool can_provision(const PersistentVolumeClaim& claim, const NodeRecord& node) const;

  const Books& books_;
  FitTable& fits_;
  VolumeCatalog& catalog_;
  std::array<FitStatus, 8> conflicts_;                              // by set of Conflict
  boost::unordered_flat_map<std::uint32_t, Reservation> reserved_;  // by pod

  PodId prepared_;
  Sorted claims_;  // of the pod that was prepared last
};

}  // namespace muster
