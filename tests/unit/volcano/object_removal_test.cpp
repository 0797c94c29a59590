// An object of each kind that goes: what is decided then is what a cluster decides that never saw it, and when it comes back, what
// one decides that always had it.

#include <gtest/gtest.h>

#include "support/device_builder.h"
#include "support/volcano_cycles.h"
#include "support/volume_builder.h"

namespace muster::volcano {
namespace {

struct Case {
  const char* name;
  std::vector<Object> world;
  Object goes;
  std::vector<Object> late;  // comes after it has gone
  std::vector<const char*> plugins = {"priority", "gang", "predicates", "proportion", "nodeorder"};
  std::vector<std::string> actions = {"enqueue", "allocate", "backfill"};
  const char* shard_mode = "none";
};

template <class Builder>
Object of(const Builder& builder) {
  return Object(builder.object());
}

Object pod_with_volume(VolcanoPodBuilder builder, const std::string& claim) {
  auto pod = builder.object();
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = claim;
  volume.claim = claim;
  return pod;
}

Object pod_with_device(VolcanoPodBuilder builder, const std::string& claim) {
  auto pod = builder.object();
  auto& entry = pod.spec.resource_claims.emplace_back();
  entry.name = entry.claim = claim;
  return pod;
}

// Keeps away from nodes with pods of namespaces that are of team a.
Object shy_pod(VolcanoPodBuilder builder) {
  auto pod = builder.object();
  PodAffinityTerm term;
  term.topology_key = "host";
  term.selector = LabelSelector{};
  term.namespace_selector = LabelSelector{{{"team", SelectorOp::kIn, {"a"}}}};
  pod.spec.affinity.anti_required.push_back(term);
  return pod;
}

PriorityClass a_priority_class(const std::string& name, std::int32_t value, bool global = false) {
  PriorityClass priority;
  priority.meta.name = name;
  priority.value = value;
  priority.global_default = global;
  return priority;
}

ResourceQuota a_quota(const char* hard) {
  ResourceQuota quota;
  quota.meta.name = "quota";
  quota.meta.ns = "default";
  quota.hard["cpu"] = *Quantity::parse(hard);
  return quota;
}

Namespace a_namespace(const std::string& name, const std::string& team) {
  Namespace ns;
  ns.meta.name = name;
  ns.meta.labels.set("team", team);
  return ns;
}

NodeShard a_shard(std::vector<std::string> nodes) {
  NodeShard shard;
  shard.meta.name = "volcano";
  shard.nodes_desired = std::move(nodes);
  return shard;
}

const Object kQueue = of(a_volcano_queue("default"));
const Object kNode = of(a_volcano_node("n1").cpu("4").memory("8Gi").label("host", "n1"));
const Object kGroup = of(a_pod_group("job"));
const Object kPod = of(a_volcano_pod("job-w-0").group("job").cpu("2").memory("1Gi"));

std::vector<Case> cases() {
  const std::vector<Object> plain = {kQueue, kNode};
  const auto and_more = [&](std::vector<Object> more) {
    more.insert(more.begin(), plain.begin(), plain.end());
    return more;
  };
  const Object claim = PersistentVolumeClaim(a_claim("data").of_class("fast"));
  const Object bound = PersistentVolumeClaim(a_claim("data").of_class("fast").bound_to("v1"));
  const Object fast = StorageClass(a_storage_class("fast").waits().provisioner("disks"));
  const Object volume_pod = pod_with_volume(a_volcano_pod("job-w-0").group("job").cpu("1"), "data");
  const Object slice = ResourceSlice(a_slice("n1", 1).on("n1"));
  const Object any = DeviceClass(a_device_class("any"));
  const Object devices = ResourceClaim(a_device_claim("c").asks(a_request("r", "any").count(1)));
  const Object device_pod = pod_with_device(a_volcano_pod("job-w-0").group("job").cpu("1"), "c");
  const Object low = of(a_pod_group("low").created(1)), high = of(a_pod_group("high").created(2).priority_class("high"));
  const Object low_pod = of(a_volcano_pod("low-w-0").group("low").cpu("4").created(1));
  const Object high_pod = of(a_volcano_pod("high-w-0").group("high").cpu("4").created(2));
  return {
      {"Node", {kQueue, of(a_volcano_node("n0").cpu("1"))}, kNode, {kGroup, kPod}},
      {"NodeWithPods",
       and_more({of(a_volcano_pod("other").cpu("3").on("n2"))}),
       of(a_volcano_node("n2").cpu("8").memory("8Gi")),
       {kGroup, kPod, of(a_volcano_pod("job-w-1").group("job").cpu("3").memory("1Gi"))}},
      {"Queue", {kNode, of(a_volcano_queue("other"))}, kQueue, {kGroup, kPod}},
      {"QueueWithJobs",
       {kNode, of(a_volcano_queue("other")), of(a_pod_group("old")), of(a_volcano_pod("old-w-0").group("old").cpu("1").on("n1"))},
       kQueue,
       {kGroup, kPod}},
      {"PodGroup", plain, kGroup, {kPod}},
      {"PodGroupOfRunningPods",
       and_more({of(a_volcano_pod("job-w-1").group("job").cpu("1").on("n1"))}),
       of(a_pod_group("job").minimum(2)),
       {kPod}},
      {"Pod", plain, of(a_volcano_pod("other").cpu("3").on("n1")), {kGroup, kPod}},
      {"PodOfAGang",
       and_more({of(a_pod_group("job").minimum(2)), of(a_volcano_pod("job-w-1").group("job").cpu("9"))}),
       of(a_volcano_pod("job-w-2").group("job").cpu("1")),
       {kPod}},
      {"PriorityClass", plain, a_priority_class("high", 100), {low, high, low_pod, high_pod}},
      {"GlobalDefault",
       and_more({a_priority_class("high", 100)}),
       a_priority_class("usual", 1000, true),
       {low, high, low_pod, high_pod}},
      {"HyperNode",
       and_more({of(a_volcano_node("n2").cpu("1"))}),
       of(a_hyper_node("rack", 1).node("n2")),
       {of(a_pod_group("job").within(1)), kPod},
       {"priority", "gang", "predicates", "network-topology-aware"}},
      {"PodDisruptionBudget",
       and_more({of(a_pod_group("low").minimum(0).phase("Running")), a_priority_class("high", 100),
                 of(a_volcano_pod("low-w-0")
                        .group("low")
                        .cpu("4")
                        .on("n1")
                        .label("app", "low")
                        .annotation("volcano.sh/preemptable", "true"))}),
       of(a_budget("b").selects("app", "low").allows(0)),
       {high, high_pod},
       {"priority", "gang", "pdb", "predicates"},
       {"enqueue", "allocate", "preempt"}},
      {"ResourceQuota",
       plain,
       a_quota("1"),
       {of(a_pod_group("job").needs("cpu", "2").phase("Pending")), kPod},
       {"gang", "predicates", "resourcequota"}},
      {"Namespace",
       and_more({of(a_volcano_pod("other").cpu("1").on("n1"))}),
       a_namespace("default", "a"),
       {kGroup, shy_pod(a_volcano_pod("job-w-0").group("job").cpu("1"))}},
      {"StorageClass", and_more({claim}), fast, {kGroup, volume_pod}},
      {"PersistentVolumeClaim", and_more({fast}), claim, {kGroup, volume_pod}},
      {"PersistentVolume",
       and_more({fast, bound}),
       PersistentVolume(a_volume("v1").of_class("fast").only_on("host", "n1")),
       {kGroup, volume_pod}},
      {"CsiNode", and_more({fast, claim}), a_csi_node("n1", "disks", 2), {kGroup, volume_pod}},
      {"NodeShard", plain, a_shard({"n1"}), {kGroup, kPod}, {"priority", "gang", "predicates"}, {"enqueue", "allocate"}, "hard"},
      {"ResourceClaim", and_more({slice, any}), devices, {kGroup, device_pod}},
      {"ResourceSlice", and_more({devices, any}), slice, {kGroup, device_pod}},
      {"DeviceClass", and_more({slice, devices}), any, {kGroup, device_pod}},
      {"Numatopology",
       and_more({}),
       of(a_numatopology("n1").policy("single-numa-node").numa_nodes(2, 4)),
       {kGroup, of(a_volcano_pod("job-w-0")
                       .group("job")
                       .uses("cpu", "2")
                       .uses("memory", "1Mi")
                       .annotation("volcano.sh/numa-topology-policy", "single-numa-node"))},
       {"gang", "predicates", "numa-aware"}},
  };
}

// What there is to tell apart, but for conditions of pods: they are written when they change.
std::string text_of(const CycleOutcome& outcome) {
  std::string text;
  const auto add = [&](const char* what, const Names& names) {
    for (const auto& [name, value] : names) text += std::string(what) + " " + name + ": " + value + "\n";
  };
  add("bind", outcome.binds);
  add("plan", outcome.planned);
  add("phase", outcome.phases);
  add("condition", outcome.conditions);
  return text;
}

class World {
 public:
  World(const Case& c, SearchKind search) : cycles_(config(c), Behaviour::exact(), options(c), search) {}
  World& add(const std::vector<Object>& objects) {
    for (const auto& object : objects) cycles_.add_object(object);
    return *this;
  }
  World& remove(const Object& object) {
    cycles_.cluster().remove(gone(object));
    return *this;
  }
  std::string run() {
    const auto text = text_of(cycles_.run());
    EXPECT_TRUE(cycles_.cluster().books().check_sums());
    return text;
  }

