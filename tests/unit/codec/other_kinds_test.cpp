#include <gtest/gtest.h>

#include "codec/object_reader.h"

namespace muster {
namespace {

// The one object of a text, which must be a T.
template <class T>
T read(std::string_view text) {
  T result;
  const auto stats = read_objects_text(text, "f.json", [&](Object&& object, const Location&) -> Result<void> {
    if (!std::holds_alternative<T>(object)) return fail("is another kind: " + object_name(object));
    result = std::move(std::get<T>(object));
    return {};
  });
  EXPECT_TRUE(stats) << (stats ? "" : stats.error().text());
  EXPECT_EQ(stats ? stats->objects : 0, 1u);
  return result;
}

std::string error_of(std::string_view text) {
  const auto stats = read_objects_text(text, "f.json", [](Object&&, const Location&) -> Result<void> { return {}; });
  return stats ? "no error" : stats.error().text();
}

using Strings = std::vector<std::string>;

TEST(ClusterKinds, Node) {
  const Node n = read<Node>(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"spec":{"unschedulable":true,
    "taints":[{"key":"k","value":"v","effect":"NoExecute","timeAdded":null},{"key":"p","effect":"PreferNoSchedule"}]},
    "status":{"allocatable":{"cpu":"4","memory":"8Gi"},"capacity":{"cpu":"5"},"images":[{"names":["a","b"],"sizeBytes":123}],
    "conditions":[{"type":"Ready","status":"False"}],"nodeInfo":{"architecture":"amd64"}}})");
  EXPECT_TRUE(n.unschedulable);
  EXPECT_EQ(n.taints, (std::vector<Taint>{{"k", "v", TaintEffect::kNoExecute}, {"p", "", TaintEffect::kPreferNoSchedule}}));
  EXPECT_EQ(n.allocatable.at("memory").units(), 8LL << 30);
  EXPECT_EQ(n.capacity.at("cpu").units(), 5);
  ASSERT_EQ(n.images.size(), 1u);
  EXPECT_EQ(n.images[0].names, (Strings{"a", "b"}));
  EXPECT_EQ(n.images[0].bytes, 123);
  EXPECT_EQ(n.conditions.at(0).status, "False");
  EXPECT_EQ(error_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"spec":{"taints":[{"key":"k"}]}})"),
            "f.json:1:77: Node n1: spec.taints[0]: has no effect");
}

TEST(ClusterKinds, NamespaceQuotaPriorityBudget) {
  EXPECT_EQ(
      read<Namespace>(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","labels":{"x":"y"}}})").meta.labels.get("x"),
      "y");
  const auto quota = read<ResourceQuota>(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"ns"},
    "spec":{"hard":{"cpu":"9"}},"status":{"hard":{"cpu":"2","pods":10},"used":{"cpu":"1500m"}}})");
  EXPECT_EQ(quota.hard.at("cpu").units(), 2);
  EXPECT_EQ(quota.hard.at("pods").units(), 10);
  EXPECT_EQ(quota.used.at("cpu").milli(), 1500);
  const auto priority = read<PriorityClass>(
      R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":1000,"globalDefault":true,"preemptionPolicy":"Never"})");
  EXPECT_EQ(priority.value, 1000);
  EXPECT_TRUE(priority.global_default);
  EXPECT_EQ(priority.preemption_policy, "Never");
  const auto budget = read<PodDisruptionBudget>(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},
    "spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":"b"}}},"status":{"disruptionsAllowed":2,"disruptedPods":{"p1":"2026-01-01T00:00:00Z"}}})");
  EXPECT_EQ(budget.meta.ns, "default");
  EXPECT_EQ(budget.selector->requirements.size(), 1u);
  EXPECT_EQ(budget.disruptions_allowed, 2);
  EXPECT_EQ(budget.disrupted_pods, Strings{"p1"});
}

