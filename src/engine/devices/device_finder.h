#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/devices/device_allocator.h"
#include "engine/devices/device_catalog.h"
#include "engine/fit.h"

namespace muster {

// The search for devices with a memory: what was found on a node for claims that ask for the same is not searched for again until
// the devices that the node reaches change. Whoever takes devices or gives them back says so.
class DeviceFinder {
 public:
  // Claims are alike, in their order, exactly when they have the same id.
  using LikenessId = StrongId<struct LikenessTag>;

  // What is remembered for claims that are alike, by node.
  struct Answers {
    std::uint64_t epoch = 0;
    std::size_t seen = 0;  // place in the list of changed nodes
    Bitset asked;
    Bitset found;
    std::vector<FitStatus> refusals;
    std::vector<std::int32_t> points;
  };

  DeviceFinder(const Books& books, DeviceCatalog& catalog, DeviceFeatures features = DeviceFeatures::kAll);

  LikenessId likeness_of(std::span<const ClaimSpecId> specs);
  // Up to date: of nodes that have changed nothing is known.
  Answers& answers(LikenessId likeness);
  AllocationOutcome search(NodeId node, const std::vector<const ResourceClaim*>& claims);
  // Whether there are devices for the claims on a node. Errors name the claim, so they are not remembered for others.
  bool finds(LikenessId likeness, NodeId node, const std::vector<const ResourceClaim*>& claims);

  // These devices were taken or given back.
  void note_change(const DeviceAllocation& allocation);

 private:
  struct NodePools {
    std::uint64_t epoch = 0;
    std::vector<DevicePool> pools;
  };
  const std::vector<DevicePool>& pools_of(NodeId node);
  std::uint64_t epoch();

  const Books& books_;
  DeviceCatalog& catalog_;
  DeviceFeatures features_;
  SelectorAnswers selectors_;
  std::vector<NodePools> pools_;
  Interner<LikenessId> likenesses_;
  IdVector<LikenessId, std::unique_ptr<Answers>> answers_;
  std::vector<NodeId> changed_;
  // Counts changes that concern all nodes: those of devices that several nodes reach; the rest comes from the catalog and the
  // books.
  std::uint64_t common_changes_ = 0;
  std::uint64_t last_epoch_ = 0;
  std::uint64_t last_catalog_ = 0;
  std::uint64_t last_facts_ = 0;
  std::uint64_t last_common_ = 0;
};

}  // namespace muster
