#include "demo/world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "demo/layout.h"

namespace muster::demo {
namespace {

using sim::Tree;

// As KAI comes with them: from 100 on, jobs are not interrupted.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kPriorities = {
    {{kUsualPriority, 50}, {"build", 100}, {"inference", 125}}};

// Where the podgrouper puts pods that name no queue; as KAI comes with them.
const std::array<QueuePlan, 2> kKaiDefaultQueues = {
    {{"default-parent-queue", "", 0}, {"default-queue", "default-parent-queue", 0}}};

constexpr std::int64_t kPodsOfNode = 110;
constexpr std::int64_t kTierOfRacks = 1;
constexpr std::int64_t kTierOfZones = 2;

struct Amounts {
  std::int64_t cpu = 0;
  std::int64_t memory_gi = 0;
  std::int64_t gpus = 0;
};

Amounts total_of(const std::vector<NodePlan>& nodes) {
  Amounts out;
  for (const auto& node : nodes) {
    out.cpu += node.pool->cpu;
    out.memory_gi += node.pool->memory_gi;
    out.gpus += node.pool->gpus;
  }
  return out;
}

std::int64_t part_of(std::int64_t whole, double share) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(whole) * share));
}

PlannedObject node_object(const NodePlan& node) {
  auto out = planned("", "nodes", "", node.name);
  auto& labels = out.tree["metadata"]["labels"];
  labels["kubernetes.io/hostname"] = Tree(node.name);
  labels[kZoneLabel] = Tree(node.zone);
  labels[kRackLabel] = Tree(node.rack);
  labels[kPoolLabel] = Tree(node.pool->name);
  if (!node.pool->product.empty()) labels["nvidia.com/gpu.product"] = Tree(node.pool->product);
  auto& capacity = out.tree["status"]["capacity"];
  capacity["cpu"] = Tree(std::to_string(node.pool->cpu));
  capacity["memory"] = Tree(fmt::format("{}Gi", node.pool->memory_gi));
  capacity["pods"] = Tree(std::to_string(kPodsOfNode));
  if (node.pool->gpus > 0) capacity[kGpu] = Tree(std::to_string(node.pool->gpus));
  return out;
}

PlannedObject volcano_queue(const QueuePlan& queue, const Amounts& total) {
  auto out = planned("scheduling.volcano.sh", "queues", "", queue.name);
  auto& spec = out.tree["spec"];
  spec["weight"] = Tree(std::int64_t{1});
  spec["reclaimable"] = Tree(true);
  spec["parent"] = Tree(queue.parent.empty() ? "root" : queue.parent);
  auto& deserved = spec["deserved"];
  deserved["cpu"] = Tree(std::to_string(part_of(total.cpu, queue.share)));
  deserved["memory"] = Tree(fmt::format("{}Gi", part_of(total.memory_gi, queue.share)));
  deserved[kGpu] = Tree(std::to_string(part_of(total.gpus, queue.share)));
  return out;
}

PlannedObject kai_queue(const QueuePlan& queue, const Amounts& total) {
  auto out = planned("scheduling.run.ai", "queues", "", queue.name);
  auto& spec = out.tree["spec"];
  if (!queue.parent.empty()) spec["parentQueue"] = Tree(queue.parent);
  for (const std::string_view resource : {"gpu", "cpu", "memory"}) {
    auto& amounts = spec["resources"][resource];
    amounts["quota"] = Tree(resource == "gpu" ? part_of(total.gpus, queue.share) : std::int64_t{-1});
    amounts["limit"] = Tree(std::int64_t{-1});
    amounts["overQuotaWeight"] = Tree(std::int64_t{1});
  }
  return out;
}

PlannedObject hyper_node(const std::string& name, std::int64_t tier, std::string_view member_type,
                         const std::vector<std::string>& members) {
  auto out = planned("topology.volcano.sh", "hypernodes", "", name);
  auto& spec = out.tree["spec"];
  spec["tier"] = Tree(tier);
  for (const auto& member : members) {
    Tree one = Tree::map();
    one["type"] = Tree(member_type);
    one["selector"]["exactMatch"]["name"] = Tree(member);
    spec["members"].push_back(std::move(one));
  }
  return out;
}

void add_hyper_nodes(const std::vector<NodePlan>& nodes, std::vector<PlannedObject>& out) {
  std::map<std::string, std::vector<std::string>> racks;
  std::map<std::string, std::vector<std::string>> zones;
  for (const auto& node : nodes) {
    auto& rack = racks[node.rack];
    if (rack.empty()) zones[node.zone].push_back(node.rack);
    rack.push_back(node.name);
  }
  for (const auto& [name, members] : racks) out.push_back(hyper_node(name, kTierOfRacks, "Node", members));
  for (const auto& [name, members] : zones) out.push_back(hyper_node(name, kTierOfZones, "HyperNode", members));
}

PlannedObject topology_object() {
  auto out = planned("kai.scheduler", "topologies", "", kTopologyName);
  for (const auto label : {kZoneLabel, kRackLabel}) {
    Tree level = Tree::map();
    level["nodeLabel"] = Tree(label);
    out.tree["spec"]["levels"].push_back(std::move(level));
  }
  return out;
}

bool has_queue(const Scenario& scenario, std::string_view name) {
  return std::ranges::any_of(scenario.queues, [&](const QueuePlan& queue) { return queue.name == name; });
}

}  // namespace

PlannedObject planned(std::string_view group, std::string_view plural, std::string_view ns, std::string_view name) {
  const auto& kind = sim::kind_named(group, plural);
  PlannedObject out{.kind = &kind, .ns = std::string(ns), .tree = Tree::map()};
  out.tree["apiVersion"] = Tree(kind.api_version());
  out.tree["kind"] = Tree(kind.kind);
  out.tree["metadata"]["name"] = Tree(name);
  return out;
}

std::vector<PlannedObject> world_of(const Scenario& scenario, Dialect dialect) {
  const auto nodes = lay_out(scenario);
  const auto total = total_of(nodes);
  std::vector<PlannedObject> out;
  for (const auto& [name, value] : kPriorities) {
    out.push_back(planned("scheduling.k8s.io", "priorityclasses", "", name));
    out.back().tree["value"] = Tree(value);
  }
  for (const auto& queue : scenario.queues) {
    out.push_back(planned("", "namespaces", "", queue.name));
    out.push_back(dialect == Dialect::kVolcano ? volcano_queue(queue, total) : kai_queue(queue, total));
  }
  if (dialect == Dialect::kKai)
    for (const auto& queue : kKaiDefaultQueues)
      if (!has_queue(scenario, queue.name)) out.push_back(kai_queue(queue, total));
  for (const auto& node : nodes) out.push_back(node_object(node));
  if (dialect == Dialect::kVolcano)
    add_hyper_nodes(nodes, out);
  else
    out.push_back(topology_object());
  return out;
}

}  // namespace muster::demo