// What the API server, or Volcano's admission, would not let in.
TEST(Amounts, AreNeverNegativeAndDevicesAreWhole) {
  const auto of = [](const std::string& type, const std::string& rest) {
    return error_of(R"({"apiVersion":)" + type + R"(,"metadata":{"name":"x"},)" + rest + "}");
  };
  const std::string pod = R"("v1","kind":"Pod")";
  const std::string node = R"("v1","kind":"Node")";
  const std::string queue = R"("scheduling.volcano.sh/v1beta1","kind":"Queue")";
  const std::string none = "no error";
  EXPECT_NE(of(pod, R"("spec":{"containers":[{"resources":{"requests":{"cpu":"-1m"}}}]})")
                .find("requests.cpu: must not be negative: -1m"),
            std::string::npos);
  EXPECT_NE(
      of(pod, R"("spec":{"initContainers":[{"resources":{"limits":{"memory":-1}}}]})").find("limits.memory: must not be negative"),
      std::string::npos);
  EXPECT_NE(of(pod, R"("spec":{"overhead":{"cpu":-1}})").find("spec.overhead.cpu: must not be negative"), std::string::npos);
  EXPECT_NE(of(pod, R"("spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"500m"}}}]})")
                .find("must be a whole number, not 500m"),
            std::string::npos);
  EXPECT_NE(of(node, R"("status":{"allocatable":{"pods":"1.5"}})").find("allocatable.pods: must be a whole number"),
            std::string::npos);
  EXPECT_EQ(of(node, R"("status":{"allocatable":{"pods":"1E30"}})"), none);  // whole, and more than can be counted
  EXPECT_EQ(of(node, R"("status":{"allocatable":{"cpu":"1500m","memory":"1.5Gi"}})"), none);
  EXPECT_NE(of(queue, R"("spec":{"deserved":{"cpu":-1}})").find("spec.deserved.cpu: must not be negative"), std::string::npos);
  EXPECT_NE(of(queue, R"("spec":{"guarantee":{"resource":{"cpu":-1}}})").find("guarantee.resource.cpu: must not be negative"),
            std::string::npos);
  EXPECT_EQ(of(queue, R"("spec":{"capability":{"nvidia.com/gpu":"1.5"}})"), none);  // a share of the cluster
  EXPECT_NE(of(queue, R"("spec":{"weight":-3})").find("spec.weight: must not be negative"), std::string::npos);
}

TEST(StorageKinds, Volume) {
  const auto volume = read<PersistentVolume>(
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"5Gi"},
    "accessModes":["ReadWriteOnce"],"storageClassName":"fast","csi":{"driver":"d.io","volumeHandle":"h"},"claimRef":{"namespace":"ns","name":"c","uid":"u"},
    "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}},"status":{"phase":"Bound"}})");
  EXPECT_EQ(volume.claim_namespace + "/" + volume.claim_name + "/" + volume.claim_uid, "ns/c/u");
  EXPECT_EQ(volume.storage_class, "fast");
  EXPECT_EQ(volume.csi_driver, "d.io");
  EXPECT_EQ(volume.access_modes, Strings{"ReadWriteOnce"});
  EXPECT_EQ(volume.capacity.at("storage").units(), 5LL << 30);
  EXPECT_EQ(volume.node_affinity->terms.size(), 1u);
  EXPECT_EQ(volume.phase, "Bound");
}

TEST(StorageKinds, Claim) {
  const auto claim =
      read<PersistentVolumeClaim>(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"ns"},
    "spec":{"volumeName":"v","storageClassName":"","accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}})");
  EXPECT_EQ(claim.volume_name, "v");
  EXPECT_EQ(claim.storage_class, "");
  EXPECT_EQ(claim.access_modes, Strings{"ReadWriteMany"});
  EXPECT_EQ(claim.requests.at("storage").units(), 1 << 30);
  EXPECT_EQ(claim.phase, "Pending");
  EXPECT_FALSE(
      read<PersistentVolumeClaim>(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{}})")
          .storage_class);
}