 private:
  static Config config(const Case& c) {
    std::vector<PluginOption> tier;
    for (const auto* plugin : c.plugins) tier.push_back(an_option(plugin));
    return a_config(std::move(tier), c.actions);
  }
  static ClusterOptions options(const Case& c) {
    ClusterOptions options;
    options.shard_mode = c.shard_mode;
    return options;
  }
  VolcanoCycles cycles_;
};

TEST(ObjectRemoval, OfEachKindIsAsIfItHadNeverBeenThere) {
  for (const auto& c : cases())
    for (const auto search : {SearchKind::kIndex, SearchKind::kReference}) {
      const auto without = World(c, search).add(c.world).add(c.late).run();
      const auto with = World(c, search).add(c.world).add({c.goes}).add(c.late).run();
      EXPECT_NE(with, without) << c.name << " makes no difference";

      World removed(c, search);
      removed.add(c.world).add({c.goes}).run();
      EXPECT_EQ(removed.remove(c.goes).add(c.late).run(), without) << c.name;

      World late_first(c, search);
      late_first.add(c.world).add(c.late).add({c.goes}).remove(c.goes);
      EXPECT_EQ(late_first.run(), without) << c.name << " before the first cycle";

      World back(c, search);
      back.add(c.world).add({c.goes}).run();
      back.remove(c.goes).run();
      EXPECT_EQ(back.add({c.goes}).add(c.late).run(), with) << c.name << " comes back";
    }
}

TEST(ObjectRemoval, OfWhatIsNotThereChangesNothing) {
  for (const auto& c : cases()) {
    const auto expected = World(c, SearchKind::kIndex).add(c.world).add(c.late).run();
    EXPECT_EQ(World(c, SearchKind::kIndex).remove(c.goes).add(c.world).remove(c.goes).add(c.late).run(), expected) << c.name;
  }
}

// Nodes break ties by the order in which they came, and one that comes back is the last.
TEST(ObjectRemoval, ANodeThatComesBackIsTheLast) {
  const auto node = [](const char* name) { return of(a_volcano_node(name).cpu("4").memory("8Gi")); };
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
  for (const auto& object : {kQueue, node("a"), node("b"), node("c")}) cycles.add_object(object);
  cycles.run();
  cycles.cluster().remove(Gone<Node>{"", "a"});
  cycles.add_object(node("a")).add_object(kGroup).add_object(kPod);
  EXPECT_EQ(cycles.run().binds, (Names{{"job-w-0", "b"}}));
  cycles.cluster().remove(Gone<Node>{"", "b"});
  cycles.cluster().remove(Gone<Node>{"", "c"});
  cycles.add(a_volcano_pod("job-w-1").group("job").cpu("2"));
  EXPECT_EQ(cycles.run().binds, (Names{{"job-w-1", "a"}}));
}

// Its pods tell then what it was made for.
TEST(ObjectRemoval, AJobWithoutItsGroupIsStillOfItsWorkload) {
  auto group = std::get<PodGroup>(kGroup);
  group.meta.owners = {{.kind = "Job", .name = "train"}};
  auto pod = std::get<Pod>(kPod);
  pod.meta.owners = {{.kind = "ReplicaSet", .name = "web"}};
  VolcanoCycles cycles(a_config({an_option("gang")}));
  cycles.add_object(kQueue).add_object(group).add_object(pod);
  const auto workload = [&] { return cycles.cluster().job(cycles.cluster().find_job("default/job")).workload.text(); };
  EXPECT_EQ(workload(), "Job/train");
  cycles.cluster().remove(gone(group));
  EXPECT_EQ(workload(), "ReplicaSet/web");
}

// The last pod of a workload that is gone changes once more, when those of the next one are there.
TEST(ObjectRemoval, AJobIsOfTheWorkloadThatStays) {
  auto last = std::get<Pod>(kPod);
  last.meta.owners = {{.kind = "Job", .name = "train-1"}};
  auto next = a_volcano_pod("job-w-1").group("job").cpu("1").object();
  next.meta.owners = {{.kind = "Job", .name = "train-2"}};
  VolcanoCycles cycles(a_config({an_option("gang")}));
  cycles.add_object(kQueue).add_object(kGroup).add_object(last).add_object(next);
  last.meta.deleted = Timestamp{1, 0};
  cycles.add_object(last);
  EXPECT_EQ(cycles.cluster().job(cycles.cluster().find_job("default/job")).workload.text(), "Job/train-2");
}

// The volumes of a pod that is there already count for their driver as soon as it is known.
TEST(ObjectRemoval, AttachmentsFollowTheirClaims) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
  cycles.add_object(kQueue).add_object(kNode).add_object(a_csi_node("n1", "disks", 1));
  cycles.add_object(StorageClass(a_storage_class("fast").waits().provisioner("disks")));
  cycles.add_object(pod_with_volume(a_volcano_pod("other").cpu("1").on("n1"), "theirs"));
  cycles.run();
  const auto taken = [&] {
    const auto resource = cycles.cluster().books().find_resource("attachable-volumes-csi-disks");
    return cycles.cluster().books().ledgers().used[resource.index()][0];
  };
  EXPECT_EQ(taken(), 0);
  const Object theirs = PersistentVolumeClaim(a_claim("theirs").of_class("fast"));
  cycles.add_object(theirs).run();
  EXPECT_EQ(taken(), 1);
  cycles.cluster().remove(gone(theirs));
  cycles.run();
  EXPECT_EQ(taken(), 0);
}

// Others had to leave n2 for a pod. Until it has that room, nodes are numbered anew, and its object changes or another pod comes in
// its stead.
TEST(ObjectRemoval, PromisedRoomOutlivesTheIdsOfPodsAndNodes) {
  for (const bool same_pod : {true, false}) {
    VolcanoCycles cycles(
        a_config({an_option("priority"), an_option("gang"), an_option("predicates")}, {"enqueue", "allocate", "preempt"}),
        Behaviour::safe());
    auto& cluster = cycles.cluster();
    cycles.add_object(kQueue).add_object(a_priority_class("high", 100)).add_object(a_priority_class("low", 1));
    for (const auto* name : {"x1", "x2", "x3"}) cycles.add(a_volcano_node(name).cpu("1"));
    for (const auto* name : {"n1", "n2"}) cycles.add(a_volcano_node(name).cpu("4"));
    cycles.add(a_pod_group("rock").priority_class("high").phase("Running"));
    cycles.add(a_volcano_pod("rock-0").group("rock").cpu("4").on("n1"));
    cycles.add(a_pod_group("low").priority_class("low").minimum(0).phase("Running"));
    cycles.add(a_volcano_pod("low-0").group("low").cpu("4").on("n2").annotation("volcano.sh/preemptable", "true"));
    cycles.add(a_pod_group("top").priority_class("high"));
    auto top = a_volcano_pod("top-0").group("top").cpu("4").object();
    cycles.add_object(top);
    EXPECT_EQ(cycles.run().binds, (Names{{"low-0", "n2"}}));  // evicted

    cluster.books().set_spare_ids(0);
    for (const auto* name : {"x1", "x2", "x3"}) cluster.remove(Gone<Node>{"", name});
    for (const auto* name : {"rock-0", "low-0"}) cluster.remove(Gone<Pod>{"default", name});
    top.meta.labels.set("changed", "yes");
    if (!same_pod) {
      cluster.remove(gone(Object(top)));
      top.meta.name = "top-1", top.meta.uid = "uid-top-1";
    }
    cycles.add_object(top);
    EXPECT_EQ(cycles.run().binds, (Names{{top.meta.name, "n2"}}));
    EXPECT_EQ(cluster.books().node_count(), 2u);
  }
}

TEST(ObjectRemoval, WhatIsGoneLeavesNoIdsBehind) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
  auto& books = cycles.cluster().books();
  books.set_spare_ids(4);
  cycles.add_object(kQueue).add_object(kNode);
  for (int i = 0; i < 200; ++i) {
    const auto name = "j" + std::to_string(i);
    const Object group = of(a_pod_group(name)), pod = of(a_volcano_pod(name + "-w-0").group(name).cpu("2").label("job", name));
    const Object node = of(a_volcano_node("m" + std::to_string(i)).cpu("1"));
    cycles.add_object(group).add_object(pod).add_object(node);
    EXPECT_EQ(cycles.run().binds, (Names{{name + "-w-0", "n1"}}));
    for (const auto& object : {group, pod, node}) cycles.cluster().remove(gone(object));
  }
  cycles.run();
  EXPECT_LE(books.pod_count(), 2u);
  EXPECT_LE(books.group_count(), 2u);
  EXPECT_LE(books.node_count(), 12u);
  EXPECT_LE(books.label_set_count(), 12u);
  EXPECT_TRUE(books.check_sums());
}

}  // namespace
}  // namespace muster::volcano
