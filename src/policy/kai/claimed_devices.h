#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/devices/device_catalog.h"
#include "engine/ids.h"

namespace muster::kai {

// The devices that a pod has by its claims, as far as is known within a cycle. A value: whoever changes it makes another one.
struct ClaimedDevices {
  struct Claim {
    std::string name;  // within the pod
    std::string key;   // "namespace/claim"
    std::optional<DeviceAllocation> allocation;
  };
  std::vector<Claim> claims;
  std::vector<SymbolId> gpus;  // devices of these allocations that are GPUs; the same one twice counts twice

  const Claim* find(std::string_view name) const;
};
using ClaimedDevicesPtr = std::shared_ptr<const ClaimedDevices>;  // nullptr: the pod has no claims

// With the list of GPUs that follows from the claims.
ClaimedDevicesPtr make_claimed(std::vector<ClaimedDevices::Claim> claims, Interner<SymbolId>& symbols);

// The annotation of claims that stand for resources of containers.
inline constexpr std::string_view kExtendedClaim = "resource.kubernetes.io/extended-resource-claim";

// Drivers and classes with this in their name are taken for GPUs.
bool names_gpus(std::string_view driver_or_class);
// Whether a claim asks for GPUs of a class, and for how many. Alternatives do not count, "all devices" counts as one, and claims
// that stand for resources of containers count nothing, because those are counted already.
bool is_gpu_claim(const ResourceClaim& claim);
std::int64_t gpus_of_claim(const ResourceClaim& claim);

// Far more than any cluster has: what asks for more is cut to it, so that sums stay sums.
inline constexpr std::int64_t kMostGpus = 1'000'000'000;

}  // namespace muster::kai