TEST(StorageKinds, ClassAndDrivers) {
  const auto storage =
      read<StorageClass>(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},"provisioner":"d.io",
    "volumeBindingMode":"WaitForFirstConsumer","parameters":{"type":"ssd"},"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})");
  EXPECT_EQ(storage.provisioner, "d.io");
  EXPECT_EQ(storage.binding_mode, "WaitForFirstConsumer");
  EXPECT_EQ(storage.parameters.at("type"), "ssd");
  const NodeSelectorTerm term{{{"zone", SelectorOp::kIn, {"a", "b"}}}, {}};
  EXPECT_EQ(storage.allowed_topologies, std::vector<NodeSelectorTerm>{term});
  const auto drivers = read<CsiNode>(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n1"},
    "spec":{"drivers":[{"name":"d.io","nodeID":"x","allocatable":{"count":25}},{"name":"e.io"}]}})");
  ASSERT_EQ(drivers.drivers.size(), 2u);
  EXPECT_EQ(drivers.drivers[0].driver, "d.io");
  EXPECT_EQ(drivers.drivers[0].count, 25);
  EXPECT_FALSE(drivers.drivers[1].count);
}

TEST(VolcanoKinds, PodGroup) {
  const auto group =
      read<PodGroup>(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g","namespace":"ns"},
    "spec":{"minMember":3,"minTaskMember":{"worker":2,"":1},"queue":"q","priorityClassName":"high","minResources":{"cpu":"3"},
    "networkTopology":{"mode":"soft","highestTierAllowed":2,"highestTierName":"rack"},
    "subGroupPolicy":[{"name":"s","subGroupSize":2,"minSubGroups":1,"labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["k"],"networkTopology":{}}]},
    "status":{"phase":"Inqueue","running":1,"succeeded":2,"failed":3,"conditions":[{"type":"Scheduled","status":"True","transitionID":"t"}]}})");
  EXPECT_EQ(group.min_member, 3);
  EXPECT_EQ(group.min_task_member, (std::map<std::string, std::int32_t>{{"", 1}, {"worker", 2}}));
  EXPECT_EQ(group.queue, "q");
  EXPECT_EQ(group.priority_class, "high");
  EXPECT_EQ(group.min_resources->at("cpu").units(), 3);
  EXPECT_EQ(group.topology, (NetworkTopology{TopologyMode::kSoft, 2, "rack"}));
  ASSERT_EQ(group.sub_groups.size(), 1u);
  EXPECT_EQ(group.sub_groups[0].size, 2);
  EXPECT_EQ(group.sub_groups[0].min_sub_groups, 1);
  EXPECT_EQ(group.sub_groups[0].match_label_keys, Strings{"k"});
  EXPECT_EQ(group.sub_groups[0].topology, NetworkTopology{});
  EXPECT_TRUE(group.sub_groups[0].selector);
  EXPECT_EQ(group.phase, "Inqueue");
  EXPECT_EQ(group.running * 100 + group.succeeded * 10 + group.failed, 123);
  EXPECT_EQ(group.conditions.at(0).transition_id, "t");
}

TEST(VolcanoKinds, Queue) {
  const auto queue = read<Queue>(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},
    "spec":{"weight":4,"capability":{"cpu":"10"},"deserved":{"cpu":"5"},"guarantee":{"resource":{"cpu":"2"}},"reclaimable":false,"parent":"root","priority":9,
    "affinity":{"nodeGroupAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":["a"],"preferredDuringSchedulingIgnoredDuringExecution":["b"]},
    "nodeGroupAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":["c"]}}},"status":{"state":"Open","allocated":{}}})");
  EXPECT_EQ(queue.weight, 4);
  EXPECT_EQ(queue.capability.at("cpu").units(), 10);
  EXPECT_EQ(queue.deserved.at("cpu").units(), 5);
  EXPECT_EQ(queue.guarantee.at("cpu").units(), 2);
  EXPECT_EQ(queue.reclaimable, false);
  EXPECT_EQ(queue.parent, "root");
  EXPECT_EQ(queue.priority, 9);
  EXPECT_TRUE(queue.has_affinity);
  EXPECT_EQ(queue.affinity->required, Strings{"a"});
  EXPECT_EQ(queue.affinity->preferred, Strings{"b"});
  EXPECT_EQ(queue.anti_affinity->required, Strings{"c"});
  EXPECT_EQ(queue.state, "Open");
  EXPECT_TRUE(queue.allocated);
}

