// An object of each kind that goes: what is decided then is what a cluster decides that never saw it, and when it comes back, what
// one decides that always had it.

#include <gtest/gtest.h>

#include "support/kai_yaml_cycles.h"

namespace muster::kai {
namespace {

struct Case {
  const char* name;
  std::string world;
  std::string goes;
  std::string late = {};  // comes after it has gone
  bool csi_storage = false;
};

std::string a_queue(const std::string& name, const std::string& limit) {
  return "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " + name +
         "}\nspec: {parentQueue: root, resources: {gpu: {quota: -1, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: " +
         limit + ", overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}\n---\n";
}

std::string group_of(const std::string& name, const std::string& spec, int created = 0) {
  return "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
         ", namespace: ns, creationTimestamp: \"2026-01-01T00:00:0" + std::to_string(created) + "Z\"}\nspec: {" + spec + "}\n---\n";
}

std::string a_priority_class(const std::string& name, int value, bool global = false) {
  return "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " + name + "}\nvalue: " + std::to_string(value) +
         "\nglobalDefault: " + (global ? "true" : "false") + "\n---\n";
}

std::string big_pod(const std::string& group, const std::string& node = "") {
  auto pod = yaml_pod(group, node, "");
  pod.replace(pod.find("cpu: 1"), 6, "cpu: 8");
  return pod;
}

std::string a_bind_request(const std::string& pod, const std::string& node) {
  return "apiVersion: scheduling.run.ai/v1alpha2\nkind: BindRequest\nmetadata: {name: bind-" + pod +
         ", namespace: ns}\nspec: {podName: " + pod + ", selectedNode: " + node + ", receivedResourceType: Regular}\n---\n";
}

const std::string kTopology =
    "apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: dc}\nspec: {levels: [{nodeLabel: rack}, {nodeLabel: "
    "host}]}\n---\n";
const std::string kDriver =
    "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: csi}\nspec: {storageCapacity: true}\n---\n";
const std::string kClass =
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: csi\nvolumeBindingMode: "
    "WaitForFirstConsumer\n---\n";
const std::string kCapacity =
    "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: c, namespace: csi}\nstorageClassName: "
    "fast\ncapacity: "
    "5Gi\nnodeTopology: {matchLabels: {host: n1}}\n---\n";

std::string a_claim(const std::string& size, const std::string& volume = "") {
  return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: ns" +
         std::string(volume.empty() ? "" : ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}") +
         "}\nspec: {accessModes: [ReadWriteOnce], storageClassName: fast, " +
         (volume.empty() ? "" : "volumeName: " + volume + ", ") + "resources: {requests: {storage: " + size +
         "}}}\nstatus: {phase: " + (volume.empty() ? "Pending" : "Bound") + "}\n---\n";
}
const std::string kVolume =
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v1}\nspec: {storageClassName: fast, capacity: {storage: 1Gi}, "
    "accessModes: "
    "[ReadWriteOnce], claimRef: {namespace: ns, name: data}}\nstatus: {phase: Bound}\n---\n";
const std::string kVolumeJob =
    yaml_group("a") + yaml_pod("a", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]");

const std::string kSlice =
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: n1-gpus}\nspec: {driver: gpu.x, nodeName: n1, pool: "
    "{name: "
    "n1, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}]}\n---\n";
const std::string kDeviceClass = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\n";
const std::string kDeviceClaim =
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c1, namespace: ns, uid: c1, labels: "
    "{kai.scheduler/queue: "
    "q}}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\n---\n";
const std::string kDeviceJob = yaml_group("a") + yaml_pod("a", "", "resourceClaims: [{name: c, resourceClaimName: c1}]");

const std::string kShyJob =
    yaml_group("a") +
    yaml_pod("a", "",
             "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, labelSelector: {}, "
             "namespaceSelector: {matchLabels: {team: a}}}]}}");

std::vector<Case> cases() {
  const auto n1 = yaml_node("n1"), n2 = yaml_node("n2", "rack: r1");
  const auto job = yaml_group("a") + yaml_pod("a", "", "");
  const auto two = group_of("low", "queue: q, minMember: 1", 1) + big_pod("low") +
                   group_of("high", "queue: q, minMember: 1, priorityClassName: high", 2) + big_pod("high");
  return {
      {"Node", "", n1, job},
      {"NodeWithPods", n1 + yaml_group("b") + yaml_pod("b", "n2", ""), n2,
       yaml_group("a") + big_pod("a") + yaml_group("c", 1) + yaml_pod("c", "", "")},
      {"Queue", n1, a_queue("mine", "-1"), group_of("a", "queue: mine, minMember: 1") + yaml_pod("a", "", "")},
      {"QueueWithALimit", n1 + a_queue("other", "-1"), a_queue("mine", "1500"),
       group_of("a", "queue: mine, minMember: 1") + yaml_pod("a", "", "") + group_of("c", "queue: mine, minMember: 1", 1) +
           yaml_pod("c", "", "")},
      {"PodGroup", n1, yaml_group("a"), yaml_pod("a", "", "")},
      {"PodGroupOfRunningPods", n1 + big_pod("low", "n1") + a_priority_class("high", 90), group_of("low", "queue: q, minMember: 1"),
       group_of("high", "queue: q, minMember: 1, priorityClassName: high", 2) + big_pod("high")},
      {"Pod", n1 + yaml_group("b"), big_pod("b", "n1"), job},
      {"PriorityClass", n1, a_priority_class("high", 90), two},
      {"GlobalDefault", n1 + a_priority_class("high", 60), a_priority_class("usual", 70, true), two},
      {"Topology", yaml_node("n1", "rack: r0") + n2, kTopology,
       group_of("a", "queue: q, minMember: 1, topologyConstraint: {topology: dc, requiredTopologyLevel: rack}") +
           yaml_pod("a", "", "")},
      {"BindRequest", n1 + yaml_group("b") + big_pod("b"), a_bind_request("b-0", "n1"), job},
      {"Namespace", n1 + yaml_pod("b", "n1", ""), "apiVersion: v1\nkind: Namespace\nmetadata: {name: ns, labels: {team: a}}\n---\n",
       kShyJob},
      {"StorageClass", n1 + a_claim("1Gi"), kClass, kVolumeJob},
      {"PersistentVolumeClaim", n1 + kClass, a_claim("1Gi"), kVolumeJob},
      {"PersistentVolume", n1 + kClass + a_claim("1Gi", "v1"), kVolume, kVolumeJob},
      {"CsiDriver", n1 + kClass + kCapacity + a_claim("20Gi"), kDriver, kVolumeJob, true},
      {"CsiStorageCapacity", n1 + kClass + kDriver + a_claim("1Gi"), kCapacity, kVolumeJob, true},
      {"ResourceClaim", n1 + kDeviceClass + kSlice, kDeviceClaim, kDeviceJob},
      {"ResourceSlice", n1 + kDeviceClass + kDeviceClaim, kSlice, kDeviceJob},
      {"DeviceClass", n1 + kSlice + kDeviceClaim, kDeviceClass, kDeviceJob},
  };
}

ClusterOptions options_of(const Case& c) {
  ClusterOptions options;
  options.csi_storage = c.csi_storage;
  return options;
}

TEST(KaiObjectRemoval, OfEachKindIsAsIfItHadNeverBeenThere) {
  for (const auto& c : cases()) {
    const auto without = KaiYamlCycles(c.world + c.late, options_of(c)).run();
    const auto with = KaiYamlCycles(c.world + c.goes + c.late, options_of(c)).run();
    EXPECT_NE(with, without) << c.name << " makes no difference";

    KaiYamlCycles removed(c.world + c.goes + c.late, options_of(c));
    removed.remove(c.goes);
    EXPECT_EQ(removed.run(), without) << c.name << " before the first cycle";

    KaiYamlCycles lived(c.world + c.goes, options_of(c));
    lived.run();
    lived.remove(c.goes);
    lived.add(c.late);
    EXPECT_EQ(lived.run(), without) << c.name;
    EXPECT_TRUE(lived.cluster().books().check_sums()) << c.name;

    if (std::string_view(c.name) == "BindRequest") continue;  // without it the pod would be bound anew
    KaiYamlCycles back(c.world + c.goes, options_of(c));
    back.run();
    back.remove(c.goes);
    back.run();
    back.add(c.goes + c.late);
    EXPECT_EQ(back.run(), with) << c.name << " comes back";
  }
}

TEST(KaiObjectRemoval, OfWhatIsNotThereChangesNothing) {
  for (const auto& c : cases()) {
    const auto expected = KaiYamlCycles(c.world + c.late, options_of(c)).run();
    KaiYamlCycles cycles("", options_of(c));
    cycles.remove(c.goes);
    cycles.add(c.world);
    cycles.remove(c.goes);
    cycles.add(c.late);
    EXPECT_EQ(cycles.run(), expected) << c.name;
  }
}

// A bind that was asked for stands although the pod's object changes, until the API server tells of it or the pod goes.
TEST(KaiObjectRemoval, AnAssumedBindOutlivesAnUpdateOfItsPod) {
  KaiYamlCycles cycles(yaml_node("n1") + yaml_group("a") + big_pod("a"));
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
  cycles.add(big_pod("a"));
  EXPECT_EQ(cycles.run(), "");
  cycles.add(a_bind_request("a-0", "n1"));
  EXPECT_EQ(cycles.run(), "");
  cycles.remove(a_bind_request("a-0", "n1"));
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
  cycles.remove(big_pod("a"));
  cycles.add(big_pod("a"));
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
}

// What a claim has been given is told by its own object, whatever becomes of the pod.
TEST(KaiObjectRemoval, AClaimKeepsItsDevicesUntilItsObjectSaysOtherwise) {
  auto taken = kDeviceClaim;
  taken.replace(taken.rfind("---\n"), 4,
                "status: {allocation: {devices: {results: [{request: r, driver: gpu.x, pool: n1, device: d0}]}}, reservedFor: "
                "[{resource: pods, name: a-0, uid: a-0}]}\n---\n");
  const auto running = yaml_pod("a", "n1", "resourceClaims: [{name: c, resourceClaimName: c1}]");
  auto other = kDeviceClaim;
  other.replace(other.find("name: c1"), 8, "name: c2");
  other.replace(other.find("uid: c1"), 7, "uid: c2");
  const auto job = yaml_group("b") + yaml_pod("b", "", "resourceClaims: [{name: c, resourceClaimName: c2}]");
  KaiYamlCycles cycles(yaml_node("n1") + kDeviceClass + kSlice + taken + yaml_group("a") + running + other + job);
  EXPECT_EQ(cycles.run(), "");
  cycles.add(running);
  EXPECT_EQ(cycles.run(), "");
  cycles.remove(running);
  EXPECT_EQ(cycles.run(), "");
  cycles.remove(taken);
  EXPECT_EQ(cycles.run(), "bind b-0@n1");
}

TEST(KaiObjectRemoval, ZonesGoWithTheirObject) {
  NodeResourceTopology topology;
  topology.meta.name = "n1";
  topology.attributes = {{"topologyManagerPolicy", "single-numa-node"}};
  auto& zone = topology.zones.emplace_back();
  zone.name = "node-0";
  zone.type = "Node";
  zone.resources = {{"cpu", *Quantity::parse("4"), *Quantity::parse("4")}};
  KaiYamlCycles cycles(yaml_node("n1"));
  cycles.cluster().apply(topology);
  EXPECT_EQ(cycles.cluster().numa_nodes().size(), 1u);
  cycles.cluster().remove(gone(topology));
  EXPECT_TRUE(cycles.cluster().numa_nodes().empty());
}

// Pods that run on a node, or were to be bound to it, hold what they held once it comes back.
TEST(KaiObjectRemoval, ANodeThatComesBackHasItsPods) {
  for (const auto& there : {big_pod("a", "n1"), big_pod("a") + a_bind_request("a-0", "n1")}) {
    KaiYamlCycles cycles(yaml_node("n1") + yaml_group("a") + there + yaml_group("b", 1) + big_pod("b"));
    EXPECT_EQ(cycles.run(), "");
    cycles.remove(yaml_node("n1"));
    EXPECT_EQ(cycles.run(), "");
    cycles.add(yaml_node("n1"));
    EXPECT_EQ(cycles.run(), "");
  }
}

// Nor do pods lose what they hold that were there before their node.
TEST(KaiObjectRemoval, ANodeThatComesLateHasItsPods) {
  KaiYamlCycles cycles(yaml_group("a") + big_pod("a", "n1") + yaml_group("b", 1) + big_pod("b"));
  EXPECT_EQ(cycles.run(), "");
  cycles.add(yaml_node("n1"));
  EXPECT_EQ(cycles.run(), "");
  EXPECT_EQ(cycles.cluster().books().pods_on(cycles.cluster().books().find_node("n1")).size(), 1u);
}

// The only job goes while priorities change as well: it is listed no more.
TEST(KaiObjectRemoval, TheLastJobLeavesTheLists) {
  KaiYamlCycles cycles(yaml_node("n1") + yaml_group("a"));
  cycles.run();
  EXPECT_EQ(cycles.cluster().listed_jobs().size(), 1u);
  cycles.remove(yaml_group("a"));
  cycles.add(a_priority_class("high", 90) + yaml_pod("a", "", ""));
  EXPECT_EQ(cycles.run(), "");
  EXPECT_TRUE(cycles.cluster().listed_jobs().empty());
}

std::string with_meta(std::string object, const std::string& more) {
  return object.insert(object.find("metadata: {") + 11, more + ", ");
}
std::string owned_by(const std::string& kind, const std::string& name, const std::string& object) {
  return with_meta(object, "ownerReferences: [{kind: " + kind + ", name: " + name + ", controller: true}]");
}

// Its pods tell then what it was made for.
TEST(KaiObjectRemoval, AJobWithoutItsGroupIsStillOfItsWorkload) {
  const auto group = owned_by("Job", "train", yaml_group("a"));
  KaiYamlCycles cycles(group + owned_by("ReplicaSet", "web", yaml_pod("a", "", "")));
  auto& cluster = cycles.cluster();
  const auto workload = [&] { return cluster.job(GroupId(0)).workload.text(); };
  EXPECT_EQ(workload(), "Job/train");
  cycles.remove(group);
  EXPECT_EQ(workload(), "ReplicaSet/web");
}

// The last pod of a workload that is gone changes once more, when those of the next one are there.
TEST(KaiObjectRemoval, AJobIsOfTheWorkloadThatStays) {
  const auto last = owned_by("Job", "train-1", yaml_pod("a", "", ""));
  auto next = owned_by("Job", "train-2", yaml_pod("a", "", ""));
  for (auto at = next.find("a-0"); at != std::string::npos; at = next.find("a-0")) next.replace(at, 3, "a-1");
  KaiYamlCycles cycles(yaml_group("a") + last + next);
  cycles.add(with_meta(last, "deletionTimestamp: \"2026-01-01T00:00:00Z\""));
  EXPECT_EQ(cycles.cluster().job(GroupId(0)).workload.text(), "Job/train-2");
}

// Nodes of other shards are no business of this one.
TEST(KaiObjectRemoval, NodesOfOtherShardsTakeNoIds) {
  KaiYamlCycles cycles(yaml_node("n1"));
  cycles.add(yaml_node("n2", "kai.scheduler/node-pool: other"));
  EXPECT_EQ(cycles.cluster().books().node_count(), 1u);
}

TEST(KaiObjectRemoval, WhatIsGoneLeavesNoIdsBehind) {
  KaiYamlCycles cycles(yaml_node("n1"));
  auto& books = cycles.cluster().books();
  books.set_spare_ids(4);
  for (int i = 0; i < 200; ++i) {
    const auto name = "j" + std::to_string(i);
    const auto objects = yaml_node("m" + std::to_string(i), "node-role: x, kai.scheduler/node-pool: other") + yaml_group(name) +
                         yaml_pod(name, "", "nodeSelector: {host: n1}");
    cycles.add(objects);
    EXPECT_EQ(cycles.run(), "bind " + name + "-0@n1");
    cycles.remove(objects);
  }
  cycles.run();
  EXPECT_LE(books.pod_count(), 2u);
  EXPECT_LE(books.group_count(), 2u);
  EXPECT_LE(books.node_count(), 12u);
  EXPECT_TRUE(books.check_sums());
}

}  // namespace
}  // namespace muster::kai
