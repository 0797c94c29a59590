#include "policy/kai/node_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace muster::kai {
namespace {

constexpr std::int64_t kMemoryStep = 100;  // MiB: amounts are multiples of it, so that hundredths come out even
constexpr std::int64_t kMebibyte = 1024 * 1024;

std::optional<std::int64_t> parse_label(const StringMap& labels, std::string_view key) {
  const auto text = labels.get(key);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool parses_true(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" || text == "True";
}

constexpr std::array<std::pair<std::string_view, NodeFault>, 4> kTroubles = {{{"MemoryPressure", NodeFault::kMemoryPressure},
                                                                              {"DiskPressure", NodeFault::kDiskPressure},
                                                                              {"PIDPressure", NodeFault::kPidPressure},
                                                                              {"NetworkUnavailable", NodeFault::kNoNetwork}}};

std::vector<NodeFault> faults_of(const Node& node) {
  std::vector<NodeFault> faults;
  if (node.unschedulable) faults.push_back(NodeFault::kUnschedulable);
  for (const auto& condition : node.conditions) {
    if (condition.type == "Ready" && condition.status != "True") faults.push_back(NodeFault::kNotReady);
    for (const auto& [type, fault] : kTroubles)
      if (condition.type == type && condition.status != "False") faults.push_back(fault);
  }
  return faults;
}

bool has_mig_instances(const Amounts& allocatable, const Books& books) {
  return std::any_of(allocatable.begin(), allocatable.end(),
                     [&](const auto& entry) { return is_mig(books.resource_name(entry.resource)); });
}

MigStrategy strategy_of(std::string_view label) {
  if (label == "single") return MigStrategy::kSingle;
  return label == "mixed" ? MigStrategy::kMixed : MigStrategy::kNone;
}

}  // namespace

std::string_view text_of(NodeFault fault) {
  switch (fault) {
    case NodeFault::kUnschedulable: return "node is unschedulable";
    case NodeFault::kNotReady: return "node has NotReady condition";
    case NodeFault::kMemoryPressure: return "node has MemoryPressure condition";
    case NodeFault::kDiskPressure: return "node has DiskPressure condition";
    case NodeFault::kPidPressure: return "node has PIDPressure condition";
    case NodeFault::kNoNetwork: return "node has NetworkUnavailable condition";
  }
  return "";
}

GpuGroup* NodeInfo::find_group(SymbolId id) {
  const auto at = std::find_if(groups.begin(), groups.end(), [&](const GpuGroup& group) { return group.id == id; });
  return at == groups.end() ? nullptr : &*at;
}

const GpuGroup* NodeInfo::find_group(SymbolId id) const { return const_cast<NodeInfo*>(this)->find_group(id); }

std::int64_t NodeInfo::memory_of(const GpuRequest& gpu) const {
  return gpu.memory > 0 ? gpu.memory : static_cast<std::int64_t>(gpu.portion * static_cast<double>(gpu_memory));
}

double NodeInfo::portion_of_memory(std::int64_t memory) const {
  return std::ceil(static_cast<double>(memory) / static_cast<double>(gpu_memory) * 100) / 100;
}

double NodeInfo::portion_of(const GpuRequest& gpu) const { return gpu.memory > 0 ? portion_of_memory(gpu.memory) : gpu.portion; }

bool NodeInfo::portion_valid(const GpuRequest& gpu) const {
  const auto portion = portion_of(gpu);
  return portion <= 1 || portion == std::trunc(portion);
}

NodeInfo info_of(const Node& node, const Amounts& allocatable, const ClusterOptions& options, const Books& books) {
  NodeInfo info;
  const auto& labels = node.meta.labels;
  if (auto memory = parse_label(labels, "nvidia.com/gpu.memory")) {
    if (*memory >= kMebibyte) *memory /= kMebibyte;  // given in bytes
    info.gpu_memory = *memory - *memory % kMemoryStep;
    info.memory_known = true;
  }
  info.gpu_count_label = parse_label(labels, "nvidia.com/gpu.count");
  const auto* mig_label = labels.find(options.mig_worker_key);
  info.mig = mig_label != nullptr ? parses_true(*mig_label) : has_mig_instances(allocatable, books);
  if (info.mig) info.mig_strategy = strategy_of(labels.get("nvidia.com/mig.strategy"));
  const auto gpu = books.find_resource("nvidia.com/gpu");
  info.cpu_only = !info.mig && (!gpu || allocatable.get(gpu) <= 0);
  info.faults = faults_of(node);
  info.ready = info.faults.empty();
  info.gpu_worker = labels.contains(options.gpu_worker_key);
  info.cpu_worker = labels.contains(options.cpu_worker_key);
  for (const auto& [id, amount] : allocatable) info.mig_quota += static_cast<double>(mig_gpus(books.resource_name(id)) * amount);
  return info;
}

}  // namespace muster::kai