TEST(VolcanoKinds, HyperNode) {
  const auto hyper = read<HyperNode>(
      R"({"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{"name":"h"},"spec":{"tier":2,"tierName":"rack",
    "members":[{"type":"HyperNode","selector":{"exactMatch":{"name":"h1"}}},{"type":"Node","selector":{"regexMatch":{"pattern":"^n"}}},
    {"type":"Node","selector":{"labelMatch":{"matchLabels":{"a":"b"}}}}]}})");
  EXPECT_EQ(hyper.tier, 2);
  EXPECT_EQ(hyper.tier_name, "rack");
  ASSERT_EQ(hyper.members.size(), 3u);
  EXPECT_EQ(hyper.members[0].type, HyperNodeMember::Type::kHyperNode);
  EXPECT_EQ(hyper.members[0].exact, "h1");
  EXPECT_EQ(hyper.members[1].pattern, "^n");
  EXPECT_TRUE(hyper.members[2].selector);
  EXPECT_EQ(
      error_of(
          R"({"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{"name":"h"},"spec":{"members":[{"type":"Rack"}]}})"),
      "f.json:1:116: HyperNode h: spec.members[0].type: \"Rack\" is none of Node, HyperNode");
}

TEST(VolcanoKinds, NodeShard) {
  const auto shard = read<NodeShard>(R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard","metadata":{"name":"s"},
    "spec":{"nodesDesired":["n1","n2"]},"status":{"nodesInUse":["n1"]}})");
  EXPECT_EQ(shard.nodes_desired, (Strings{"n1", "n2"}));
  EXPECT_EQ(shard.nodes_in_use, Strings{"n1"});
}

TEST(VolcanoKinds, Numatopology) {
  const auto topology = read<Numatopology>(R"({"apiVersion":"nodeinfo.volcano.sh/v1alpha1","kind":"Numatopology",
    "metadata":{"name":"n1"},"spec":{"policies":{"CPUManagerPolicy":"static"},"resReserved":{"cpu":"1"},
    "numares":{"cpu":{"allocatable":"0-3","capacity":4}},"cpuDetail":{"0":{},"1":{"numa":1,"socket":2,"core":3}},
    "podAllocations":[{"uid":"u","name":"p","namespace":"ns","containerAllocations":[]}]}})");
  EXPECT_EQ(topology.policies.get("CPUManagerPolicy"), "static");
  EXPECT_EQ(topology.reserved.get("cpu"), "1");
  EXPECT_EQ(topology.resources.at("cpu").allocatable, "0-3");
  EXPECT_EQ(topology.resources.at("cpu").capacity, 4);
  EXPECT_EQ(topology.cpus.at("0"), (Numatopology::Cpu{0, 0, 0}));
  EXPECT_EQ(topology.cpus.at("1"), (Numatopology::Cpu{1, 2, 3}));
  EXPECT_EQ(topology.pod_allocations.at(0).ns, "ns");
  EXPECT_EQ(error_of(R"({"apiVersion":"nodeinfo.volcano.sh/v1alpha1","kind":"Numatopology","metadata":{"name":"n1"},
"spec":{"cpuDetail":{"7":{"numa":"x"}}}})"),
            "f.json:2:34: Numatopology n1: spec.cpuDetail.7.numa: must be an integer, not a string");
}

