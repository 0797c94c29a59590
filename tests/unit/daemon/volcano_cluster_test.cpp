#include "daemon/volcano_cluster.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "daemon/claim_work.h"
#include "support/device_builder.h"
#include "support/volcano_builders.h"
#include "support/volume_builder.h"

namespace muster::daemon {
namespace {

// A node and a pod of a group of its own.
class VolcanoClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.apply(Object(volcano::a_volcano_node("n1").cpu("4").memory("8Gi").object()));
    cluster_.apply(Object(volcano::a_volcano_queue("default").object()));
    cluster_.apply(Object(volcano::a_pod_group("g").object()));
    pod_ = volcano::a_volcano_pod("p").group("g").cpu("1").object();
    pod_.spec.scheduler_name = "volcano";
  }
  Effects run() {
    cluster_.apply(Object(pod_));
    cluster_.settle();
    return cluster_.run_cycle({1'767'225'600, 0}).effects;
  }

  // No volume has to be attached: there are no CSINodes here that would say of how many a node is capable.
  static volcano::ClusterOptions options() {
    volcano::ClusterOptions options;
    options.ignored_provisioners = {"example.com/disks", "kubernetes.io/no-provisioner"};
    return options;
  }
  VolcanoCluster cluster_{{.config = volcano::default_config(), .behaviour = {}, .options = options(), .share_names = "s-"}};
  Pod pod_;
};

TEST_F(VolcanoClusterTest, APodWithoutClaimsNeedsNothingElse) {
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].claims, nullptr);
}

// Fair shares have those first that hold nothing.
TEST_F(VolcanoClusterTest, AGangThatHasBegunIsCompletedFirst) {
  cluster_.apply(Object(volcano::a_pod_group("z").minimum(2).object()));
  cluster_.apply(Object(volcano::a_volcano_pod("z-0").group("z").cpu("1").on("n1").object()));
  auto last = volcano::a_volcano_pod("z-1").group("z").cpu("1").object();
  last.spec.scheduler_name = "volcano";
  cluster_.apply(Object(last));
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 2u);
  EXPECT_EQ(effects.binds[0].pod.name, "z-1");
  EXPECT_EQ(effects.binds[1].pod.name, "p");
}

