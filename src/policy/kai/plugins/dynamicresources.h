#pragma once

#include <vector>

#include "engine/devices/device_finder.h"
#include "policy/kai/plugin.h"
#include "policy/kai/task.h"

namespace muster::kai {

class ClaimBook;

// Devices for the claims of tasks, and for resources of their containers that classes of devices stand for: whether a node has
// them, which ones a task gets when it is placed, and that they are free again when it is taken away.
class DynamicResources final : public Plugin {
 public:
  explicit DynamicResources(Session& session);
  Points points() const override;

  void open() override;
  std::optional<std::string> pre_predicate(PodId pod) override;
  FitStatus predicate(PodId pod, NodeId node) override;
  std::string tell_pre_predicate(PodId pod, const std::string& refusal) override;
  void tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) override;
  void on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

 private:
  static constexpr std::size_t kMostConsumers = 256;  // of a claim

  // The claims of the task that was asked about last.
  struct Look {
    PodId pod;
    std::uint64_t version = 0;
    bool broken = false;  // one of them cannot be found
    std::vector<const ResourceClaim*> given;
    std::vector<const ResourceClaim*> open;
    std::vector<ClaimSpecId> specs;  // of the open ones
  };
  const Look& look_at(PodId pod);
  std::optional<std::string> check_claim(PodId pod, const PodClaim& named, const ResourceClaim& claim) const;
  // Empty: nothing is wrong with it.
  std::string tell_claim(PodId pod, const PodClaim& named, const ResourceClaim& claim) const;
  void hold_bound(PodId pod);
  // Resources of the task that only devices can serve on the node, by name.
  std::vector<std::string> extended_on(PodId pod, NodeId node) const;
  void allocate_claim(PodId pod, const PodClaim& named);
  void allocate_extended(PodId pod);

  ClaimBook& claims_;
  DeviceFinder& finder_;
  DeviceCatalog& catalog_;
  Look look_;
  FitStatus none_, elsewhere_;
};

}  // namespace muster::kai
