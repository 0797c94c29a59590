#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ids.h"
#include "model/objects.h"
#include "policy/kai/options.h"
#include "policy/kai/request.h"

namespace muster::kai {

enum class MigStrategy : std::uint8_t { kNone, kSingle, kMixed };

// A physical GPU that several pods share. Amounts are MiB of its memory.
struct GpuGroup {
  SymbolId id;
  std::int64_t used = 0;
  std::int64_t allocated = 0;  // without pods that only wait for it
  std::int64_t releasing = 0;
  bool counted_as_releasing = false;  // as a whole GPU
  bool was_allocated = false;         // ever in this cycle; where GPUs are counted by group, now
};

// What keeps a node from taking pods.
enum class NodeFault : std::uint8_t { kUnschedulable, kNotReady, kMemoryPressure, kDiskPressure, kPidPressure, kNoNetwork };
std::string_view text_of(NodeFault fault);  // as the original tells it

// What the dialect knows of a node beyond the engine's record and ledgers.
struct NodeInfo {
  std::int64_t gpu_memory = 100;  // MiB of each GPU; of a node that does not say, per cent
  bool memory_known = false;
  std::optional<std::int64_t> gpu_count_label;
  bool mig = false;
  MigStrategy mig_strategy = MigStrategy::kNone;
  bool cpu_only = true;
  bool ready = true;              // may take pods, by its spec and its conditions
  std::vector<NodeFault> faults;  // why it may not
  bool gpu_worker = false;
  bool cpu_worker = false;
  double mig_quota = 0;  // GPUs that its MIG instances stand for
  std::vector<GpuGroup> groups;
  std::int64_t shared_releasing = 0;  // shared GPUs that count as about to be freed

  std::int64_t slice_gpus = 0;      // that drivers offer in ResourceSlices, beside those of device plugins
  std::vector<SymbolId> gpu_names;  // resources of device plugins that are GPUs
  struct DeviceUse {
    SymbolId device;
    std::uint32_t pods = 0;
  };
  std::vector<DeviceUse> device_uses;  // GPUs that pods here have by claims
  std::int64_t spared = 0;             // put aside for that several pods have one of them; thousandths, at most 0

  GpuGroup* find_group(SymbolId id);
  const GpuGroup* find_group(SymbolId id) const;

  // What a request means on this node: MiB and part of each device.
  std::int64_t memory_of(const GpuRequest& gpu) const;
  double portion_of(const GpuRequest& gpu) const;
  double portion_of_memory(std::int64_t memory) const;
  // More than a whole device can only be whole devices.
  bool portion_valid(const GpuRequest& gpu) const;
};

NodeInfo info_of(const Node& node, const Amounts& allocatable, const ClusterOptions& options, const Books& books);

}  // namespace muster::kai