TEST_F(VolcanoClusterTest, WhatAGroupWaitsForIsSaidOnceMoreWhenSomebodyElseMayHaveLed) {
  pod_ = volcano::a_volcano_pod("p").group("g").cpu("9").object();
  pod_.spec.scheduler_name = "volcano";
  const auto events = [](const Effects& effects) {
    return std::ranges::count(effects.events, std::string("PodGroup"), &Event::kind);
  };
  EXPECT_EQ(events(run()), 1);
  const auto next = [&] { return events(cluster_.run_cycle({1'767'225'601, 0}).effects); };
  EXPECT_EQ(next(), 0);
  EXPECT_EQ(next(), 0);
  cluster_.skip_cycle({1'767'225'602, 0});
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 0);
}

TEST_F(VolcanoClusterTest, AGangThatIsGivenUpLeavesItsNodes) {
  cluster_.apply(Object(volcano::a_pod_group("z").minimum(2).object()));
  const auto bound = volcano::a_volcano_pod("z-0").group("z").cpu("1").on("n1").object();
  const auto id = kube::identity_of(bound.meta);
  cluster_.apply(Object(bound));
  EXPECT_EQ(cluster_.gang_of(bound), bound.meta.ns + "/z");
  EXPECT_TRUE(cluster_.lacks_pods(id, {}));
  cluster_.set_evictions(Evictions::kStopped);
  cluster_.give_up({cluster_.gang_of(bound), {id}, "so it is"});
  EXPECT_TRUE(run().evictions.empty()) << "not while evictions are stopped";
  cluster_.set_evictions(Evictions::kAllowed);
  EXPECT_TRUE(cluster_.run_cycle({1'767'225'601, 0}).effects.evictions.empty()) << "it was for one cycle";
  auto another = id;
  another.uid = "another";
  cluster_.give_up({cluster_.gang_of(bound), {another, id}, "so it is"});
  const auto effects = cluster_.run_cycle({1'767'225'602, 0}).effects;
  ASSERT_EQ(effects.evictions.size(), 1u);
  EXPECT_EQ(effects.evictions[0].pod.uid, id.uid);
  EXPECT_EQ(effects.evictions[0].rule, "incomplete-gang");
  EXPECT_EQ(effects.evictions[0].why, "so it is");
  ASSERT_EQ(effects.evictions[0].told.size(), 2u) << "on the pod and on its group";
  EXPECT_EQ(effects.evictions[0].told[1].kind, "PodGroup");
  for (const auto& event : effects.events) EXPECT_NE(event.reason, "Evict") << "before it has happened";
  EXPECT_EQ(cluster_.broken_invariant(), "");
  cluster_.give_up({cluster_.gang_of(bound), {id}, "so it is"});
  EXPECT_TRUE(cluster_.run_cycle({1'767'225'603, 0}).effects.evictions.empty()) << "it leaves already";
}

TEST_F(VolcanoClusterTest, WhatAGangLacksIsCountedWithoutThoseWhoseBindsAreOpen) {
  cluster_.apply(Object(volcano::a_pod_group("z").minimum(2).object()));
  for (const auto* name : {"z-0", "z-1"})
    cluster_.apply(Object(volcano::a_volcano_pod(name).group("z").cpu("1").on("n1").object()));
  const auto id = kube::identity_of(volcano::a_volcano_pod("z-0").group("z").object().meta);
  EXPECT_FALSE(cluster_.lacks_pods(id, {}));
  EXPECT_TRUE(cluster_.lacks_pods(id, {id.uid}));
  EXPECT_FALSE(cluster_.lacks_pods({"nowhere", "nobody", "", ""}, {}));
}

TEST_F(VolcanoClusterTest, APartOfAGangThatNeedsAllOfItsPodsLacksTheRefusedOne) {
  auto group = volcano::a_pod_group("z").minimum(2).object();
  group.sub_groups = {
      {.name = "part", .topology = {}, .size = 2, .min_sub_groups = 2, .selector = {}, .match_label_keys = {"part"}}};
  cluster_.apply(Object(group));
  const std::pair<const char*, const char*> pods[] = {{"z-0", "a"}, {"z-1", "a"}, {"z-2", "b"}, {"z-3", "b"}};
  for (const auto& [name, part] : pods)
    cluster_.apply(Object(volcano::a_volcano_pod(name).group("z").label("part", part).cpu("1").on("n1").object()));
  cluster_.settle();
  cluster_.run_cycle({1'767'225'600, 0});  // which divides it
  const auto id = [](const char* name) { return kube::identity_of(volcano::a_volcano_pod(name).group("z").object().meta); };
  EXPECT_FALSE(cluster_.lacks_pods(id("z-0"), {}));
  EXPECT_TRUE(cluster_.lacks_pods(id("z-0"), {id("z-3").uid})) << "three pods are more than the minimum of the whole";
}

TEST_F(VolcanoClusterTest, WhoHoldsRoom) {
  auto running = volcano::a_volcano_pod("p").group("g").cpu("1").on("n1").object();
  const auto id = kube::identity_of(running.meta);
  cluster_.apply(Object(running));
  EXPECT_TRUE(cluster_.holds_room(id));
  running.status.phase = "Failed";
  cluster_.apply(Object(running));
  EXPECT_FALSE(cluster_.holds_room(id));
  EXPECT_FALSE(cluster_.holds_room({"nowhere", "nobody", "", ""}));
}

TEST_F(VolcanoClusterTest, AWaitingClaimIsToldTheNodeOrGetsAVolume) {
  cluster_.apply(Object(StorageClass(a_storage_class("made").waits().provisioner("example.com/disks"))));
  cluster_.apply(Object(StorageClass(a_storage_class("local").waits().provisioner("kubernetes.io/no-provisioner"))));
  PersistentVolumeClaim made = a_claim("made").of_class("made");
  PersistentVolumeClaim local = a_claim("local").of_class("local");
  made.meta.ns = local.meta.ns = pod_.meta.ns;
  cluster_.apply(Object(made));
  cluster_.apply(Object(local));
  cluster_.apply(Object(PersistentVolume(a_volume("v1").of_class("local"))));
  for (const std::string name : {"made", "local"})
    pod_.spec.volumes.push_back({.name = name, .claim = name, .ephemeral = false, .image = {}});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_NE(effects.binds[0].claims, nullptr);
  const auto& work = *effects.binds[0].claims;
  ASSERT_EQ(work.provisions.size(), 1u);
  EXPECT_EQ(work.provisions[0].meta.name, "made");
  ASSERT_EQ(work.bindings.size(), 1u);
  EXPECT_EQ(work.bindings[0].volume.meta.name, "v1");
  EXPECT_EQ(work.longest_wait, std::chrono::minutes(10));
  EXPECT_EQ(work.obstacle, "");
}

TEST_F(VolcanoClusterTest, DevicesThatWereFoundAreGiven) {
  cluster_.apply(Object(DeviceClass(a_device_class("gpus"))));
  cluster_.apply(Object(ResourceSlice(a_slice("n1", 1).on("n1"))));
  ResourceClaim claim = a_device_claim("c").asks(a_request("r", "gpus"));
  claim.meta.ns = pod_.meta.ns;
  cluster_.apply(Object(claim));
  pod_.spec.resource_claims.push_back({.name = "gpu", .claim = "c", .templ = {}, .resolved = {}});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_NE(effects.binds[0].claims, nullptr);
  const auto& work = *effects.binds[0].claims;
  ASSERT_EQ(work.devices.size(), 1u);
  EXPECT_EQ(work.obstacle, "");
  EXPECT_NE(work.devices[0].allocation.find(R"("driver":"gpu","pool":"n1","device":"d0")"), std::string::npos)
      << work.devices[0].allocation;
}

TEST_F(VolcanoClusterTest, WhatCouldNotBePreparedIsTold) {
  Effects effects;
  cluster_.on_unprepared({{"ns", "p", "u", ""}, "n1", {}, {}}, "no disk", {1'767'225'600, 0}, effects);
  ASSERT_EQ(effects.patches.size(), 1u);
  EXPECT_NE(effects.patches[0].body.find(R"("reason":"SchedulerError")"), std::string::npos);
  EXPECT_NE(effects.patches[0].body.find("execute preBind for pod ns/p failed: no disk, resync the task"), std::string::npos);
  EXPECT_EQ(effects.events.size(), 1u);
}

const Patch* patch_of(const Effects& effects, const std::string& plural) {
  for (const auto& patch : effects.patches)
    if (patch.object.plural == plural) return &patch;
  return nullptr;
}

// Nothing but a dropped patch would ever make the object say it.
TEST_F(VolcanoClusterTest, AStatusThatWasNotWrittenIsWrittenAgain) {
  pod_ = volcano::a_volcano_pod("p").group("g").cpu("100").object();  // finds no node
  pod_.spec.scheduler_name = "volcano";
  const auto first = run();
  std::int64_t second = 1'767'225'600;
  for (const std::string plural : {"podgroups", "pods", "queues"}) {
    const auto* written = patch_of(first, plural);
    ASSERT_NE(written, nullptr) << plural;
    EXPECT_EQ(patch_of(cluster_.run_cycle({++second, 0}).effects, plural), nullptr) << plural << ": once is enough";
    cluster_.on_not_written(written->object);
    const auto again = cluster_.run_cycle({++second, 0}).effects;
    ASSERT_NE(patch_of(again, plural), nullptr) << plural;
    EXPECT_EQ(patch_of(cluster_.run_cycle({++second, 0}).effects, plural), nullptr) << plural;
  }
}

// Merging leaves in what is not named.
TEST_F(VolcanoClusterTest, WhatAQueueNoLongerHoldsIsNamedUntilThatCanBeSeen) {
  auto queue = volcano::a_volcano_queue("default").object();
  queue.allocated.emplace();
  (*queue.allocated)["nvidia.com/gpu"] = Quantity::from_units(1);
  cluster_.apply(Object(queue));
  const auto first = run();
  const auto* patch = patch_of(first, "queues");
  ASSERT_NE(patch, nullptr);
  EXPECT_NE(patch->body.find(R"("nvidia.com/gpu":null)"), std::string::npos) << patch->body;
  cluster_.on_not_written(patch->object);
  const auto again = cluster_.run_cycle({1'767'225'601, 0}).effects;
  ASSERT_NE(patch_of(again, "queues"), nullptr);
  EXPECT_NE(patch_of(again, "queues")->body.find(R"("nvidia.com/gpu":null)"), std::string::npos);
}

TEST_F(VolcanoClusterTest, TheStatusOfAPodGroupIsForThisOneOfItsName) {
  auto group = volcano::a_pod_group("g").object();
  group.meta.uid = "the-first";
  cluster_.apply(Object(group));
  const auto effects = run();
  const auto* patch = patch_of(effects, "podgroups");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->body.find(R"({"metadata":{"uid":"the-first"},"status":{)"), 0u) << patch->body;
}

// A gang of two pods that come one by one, and the patch of its status that each cycle writes.
class GangThatComes : public VolcanoClusterTest {
 protected:
  void group_comes(std::vector<Condition> conditions = {}) {
    auto group = volcano::a_pod_group("gang").minimum(2).object();
    group.conditions = std::move(conditions);
    cluster_.apply(Object(group));
  }
  void pod_comes(const std::string& name) {
    auto pod = volcano::a_volcano_pod(name).group("gang").cpu("1").object();
    pod.spec.scheduler_name = "volcano";
    cluster_.apply(Object(pod));
  }
  Patch status() {
    const auto effects = run();
    const auto found = std::ranges::find(effects.patches, "gang", [](const Patch& patch) { return patch.object.name; });
    return found == effects.patches.end() ? Patch{} : *found;
  }
  static bool tells(const Patch& patch, const std::string& type) {
    return patch.body.find(R"("type":")" + type + '"') != std::string::npos;
  }
};

TEST_F(GangThatComes, ItsMakerIsToldAtOnceThatItIsLetInAndOthersWhenAllPodsAreThere) {
  group_comes();
  EXPECT_FALSE(status().can_wait);
  pod_comes("gang-0");
  const auto half = status();
  EXPECT_TRUE(half.can_wait);
  EXPECT_TRUE(tells(half, "Unschedulable"));
}

TEST_F(GangThatComes, ThatItLackedPodsForAMomentIsNotTold) {
  group_comes();
  pod_comes("gang-0");
  status();
  pod_comes("gang-1");
  const auto whole = status();
  EXPECT_TRUE(tells(whole, "Scheduled"));
  EXPECT_FALSE(tells(whole, "Unschedulable"));
}

TEST_F(GangThatComes, WhatItsObjectHasShownStays) {
  group_comes();
  pod_comes("gang-0");
  status();
  Condition shown;
  shown.type = "Unschedulable";
  group_comes({shown});
  pod_comes("gang-1");
  const auto whole = status();
  EXPECT_TRUE(tells(whole, "Scheduled"));
  EXPECT_TRUE(tells(whole, "Unschedulable"));
}

TEST(VolcanoQueues, AreAskedForUntilTheyAreThere) {
  VolcanoCluster cluster({.config = volcano::default_config(), .behaviour = {}, .options = {}});
  const auto names = [](const std::vector<Create>& creations) {
    std::string out;
    for (const auto& one : creations) out += one.name + " ";
    return out;
  };
  const auto first = cluster.settle();
  ASSERT_EQ(names(first.creations), "root default ");
  EXPECT_EQ(names(cluster.run_cycle({100, 0}).effects.creations), "");
  for (const auto& one : first.creations) cluster.on_not_created(one);
  EXPECT_EQ(names(cluster.run_cycle({101, 0}).effects.creations), "root default ");
  cluster.apply(Object(volcano::a_volcano_queue("root").object()));
  cluster.on_not_created(first.creations[1]);
  EXPECT_EQ(names(cluster.run_cycle({110, 0}).effects.creations), "") << "not all the time";
  EXPECT_EQ(names(cluster.run_cycle({111, 0}).effects.creations), "default ");
  EXPECT_EQ(names(cluster.run_cycle({200, 0}).effects.creations), "") << "nobody has said that it failed";
}

}  // namespace
}  // namespace muster::daemon
