#include "policy/volcano/numa/numa_assignment.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "base/split.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kPolicyKey = "volcano.sh/numa-topology-policy";
constexpr std::size_t kMostNumaNodes = 16;  // all sets of NUMA nodes are looked at

// ------------------------------------------------------------------------------------------------------- requests

const Quantity* amount(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() || found->second <= Quantity() ? nullptr : &found->second;
}

// Every container limits cpu and memory, and the pod requests what it limits.
bool is_guaranteed(const Pod& pod) {
  bool anything = false;
  for (const auto name : {std::string_view("cpu"), std::string_view("memory")}) {
    Quantity requests, limits;
    bool requested = false;
    for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers})
      for (const auto& container : *containers) {
        const auto* limit = amount(container.limits, name);
        if (limit == nullptr) return false;
        limits = limits + *limit;
        if (const auto* request = amount(container.requests, name)) requests = requests + *request, requested = true;
        anything = true;
      }
    if (!requested || requests != limits) return false;
  }
  return anything;
}

std::int64_t whole_cpus(const Container& container) {
  const auto found = container.requests.find("cpu");
  if (found == container.requests.end() || found->second.milli() % 1000 != 0) return 0;
  return found->second.units();
}

// ----------------------------------------------------------------------------------------------------------- nodes

// CPUs kept for the system. Reserving anything but cpu, memory and storage voids the whole list.
std::int64_t reserved_cpus(const StringMap& reserved) {
  std::int64_t milli = 0;
  for (const auto& [name, text] : reserved) {
    const auto quantity = Quantity::parse(text);
    const bool known = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (!known || !quantity || *quantity < Quantity()) return 0;
    if (name == "cpu") milli = quantity->milli();
  }
  return (milli + 999) / 1000;
}

// ----------------------------------------------------------------------------------------------------------- hints

// A set of NUMA nodes, one bit for each place in the list of them, that could take a container.
struct Hint {
  std::uint64_t nodes = 0;
  bool preferred = false;
};

bool narrower(std::uint64_t left, std::uint64_t right) {
  const auto l = std::popcount(left), r = std::popcount(right);
  return l != r ? l < r : left < right;
}

// Calls f(mask) for all sets of places, smaller sets first, those of one size in lexicographic order.
void for_each_set(std::size_t places, const std::function<void(std::uint64_t)>& f) {
  const std::function<void(std::size_t, std::size_t, std::uint64_t)> choose = [&](std::size_t from, std::size_t open,
                                                                                  std::uint64_t mask) {
    if (open == 0) return f(mask);
    for (auto place = from; place + open <= places; ++place) choose(place + 1, open - 1, mask | std::uint64_t{1} << place);
  };
  for (std::size_t size = 1; size <= places; ++size) choose(0, size, 0);
}

std::size_t numa_index(const std::vector<std::int32_t>& numa, std::int32_t id) {
  return static_cast<std::size_t>(std::lower_bound(numa.begin(), numa.end(), id) - numa.begin());
}

std::vector<Hint> hints_for(const CpuTopology& topology, const CpuSet& available, std::int64_t cpus) {
  const auto& numa = topology.numa_nodes();
  std::vector<std::int64_t> total(numa.size()), open(numa.size());
  for (const auto& cpu : topology.cpus()) ++total[numa_index(numa, cpu.numa)];
  available.for_each([&](std::size_t cpu) {
    const auto id = topology.numa_of(cpu);
    if (const auto place = numa_index(numa, id); place < numa.size() && numa[place] == id) ++open[place];
  });
  const auto sum = [](const std::vector<std::int64_t>& amounts, std::uint64_t mask) {
    std::int64_t result = 0;
    for (; mask != 0; mask &= mask - 1) result += amounts[static_cast<std::size_t>(std::countr_zero(mask))];
    return result;
  };
  auto smallest = static_cast<int>(numa.size());
  std::vector<Hint> hints;
  for_each_set(numa.size(), [&](std::uint64_t mask) {
    if (sum(total, mask) >= cpus) smallest = std::min(smallest, std::popcount(mask));
    if (sum(open, mask) >= cpus) hints.push_back({mask, false});
  });
  for (auto& hint : hints) hint.preferred = std::popcount(hint.nodes) == smallest;
  return hints;
}

std::uint64_t all_nodes(const CpuTopology& topology) { return (std::uint64_t{1} << topology.numa_nodes().size()) - 1; }

// The best of the hints by the node's policy: preferred ones first, then narrow ones. Without any, all nodes and not preferred.
Hint best_hint(const CpuTopology& topology, std::vector<Hint> hints, std::string_view policy) {
  if (policy == "single-numa-node")
    std::erase_if(hints, [](const Hint& hint) { return !hint.preferred || std::popcount(hint.nodes) != 1; });
  Hint best{all_nodes(topology), false};
  for (const auto& hint : hints) {
    if (best.preferred && !hint.preferred) continue;
    if ((hint.preferred && !best.preferred) || narrower(hint.nodes, best.nodes)) best = hint;
  }
  return best;
}

CpuSet cpus_on(const CpuTopology& topology, const CpuSet& available, std::uint64_t nodes) {
  CpuSet out;
  for (const auto& cpu : topology.cpus())
    if (available.contains(cpu.id) && ((nodes >> numa_index(topology.numa_nodes(), cpu.numa)) & 1) != 0) out.insert(cpu.id);
  return out;
}

