#include <gtest/gtest.h>

#include "codec/kinds.h"
#include "codec/object_reader.h"

namespace muster {
namespace {

template <class T>
T read(std::string_view text) {
  std::optional<T> object;
  const auto stats = read_objects_text(text, "f.json", [&](Object&& any, const Location&) -> Result<void> {
    object = std::get<T>(std::move(any));
    return {};
  });
  EXPECT_TRUE(stats) << stats.error().text();
  return object.value();
}

TEST(NumaZones, OfANode) {
  const auto topology = read<NodeResourceTopology>(R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology",
    "metadata":{"name":"n1"},"topologyPolicies":["Restricted"],"attributes":[{"name":"topologyManagerPolicy","value":"restricted"}],
    "zones":[{"name":"node-0","type":"Node","costs":[],"resources":[
      {"name":"cpu","capacity":"4","allocatable":"4","available":"500m"}]}]})");
  EXPECT_EQ(topology.meta.name, "n1");
  EXPECT_EQ(topology.policies, std::vector<std::string>{"Restricted"});
  EXPECT_EQ(topology.attributes.at(0).value, "restricted");
  const auto& zone = topology.zones.at(0);
  EXPECT_EQ(zone.type, "Node");
  EXPECT_EQ(zone.resources.at(0).allocatable.milli(), 4000);
  EXPECT_EQ(zone.resources.at(0).available.milli(), 500);
}

TEST(NumaZones, OfAnAnnotation) {
  const auto zones = numa_zones_of(R"( [{"zone":"node-1","amount":{"cpu":"2","nvidia.com/gpu":"1"}},{"zone":"node-2"}] )");
  ASSERT_EQ(zones.size(), 2u);
  EXPECT_EQ(zones[0].zone, "node-1");
  EXPECT_EQ(zones[0].amount.at("cpu").units(), 2);
  EXPECT_TRUE(zones[1].amount.empty());
  for (const auto* odd :
       {"", "null", "{}", "[", "[1]", "[{]", R"([{"zone":1}])", R"([{"zone":"z","amount":{"cpu":"x"}}])", "[] []"})
    EXPECT_TRUE(numa_zones_of(odd).empty()) << odd;
}

TEST(NumaZones, OfPodsAndBindRequests) {
  const auto pod = read<Pod>(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","annotations":{
    "kai.scheduler/numa-placement-observed":"[{\"zone\":\"a\"}]","kai.scheduler/numa-placement-predicted":"odd"}},
    "spec":{"containers":[]},"status":{"phase":"Running","qosClass":"Guaranteed"}})");
  EXPECT_EQ(pod.status.qos_class, "Guaranteed");
  ASSERT_EQ(pod.numa_observed.size(), 1u);
  EXPECT_EQ(pod.numa_observed[0].zone, "a");
  EXPECT_TRUE(pod.numa_predicted.empty());

  const auto request = read<BindRequest>(R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest",
    "metadata":{"name":"p","namespace":"ns"},
    "spec":{"podName":"p","selectedNode":"n","predictedNUMAZones":[{"zone":"b","amount":{"cpu":"3"}}]}})");
  ASSERT_EQ(request.numa_zones.size(), 1u);
  EXPECT_EQ(request.numa_zones[0].amount.at("cpu").units(), 3);
}

}  // namespace
}  // namespace muster
