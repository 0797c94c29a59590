#include "policy/kai/claimed_devices.h"

#include <algorithm>

namespace muster::kai {
namespace {

bool asks_for_gpus(const DeviceRequest& request) { return request.exact && names_gpus(request.device_class); }

std::int64_t count_of(const DeviceRequest& request) {
  switch (request.mode) {
    case AllocationMode::kExactCount: return std::clamp<std::int64_t>(request.count, 1, kMostGpus);
    case AllocationMode::kAll: return 1;
    case AllocationMode::kUnknown: return 0;
  }
  return 0;
}

}  // namespace

const ClaimedDevices::Claim* ClaimedDevices::find(std::string_view name) const {
  const auto at = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.name == name; });
  return at == claims.end() ? nullptr : &*at;
}

ClaimedDevicesPtr make_claimed(std::vector<ClaimedDevices::Claim> claims, Interner<SymbolId>& symbols) {
  auto devices = std::make_shared<ClaimedDevices>();
  devices->claims = std::move(claims);
  for (const auto& claim : devices->claims) {
    if (!claim.allocation) continue;
    for (const auto& device : claim.allocation->devices)
      if (names_gpus(device.driver))
        devices->gpus.push_back(symbols.intern(device.driver + "/" + device.pool + "/" + device.device));
  }
  return devices;
}

bool names_gpus(std::string_view driver_or_class) {
  constexpr std::string_view kWord = "gpu";
  const auto same = [](char left, char right) { return (left >= 'A' && left <= 'Z' ? left - 'A' + 'a' : left) == right; };
  return std::search(driver_or_class.begin(), driver_or_class.end(), kWord.begin(), kWord.end(), same) != driver_or_class.end();
}

bool is_gpu_claim(const ResourceClaim& claim) { return std::any_of(claim.requests.begin(), claim.requests.end(), asks_for_gpus); }

std::int64_t gpus_of_claim(const ResourceClaim& claim) {
  if (claim.meta.annotations.get(kExtendedClaim) == "true") return 0;
  std::int64_t gpus = 0;
  for (const auto& request : claim.requests)
    if (asks_for_gpus(request)) gpus = std::min(gpus + count_of(request), kMostGpus);
  return gpus;
}

}  // namespace muster::kai