// The CPUs of a container: from the hinted nodes first. Empty when they cannot be picked.
CpuSet pick_cpus(const CpuTopology& topology, const CpuSet& available, std::int64_t cpus, std::optional<std::uint64_t> nodes) {
  CpuSet result;
  if (nodes) {
    const auto aligned = cpus_on(topology, available, *nodes);
    const auto taken = topology.take(aligned, std::min(cpus, static_cast<std::int64_t>(aligned.size())));
    if (!taken) return {};
    result = *taken;
  }
  auto rest = available;
  rest.subtract(result);
  const auto more = topology.take(rest, cpus - static_cast<std::int64_t>(result.size()));
  if (!more) return {};
  result.add(*more);
  return result;
}

// Whether anybody looks at NUMA nodes for this pod on this node; code and reason say when the node is refused.
bool looks_at_numa(const NumaRequest& request, const NumaNode* node, const CpuSet& available, NumaAnswer& answer) {
  if (!request.has_policy())
    return node != nullptr && node->cpu_policy == "static" && node->topology_policy != "none" && !node->topology_policy.empty();
  if (node == nullptr)
    answer.reason = "numa info is empty";
  else if (node->cpu_policy != "static")
    answer.reason = "cpu manager policy isn't static";
  else if (node->topology_policy != request.policy)
    answer.reason = "task topology policy[" + request.policy + "] is different with node[" + node->topology_policy + "]";
  else if (available.empty())
    answer.reason = "cpu allocatable map is empty";
  if (!answer.reason.empty()) answer.code = FitCode::kError;
  return answer.reason.empty();
}

}  // namespace

std::string NumaRequest::key() const {
  std::string key = guaranteed ? "g" : "-";
  key.append(std::to_string(policy.size())).append(":").append(policy);
  for (const auto& container : containers)
    key.append(std::to_string(container.name.size()))
        .append(":")
        .append(container.name)
        .append("=")
        .append(std::to_string(container.cpus));
  return key;
}

NumaRequest numa_request_of(const Pod& pod) {
  NumaRequest request;
  request.guaranteed = is_guaranteed(pod);
  request.policy = pod.meta.annotations.get(kPolicyKey);
  if (request.guaranteed)
    for (const auto& container : pod.spec.containers) request.containers.push_back({container.name, whole_cpus(container)});
  return request;
}

std::optional<NumaNode> numa_node_of(const Numatopology& topology) {
  NumaNode node;
  std::vector<CpuTopology::Cpu> cpus;
  std::set<std::int32_t> numa;
  for (const auto& [text, place] : topology.cpus) {
    const auto id = parse_integer(text).value_or(0);
    if (id < 0 || id >= CpuSet::kMostCpus) return std::nullopt;
    cpus.push_back({static_cast<std::size_t>(id), place.numa, place.socket, place.core});
    numa.insert(place.numa);
  }
  if (numa.size() > kMostNumaNodes || (!numa.empty() && (*numa.begin() < 0 || *numa.rbegin() > 63))) return std::nullopt;
  node.topology = CpuTopology(std::move(cpus));
  node.cpu_policy = topology.policies.get("CPUManagerPolicy");
  node.topology_policy = topology.policies.get("TopologyManagerPolicy");
  if (const auto found = topology.resources.find("cpu"); found != topology.resources.end()) {
    node.has_cpus = true;
    node.allocatable = CpuSet::parse(found->second.allocatable).value_or(CpuSet());
  }
  node.reserved = node.topology.take(node.topology.all(), reserved_cpus(topology.reserved)).value_or(CpuSet());
  node.allocations = topology.pod_allocations;
  return node;
}

NumaAnswer assign_cpus(const NumaRequest& request, const NumaNode* node, const CpuSet& available) {
  NumaAnswer answer;
  if (!request.guaranteed || !looks_at_numa(request, node, available, answer)) return answer;
  const auto& policy = node->topology_policy;
  const bool strict = policy == "restricted" || policy == "single-numa-node";
  const bool hinted = strict || policy == "best-effort";
  CpuSet assigned;
  auto open = available;
  open.subtract(node->reserved);
  for (const auto& container : request.containers) {
    std::optional<std::uint64_t> nodes;
    if (hinted) {
      // Without a wish for whole CPUs any node will do, and that is always preferred.
      const auto all = all_nodes(node->topology);
      const bool wishes = container.cpus != 0 && node->has_cpus;
      const auto best =
          wishes ? best_hint(node->topology, hints_for(node->topology, open, container.cpus), policy) : Hint{all, all != 0};
      if (strict && !best.preferred) {
        answer.code = FitCode::kUnresolvable;
        answer.reason = "container " + container.name + " cannot be assigned by numa";
        return answer;
      }
      nodes = best.nodes;
    }
    const auto picked = pick_cpus(node->topology, open, container.cpus, nodes);
    assigned.add(picked);
    open.subtract(picked);
  }
  answer.cpus = std::move(assigned);
  return answer;
}

std::int64_t numa_nodes_of(const CpuSet& cpus, const CpuTopology& topology) {
  std::set<std::int32_t> numa;
  cpus.for_each([&](std::size_t cpu) { numa.insert(topology.numa_of(cpu)); });
  return static_cast<std::int64_t>(numa.size());
}

}  // namespace muster::volcano