TEST(StorageKinds, CsiDriversAndCapacities) {
  const auto driver = read<CsiDriver>(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"d"},"spec":{"storageCapacity":true}})");
  EXPECT_TRUE(driver.tracks_capacity);
  const auto capacity = read<CsiStorageCapacity>(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity",
    "metadata":{"name":"c","namespace":"csi"},"storageClassName":"fast","capacity":"10Gi","maximumVolumeSize":"1Gi",
    "nodeTopology":{"matchLabels":{"zone":"a"}}})");
  EXPECT_EQ(capacity.storage_class, "fast");
  EXPECT_EQ(capacity.capacity->units(), 10LL << 30);
  EXPECT_EQ(capacity.largest_volume->units(), 1LL << 30);
  EXPECT_EQ(capacity.nodes->requirements.at(0).key, "zone");
  const auto empty = read<CsiStorageCapacity>(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"name":"c","namespace":"csi"},"storageClassName":"x"})");
  EXPECT_FALSE(empty.nodes || empty.capacity || empty.largest_volume);
}

TEST(DeviceKinds, WhoUsesAClaimAndWhatAClassStandsFor) {
  const auto claim = read<ResourceClaim>(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
    "metadata":{"name":"c","namespace":"ns"},"spec":{},"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})");
  ASSERT_EQ(claim.reserved_for.size(), 1u);
  EXPECT_EQ(claim.reserved_for.front(), (ClaimConsumer{"", "pods", "p", "u"}));
  const auto device_class = read<DeviceClass>(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass",
    "metadata":{"name":"c"},"spec":{"extendedResourceName":"x.com/gpu"}})");
  EXPECT_EQ(device_class.extended_resource, "x.com/gpu");
}

TEST(DeviceKinds, WhatDriversAreToldIsKeptAsItIsWritten) {
  const auto claim = read<ResourceClaim>(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
    "metadata":{"name":"c","namespace":"ns"},"spec":{"devices":{"config":[
      {"requests":["a","b/1"],"opaque":{"driver":"x.com", "parameters":{"kind":"T","n":1.50,"s":"\u00e4\"}","z":null,"l":[{}]}}},
      {"opaque":{"driver":"y.com"}},{"novel":{"opaque":1}}],
      "requests":[{"name":"a","exactly":{"deviceClassName":"g"}}]}}})");
  ASSERT_EQ(claim.config.size(), 3u);
  EXPECT_EQ(claim.config[0].requests, (Strings{"a", "b/1"}));
  EXPECT_EQ(claim.config[0].opaque, R"({"driver":"x.com", "parameters":{"kind":"T","n":1.50,"s":"\u00e4\"}","z":null,"l":[{}]}})");
  EXPECT_TRUE(claim.config[1].requests.empty());
  EXPECT_EQ(claim.config[1].opaque, R"({"driver":"y.com"})");
  EXPECT_EQ(claim.config[2].opaque, "") << "a kind of configuration that is not known";
  EXPECT_EQ(claim.requests.size(), 1u) << "what comes behind it is read";
  const auto device_class = read<DeviceClass>(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass",
    "metadata":{"name":"c"},"spec":{"config":[{"opaque":{"driver":"x.com","parameters":{}}}],"extendedResourceName":"x.com/gpu"}})");
  ASSERT_EQ(device_class.config.size(), 1u);
  EXPECT_EQ(device_class.config[0].opaque, R"({"driver":"x.com","parameters":{}})");
  EXPECT_EQ(device_class.extended_resource, "x.com/gpu");
  EXPECT_EQ(
      error_of(
          R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"c"},"spec":{"config":[{"opaque":7}]}})"),
      "f.json:1:109: DeviceClass c: spec.config[0].opaque: must be an object, not a number");
}

TEST(ClusterKinds, ConfigMap) {
  const auto map = read<ConfigMap>(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"ns"},"data":{"a.yaml":"x: 1\n"},"binaryData":{}})");
  EXPECT_EQ(map.meta.ns, "ns");
  EXPECT_EQ(map.data.get("a.yaml"), "x: 1\n");
}

}  // namespace
}  // namespace muster
