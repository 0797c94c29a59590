#include "policy/kai/device_refs.h"

#include <algorithm>

namespace muster::kai {
namespace {

NodeInfo::DeviceUse* find_use(NodeInfo& info, SymbolId device) {
  const auto at = std::find_if(info.device_uses.begin(), info.device_uses.end(),
                               [&](const NodeInfo::DeviceUse& use) { return use.device == device; });
  return at == info.device_uses.end() ? nullptr : &*at;
}

}  // namespace

std::int64_t DeviceRefs::shared(const NodeInfo& info, const ClaimedDevices& devices) {
  return std::count_if(devices.gpus.begin(), devices.gpus.end(),
                       [&](SymbolId device) { return find_use(const_cast<NodeInfo&>(info), device) != nullptr; });
}

void DeviceRefs::add(NodeId node, NodeInfo& info, const ClaimedDevices& devices, std::int64_t gpus, Status status) {
  if (gpus <= 0) return;
  std::int64_t counted = 0;
  for (const auto device : devices.gpus) {
    auto* use = find_use(info, device);
    counted += use != nullptr ? 1 : 0;
    if (use != nullptr)
      ++use->pods;
    else
      info.device_uses.push_back({device, 1});
  }
  spare(node, info, std::min(counted, gpus), status);
}

void DeviceRefs::remove(NodeId node, NodeInfo& info, const ClaimedDevices& devices, std::int64_t gpus, Status status) {
  if (gpus <= 0) return;
  std::int64_t stays = 0;
  for (const auto device : devices.gpus) {
    auto* use = find_use(info, device);
    if (use == nullptr) continue;
    stays += use->pods > 1 ? 1 : 0;
    if (--use->pods != 0) continue;
    *use = info.device_uses.back();
    info.device_uses.pop_back();
  }
  spare(node, info, -std::min(stays, gpus), status);
}

void DeviceRefs::spare(NodeId node, NodeInfo& info, std::int64_t gpus, Status status) {
  if (gpus == 0) return;
  const auto amount = gpus * kWholeGpu;
  if (status == Status::kPipelined) return books_.set_aside(node, gpu_, 0, amount);
  info.spared -= amount;
  books_.set_aside(node, gpu_, -amount, status == Status::kReleasing ? -amount : 0);
}

}  // namespace muster::kai
