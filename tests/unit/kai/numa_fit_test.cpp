#include "policy/kai/numa/numa_fit.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

struct ZoneText {
  std::string name, cpu, gpus;
};

NodeResourceTopology a_topology(const std::string& policy, const std::string& scope, const std::vector<ZoneText>& zones) {
  NodeResourceTopology topology;
  topology.meta.name = "n";
  topology.attributes = {{"topologyManagerPolicy", policy}, {"topologyManagerScope", scope}};
  for (const auto& text : zones) {
    auto& zone = topology.zones.emplace_back();
    zone.name = text.name;
    zone.type = "Node";
    zone.resources = {{"cpu", *Quantity::parse(text.cpu), *Quantity::parse(text.cpu)},
                      {"nvidia.com/gpu", *Quantity::parse(text.gpus), *Quantity::parse(text.gpus)}};
  }
  return topology;
}

Container a_container(const std::string& cpu, const std::string& gpus) {
  Container container;
  container.requests = {{"cpu", *Quantity::parse(cpu)}, {"nvidia.com/gpu", *Quantity::parse(gpus)}};
  return container;
}

Pod a_pod(std::vector<Container> containers) {
  Pod pod;
  pod.spec.containers = std::move(containers);
  pod.status.qos_class = "Guaranteed";
  return pod;
}

// "cores/gpus" of each zone; "-" where the pod does not fit.
std::string placed(const NodeResourceTopology& topology, const Pod& pod) {
  Interner<SymbolId> symbols;
  const auto node = numa_node_of(topology, symbols);
  NumaTable free(node->zones.size(), node->resources.size());
  for (std::size_t zone = 0; zone < node->zones.size(); ++zone)
    for (std::size_t r = 0; r < node->resources.size(); ++r) free.at(zone, r) = node->zones[zone].available[r];
  const std::vector<char> all(node->resources.size(), 1);
  const auto taken = NumaFit(*node, free, all).place(numa_request_of(pod, symbols));
  if (!taken) return "-";
  std::string text;
  for (std::size_t zone = 0; zone < node->zones.size(); ++zone)
    text += (zone == 0 ? "" : " ") + std::to_string(static_cast<int>(taken->at(zone, 0)) / 1000) + "/" +
            std::to_string(static_cast<int>(taken->at(zone, 1)));
  return text;
}

TEST(NumaFit, EachPolicyChoosesItsZones) {
  const std::vector<ZoneText> zones = {{"node-0", "4", "1"}, {"node-1", "8", "4"}, {"node-2", "8", "2"}};
  struct Row {
    std::string policy, cpu, gpus, expected;
  };
  for (const auto& row : std::vector<Row>{
           {"single-numa-node", "2", "1", "2/1 0/0 0/0"},  // the first that has all
           {"single-numa-node", "2", "2", "0/0 2/2 0/0"},
           {"single-numa-node", "9", "0", "-"},
           {"restricted", "2", "2", "0/0 2/2 0/0"},   // one zone would do for both
           {"restricted", "12", "5", "4/1 8/4 0/0"},  // two for both: the first pair
           {"restricted", "12", "2", "-"},            // two for cores, one for GPUs
           {"restricted", "21", "1", "-"},
           {"best-effort", "10", "1", "2/0 8/1 0/0"},  // what covers most first, the lower of equals
           {"best-effort", "12", "7", "0/1 8/4 4/2"},
           {"best-effort", "21", "1", "-"},
           {"restricted", "500m", "1", "0/1 0/0 0/0"},  // parts of cores are not aligned
       })
    EXPECT_EQ(placed(a_topology(row.policy, "pod", zones), a_pod({a_container(row.cpu, row.gpus)})), row.expected)
        << row.policy << " " << row.cpu << " " << row.gpus;
}

TEST(NumaFit, ContainersAreAlignedOneByOne) {
  const std::vector<ZoneText> zones = {{"node-0", "4", "2"}, {"node-1", "4", "2"}};
  auto pod = a_pod({a_container("3", "1"), a_container("3", "1")});
  EXPECT_EQ(placed(a_topology("single-numa-node", "container", zones), pod), "3/1 3/1");
  EXPECT_EQ(placed(a_topology("single-numa-node", "pod", zones), pod), "-");
  pod.spec.init_containers = {a_container("4", "2")};  // runs before the others, so it needs a zone of its own only for itself
  EXPECT_EQ(placed(a_topology("single-numa-node", "container", zones), pod), "3/1 3/1");
  pod.spec.init_containers.front().restartable = true;
  EXPECT_EQ(placed(a_topology("single-numa-node", "container", zones), pod), "-");
}

TEST(NumaFit, CoresOfOtherPodsAreNotAligned) {
  auto pod = a_pod({a_container("4", "2")});
  pod.status.qos_class = "Burstable";
  EXPECT_EQ(placed(a_topology("single-numa-node", "pod", {{"node-0", "2", "2"}}), pod), "0/2");
}

TEST(NumaNode, ZonesComeByTheNumbersOfTheirNames) {
  Interner<SymbolId> symbols;
  auto topology = a_topology("restricted", "pod", {{"node-10", "1", "0"}, {"other", "2", "0"}, {"node-9", "3", "0"}});
  auto& cache = topology.zones.emplace_back();
  cache.name = "cache-0";
  cache.type = "Cache";
  const auto node = numa_node_of(topology, symbols);
  ASSERT_TRUE(node);
  ASSERT_EQ(node->zones.size(), 3u);
  EXPECT_EQ(node->zones[0].name, "node-9");
  EXPECT_EQ(node->zones[1].name, "node-10");
  EXPECT_EQ(node->zones[2].name, "other");
  EXPECT_EQ(node->find_zone("other"), 2u);
  EXPECT_EQ(node->widest[0], (std::vector<double>{3000, 5000, 6000}));
}

TEST(NumaNode, TheOldListOfPoliciesCountsWithoutAttributes) {
  Interner<SymbolId> symbols;
  struct Row {
    std::string old;
    NumaPolicy policy;
    NumaScope scope;
  };
  for (const auto& row : std::vector<Row>{{"SingleNUMANodePodLevel", NumaPolicy::kSingleNode, NumaScope::kPod},
                                          {"Restricted", NumaPolicy::kRestricted, NumaScope::kContainer},
                                          {"BestEffortPodLevel", NumaPolicy::kBestEffort, NumaScope::kPod},
                                          {"Odd", NumaPolicy::kNone, NumaScope::kContainer}}) {
    auto topology = a_topology("", "", {{"node-0", "1", "0"}});
    topology.policies = {row.old, "RestrictedPodLevel"};
    const auto node = numa_node_of(topology, symbols);
    EXPECT_EQ(node->policy, row.policy) << row.old;
    EXPECT_EQ(node->scope, row.scope) << row.old;
  }
  EXPECT_FALSE(numa_node_of(a_topology("restricted", "pod", {}), symbols));
}

}  // namespace
}  // namespace muster::kai
