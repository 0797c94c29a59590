#include "daemon/kai_cluster.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "daemon/claim_work.h"
#include "daemon/kai_setup.h"
#include "model/json.h"
#include "support/device_builder.h"
#include "support/http_server.h"
#include "support/kai_world.h"
#include "support/volume_builder.h"

namespace muster::daemon {
namespace {

using kai::KaiWorld;

constexpr Timestamp kNow = KaiWorld::kNow;

kube::Identity identity(const std::string& pod) { return {"ns", pod, "ns/" + pod, ""}; }

const kube::ResourceKind& kind_of(std::string_view name, kube::KindUse use = kube::KindUse::kKai) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name && (kind.use == use || kind.use == kube::KindUse::kCore)) return kind;
  std::abort();
}

// A cluster with the objects of a small world.
class KaiClusterTest : public testing::Test {
 protected:
  KaiCluster& cluster(KaiWriting writing = {}, std::string pool = {}) {
    KaiSettings settings{.config = kai::default_config(),
                         .options = {},
                         .writing = writing,
                         .gpu_groups = "g-",
                         .numbers = numbers_,
                         .lenient = false};
    settings.options.node_pool = std::move(pool);
    settings.config.usage = usage_;
    cluster_ = std::make_unique<KaiCluster>(std::move(settings));
    for (const auto& object : world_.objects()) cluster_->apply(object);
    cluster_->settle();
    return *cluster_;
  }
  Effects run() { return cluster_->run_cycle(kNow).effects; }
  // The pod as it is in the world.
  Pod pod(const std::string& name) {
    for (const auto& object : world_.objects())
      if (const auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name == name) return *pod;
    std::abort();
  }
  // A pod of its own that claims the only device.
  void claim_a_device() {
    world_.node("n1", 0);
    world_.job({.name = "a", .gpus = 0});
    world_.add(DeviceClass(a_device_class("any")));
    world_.add(ResourceSlice(a_slice("n1", 1).on("n1")));
    ResourceClaim claim = a_device_claim("c").asks(a_request("r", "any"));
    claim.meta.ns = "ns";
    world_.add(claim);
    for (auto& object : world_.objects())
      if (auto* found = std::get_if<Pod>(&object))
        found->spec.resource_claims.push_back({.name = "dev", .claim = "c", .templ = {}, .resolved = {}});
  }
  static BindRequest request(const std::string& pod, const std::string& phase, const std::string& owner = {}) {
    BindRequest request;
    request.meta.ns = "ns";
    request.meta.name = request.pod = pod;
    request.meta.uid = "r-" + pod;
    request.meta.owners = {{"Pod", pod, owner.empty() ? "ns/" + pod : owner, false}};
    request.node = "n1";
    request.phase = phase;
    return request;
  }
  static std::vector<std::string> reasons(const Effects& effects) {
    std::vector<std::string> out;
    for (const auto& event : effects.events) out.push_back(event.kind + " " + event.reason);
    return out;
  }

  KaiWorld world_;
  std::optional<kai::UsageParams> usage_;  // to ask for
  metrics::Registry registry_;
  std::shared_ptr<KaiNumbers> numbers_;
  std::unique_ptr<KaiCluster> cluster_;
};

TEST_F(KaiClusterTest, ABindIsABindRequestThatBelongsToItsPod) {
  world_.node("n1", 2);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 2u);
  const auto& bind = effects.binds[0];
  ASSERT_TRUE(bind.order);
  EXPECT_EQ(bind.order->collection.text(), "/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests");
  EXPECT_EQ(bind.order->name, "a-0");
  EXPECT_EQ(bind.group, "ns/a");
  EXPECT_EQ(bind.order->body,
            R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest","metadata":{"name":"a-0","namespace":"ns",)"
            R"("labels":{"selected-node":"n1"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a-0","uid":"ns/a-0"}]},)"
            R"("spec":{"podName":"a-0","selectedNode":"n1","receivedResourceType":"Regular","receivedGPU":{"count":1,)"
            R"("portion":"1.00"}}})");
  EXPECT_TRUE(run().binds.empty()) << "what was decided counts until it can be seen";
  cluster_->apply(Object(pod("a-0")));
  EXPECT_TRUE(run().binds.empty());
}

TEST_F(KaiClusterTest, AGangThatIsGivenUpLeavesItsNodes) {
  world_.node("n1", 2);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  cluster({.binder = KaiBinder::kDirect});
  EXPECT_EQ(cluster_->gang_of(pod("a-0")), "ns/a");
  EXPECT_TRUE(cluster_->lacks_pods(identity("a-0"), {}));
  ASSERT_EQ(run().binds.size(), 2u);
  EXPECT_FALSE(cluster_->lacks_pods(identity("a-0"), {}));
  EXPECT_TRUE(cluster_->lacks_pods(identity("a-0"), {"ns/a-1"}));
  auto bound = pod("a-0"), refused = pod("a-1");
  bound.spec.node_name = "n1";
  cluster_->apply(Object(bound));
  refused.spec.scheduling_gates.emplace_back("held");
  cluster_->take_back(identity("a-1"));
  cluster_->apply(Object(refused));
  EXPECT_TRUE(cluster_->lacks_pods(identity("a-0"), {}));
  cluster_->give_up({"ns/a", {identity("a-0")}, "so it is"});
  const auto effects = run();
  ASSERT_EQ(effects.evictions.size(), 1u);
  EXPECT_EQ(effects.evictions[0].pod.name, "a-0");
  EXPECT_EQ(effects.evictions[0].rule, "incomplete-gang");
  EXPECT_EQ(effects.evictions[0].why, "so it is");
  EXPECT_EQ(cluster_->broken_invariant(), "");
  cluster_->give_up({"ns/a", {identity("a-0")}, "so it is"});
  EXPECT_TRUE(run().evictions.empty()) << "it leaves already";
}

TEST_F(KaiClusterTest, AGangIsCountedByWhatWasToldSinceTheLastCycle) {
  world_.node("n1", 2);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  cluster({.binder = KaiBinder::kDirect});
  ASSERT_EQ(run().binds.size(), 2u);
  for (const auto* name : {"a-0", "a-1"}) {
    auto running = pod(name);
    running.spec.node_name = "n1";
    running.status.phase = "Running";
    cluster_->apply(Object(running));
    EXPECT_FALSE(cluster_->lacks_pods(identity(name), {})) << name;
    EXPECT_TRUE(cluster_->lacks_pods(identity(name), {"ns/a-1"})) << name;
    EXPECT_TRUE(cluster_->holds_room(identity(name))) << name;
  }
  auto leaving = pod("a-1");
  leaving.spec.node_name = "n1";
  leaving.status.phase = "Running";
  leaving.meta.deleted = Timestamp{};
  cluster_->apply(Object(leaving));
  EXPECT_FALSE(cluster_->holds_room(identity("a-1")));
  EXPECT_TRUE(cluster_->lacks_pods(identity("a-0"), {}));
}

TEST_F(KaiClusterTest, SharesOfAGpuNameTheirGroupAndGoTogether) {
  world_.node("n1", 1);
  world_.job({.name = "a", .fraction = "0.5"});
  cluster();
  const auto first = run();
  ASSERT_EQ(first.binds.size(), 1u);
  EXPECT_NE(first.binds[0].order->body.find(R"("receivedResourceType":"Fraction","receivedGPU":{"count":1,"portion":"0.50"},)"
                                            R"("selectedGPUGroups":["g-000000000000"])"),
            std::string::npos)
      << first.binds[0].order->body;
  KaiWorld more;
  more.job({.name = "b", .fraction = "0.5"});
  for (const auto& object : more.objects())
    if (std::holds_alternative<Pod>(object) || std::holds_alternative<KaiPodGroup>(object)) cluster_->apply(object);
  const auto second = run();
  ASSERT_EQ(second.binds.size(), 1u);
  EXPECT_NE(second.binds[0].order->body.find(R"("selectedGPUGroups":["g-000000000000"])"), std::string::npos);
}

TEST_F(KaiClusterTest, AShardWritesItsLabel) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  for (auto& object : world_.objects()) {
    if (auto* node = std::get_if<Node>(&object)) node->meta.labels.set("kai.scheduler/node-pool", "blue");
    if (auto* queue = std::get_if<KaiQueue>(&object)) queue->meta.labels.set("kai.scheduler/node-pool", "blue");
    if (auto* group = std::get_if<KaiPodGroup>(&object)) group->meta.labels.set("kai.scheduler/node-pool", "blue");
  }
  cluster({}, "blue");
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_NE(effects.binds[0].order->body.find(R"("labels":{"selected-node":"n1","kai.scheduler/node-pool":"blue"})"),
            std::string::npos);
  for (const auto& patch : effects.patches) EXPECT_NE(patch.object.plural, "pods") << "it may be refused";
  Effects told;
  cluster_->on_bound(effects.binds[0], told);
  ASSERT_EQ(told.events.size(), 1u);
  EXPECT_EQ(told.events[0].reason, "Scheduled");
  EXPECT_EQ(told.events[0].note, "Successfully assigned pod ns/a-0 to node n1 at node-pool blue");
  ASSERT_EQ(told.patches.size(), 1u);
  EXPECT_EQ(told.patches[0].object.text(), "/api/v1/namespaces/ns/pods/a-0");
  EXPECT_EQ(told.patches[0].body, R"({"metadata":{"uid":"ns/a-0","labels":{"kai.scheduler/node-pool":"blue"}}})");
  auto labelled = pod("a-0");
  labelled.meta.labels.set("kai.scheduler/node-pool", "blue");
  cluster_->apply(Object(labelled));
  Effects again;
  cluster_->on_bound(effects.binds[0], again);
  EXPECT_TRUE(again.patches.empty()) << "it has the label";
}

TEST_F(KaiClusterTest, AFailedRequestIsHeldUntilThePodWasReadAndThenDeleted) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  cluster();
  ASSERT_EQ(run().binds.size(), 1u);
  cluster_->apply(Object(request("a-0", "Pending")));
  auto failed = request("a-0", "Failed");
  failed.reason = "no such device";
  cluster_->apply(Object(failed));
  const auto failures = cluster_->take_failed_binds();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].bind.pod.uid, "ns/a-0");
  EXPECT_EQ(failures[0].bind.group, "ns/a");
  EXPECT_NE(failures[0].why.find("no such device"), std::string::npos);
  EXPECT_TRUE(run().binds.empty()) << "nobody decides before the pod was read";
  cluster_->take_back(identity("a-0"));
  cluster_->apply(Object(pod("a-0")));
  const auto effects = run();
  ASSERT_EQ(effects.deletions.size(), 1u);
  EXPECT_EQ(effects.deletions[0].uid, "r-a-0");
  EXPECT_EQ(effects.deletions[0].object.text(), "/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests/a-0");
  EXPECT_EQ(effects.binds.size(), 1u);
  cluster_->remove(kind_of("BindRequest"), {"ns", "a-0", "r-a-0", ""});
  EXPECT_TRUE(run().binds.empty()) << "what went was the old request, not the new decision";
}

TEST_F(KaiClusterTest, ARequestOfAnEarlierPodOfTheNameDoesNotCount) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  cluster();
  cluster_->apply(Object(request("a-0", "Succeeded", "an earlier one")));
  ASSERT_EQ(run().binds.size(), 1u);
  cluster_->take_back(identity("a-0"));  // the server said that there is such an object
  cluster_->apply(Object(pod("a-0")));
  const auto effects = run();
  EXPECT_EQ(effects.deletions.size(), 1u);
  EXPECT_EQ(effects.binds.size(), 1u);
}

TEST_F(KaiClusterTest, ARequestThatComesBeforeItsPodCounts) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  const auto waiting = pod("a-0");
  std::erase_if(world_.objects(), [](const Object& object) { return std::holds_alternative<Pod>(object); });
  cluster();
  cluster_->apply(Object(request("a-0", "Pending")));
  cluster_->apply(Object(waiting));
  EXPECT_TRUE(run().binds.empty());
}

TEST_F(KaiClusterTest, ARequestForANodeThatWentGoesToo) {
  world_.node("n1", 1);
  world_.node("n2", 1);
  world_.job({.name = "a"});
  cluster();
  cluster_->apply(Object(request("a-0", "Pending")));
  EXPECT_TRUE(run().binds.empty());
  cluster_->remove(kind_of("Node"), {"", "n1", "", ""});
  const auto effects = run();
  EXPECT_EQ(effects.deletions.size(), 1u);
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].node, "n2");
}

TEST_F(KaiClusterTest, ARequestThatComesAfterTheEndOfItsNodeGoesToo) {
  world_.node("n1", 1);
  world_.node("n2", 1);
  world_.job({.name = "a"});
  cluster();
  cluster_->remove(kind_of("Node"), {"", "n1", "", ""});
  ASSERT_EQ(run().binds.size(), 1u);
  cluster_->take_back(identity("a-0"));  // somebody else had made a request
  cluster_->apply(Object(request("a-0", "Pending")));
  cluster_->apply(Object(pod("a-0")));
  const auto effects = run();
  EXPECT_EQ(effects.deletions.size(), 1u);
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].node, "n2");
}

TEST_F(KaiClusterTest, APodThatCannotBeBoundKeepsItsGangBack) {
  world_.node("n1", 0);
  world_.job({.name = "a", .pods = 2, .minimum = 2, .gpus = 0});
  world_.job({.name = "b", .gpus = 0});
  DeviceClass device_class = a_device_class("gpu");
  device_class.extended_resource = "example.com/gpu";
  world_.add(device_class);
  world_.add(ResourceSlice(a_slice("n1", 1).on("n1")));
  for (auto& object : world_.objects())
    if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name == "a-1")
      pod->spec.containers[0].requests["example.com/gpu"] = Quantity::from_units(1);
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].pod.name, "b-0");
  const auto failed = cluster_->take_failed_binds();
  ASSERT_EQ(failed.size(), 2u);
  for (const auto& [bind, why] : failed) {
    EXPECT_EQ(bind.group, "ns/a");
    EXPECT_NE(why.find("does not allocate devices"), std::string::npos) << why;
  }
  const auto named = reasons(effects);
  EXPECT_EQ(std::count(named.begin(), named.end(), "Pod FailedBinding"), 2);
  EXPECT_TRUE(run().binds.empty()) << "until they were read";
  EXPECT_TRUE(cluster_->take_failed_binds().empty());
}

TEST_F(KaiClusterTest, PodsOfOthersAreNotToldWhatCannotBeDone) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  cluster({.binder = KaiBinder::kDirect});
  auto other = pod("a-0");
  other.meta.name = "other";
  other.meta.uid = "ns/other";
  other.meta.annotations = {};
  other.meta.annotations.set("gpu-fraction", "0.5");
  other.spec.scheduler_name = "default-scheduler";
  cluster_->apply(Object(other));
  const auto is_told = [](const Effects& effects) {
    return std::any_of(effects.patches.begin(), effects.patches.end(),
                       [](const Patch& patch) { return patch.object.name == "other"; });
  };
  EXPECT_FALSE(is_told(run()));
  other.spec.scheduler_name = "kai-scheduler";
  cluster_->apply(Object(other));
  EXPECT_TRUE(is_told(run()));
}

TEST_F(KaiClusterTest, ABindRequestNamesTheDevicesOfClaims) {
  claim_a_device();
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_TRUE(effects.binds[0].order);
  EXPECT_EQ(effects.binds[0].claims, nullptr) << "that is the binder's work";
  EXPECT_NE(effects.binds[0].order->body.find(
                R"("resourceClaimAllocations":[{"name":"dev","allocation":{"devices":{"results":[{"request":"r","driver":"gpu",)"
                R"("pool":"n1","device":"d0"}]})"),
            std::string::npos)
      << effects.binds[0].order->body;
}

TEST_F(KaiClusterTest, ABindRequestSaysWhatDriversAreToldOfTheDevices) {
  claim_a_device();
  for (auto& object : world_.objects()) {
    if (auto* device_class = std::get_if<DeviceClass>(&object)) device_class->config = {{{}, R"({"driver":"gpu"})"}};
    if (auto* claim = std::get_if<ResourceClaim>(&object)) claim->config = {{{"r"}, R"({"driver":"gpu","parameters":{"n":1.0}})"}};
  }
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_TRUE(effects.binds[0].order);
  EXPECT_NE(effects.binds[0].order->body.find(
                R"("device":"d0"}],"config":[{"source":"FromClass","requests":["r"],"opaque":{"driver":"gpu"}},)"
                R"({"source":"FromClaim","requests":["r"],"opaque":{"driver":"gpu","parameters":{"n":1.0}}}]})"),
            std::string::npos)
      << effects.binds[0].order->body;
}

TEST_F(KaiClusterTest, WithoutABinderClaimsAreWorkForTheSchedulerItself) {
  claim_a_device();
  world_.add(StorageClass(a_storage_class("wait").waits().provisioner("example.com/disks")));
  PersistentVolumeClaim claim = a_claim("v").of_class("wait");
  claim.meta.ns = "ns";
  world_.add(claim);
  for (auto& object : world_.objects())
    if (auto* found = std::get_if<Pod>(&object))
      found->spec.volumes.push_back({.name = "v", .claim = "v", .ephemeral = false, .image = {}});
  cluster({.binder = KaiBinder::kDirect});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_FALSE(effects.binds[0].order);
  ASSERT_NE(effects.binds[0].claims, nullptr);
  const auto& work = *effects.binds[0].claims;
  EXPECT_EQ(work.obstacle, "");
  ASSERT_EQ(work.devices.size(), 1u);
  EXPECT_EQ(work.devices[0].claim.allocation->devices.at(0).device, "d0");
  ASSERT_EQ(work.provisions.size(), 1u);
  EXPECT_EQ(work.provisions[0].meta.name, "v");
}

TEST_F(KaiClusterTest, WhoFindsNoRoomIsToldOnce) {
  world_.node("n1", 1);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  cluster();
  const auto effects = run();
  EXPECT_TRUE(effects.binds.empty());
  EXPECT_EQ(reasons(effects), (std::vector<std::string>{"Pod Unschedulable", "Pod Unschedulable", "PodGroup Unschedulable"}));
  ASSERT_EQ(effects.patches.size(), 3u);
  EXPECT_NE(effects.patches[0].body.find(R"("type":"PodScheduled","status":"False","reason":"Unschedulable")"), std::string::npos);
  EXPECT_EQ(effects.patches[2].object.text(), "/apis/scheduling.run.ai/v2alpha2/namespaces/ns/podgroups/a/status");
  EXPECT_NE(
      effects.patches[2].body.find(R"("type":"UnschedulableOnNodePool","nodePool":"default","status":"True","transitionID":"1")"),
      std::string::npos)
      << effects.patches[2].body;
  EXPECT_NE(effects.patches[2].body.find(R"("reasons":[{"reason":"PodSchedulingErrors")"), std::string::npos);
  EXPECT_TRUE(run().patches.empty());
}

TEST_F(KaiClusterTest, WhoDecidedMeanwhileMayHaveWrittenSomethingElse) {
  world_.node("n1", 1);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  cluster();
  ASSERT_EQ(run().patches.size(), 3u);
  ASSERT_TRUE(run().patches.empty());
  cluster_->skip_cycle(kNow);
  EXPECT_EQ(run().patches.size(), 3u);
}

TEST_F(KaiClusterTest, APodOfAnUnknownSubgroupIsToldWheneverItComes) {
  world_.node("n1", 2);
  world_.job({.name = "a", .sub_groups = {"one"}});
  cluster();
  for (int i = 0; i < 3; ++i) run();
  auto odd = pod("a-0");
  odd.meta.name = "odd";
  odd.meta.uid = "ns/odd";
  odd.meta.labels.set("kai.scheduler/subgroup-name", "two");
  cluster_->apply(Object(odd));
  const auto effects = run();
  const auto told =
      std::find_if(effects.patches.begin(), effects.patches.end(), [](const Patch& patch) { return patch.object.name == "odd"; });
  ASSERT_NE(told, effects.patches.end());
  EXPECT_NE(told->body.find(R"(Pod references subgroup \"two\", which does not exist in PodGroup ns/a)"), std::string::npos)
      << told->body;
}

TEST_F(KaiClusterTest, AGroupThatWantsItsPodsUnmarkedLeavesThem) {
  world_.node("n1", 1);
  world_.job({.name = "a", .pods = 2, .minimum = 2});
  for (auto& object : world_.objects())
    if (auto* group = std::get_if<KaiPodGroup>(&object)) group->mark_unschedulable = false;
  cluster();
  const auto effects = run();
  EXPECT_EQ(effects.patches.size(), 1u) << "of the group alone";
  EXPECT_EQ(effects.events.size(), 3u);
}

TEST_F(KaiClusterTest, AGroupWithTooFewPodsIsNotReady) {
  world_.node("n1", 2);
  world_.job({.name = "a", .pods = 1, .minimum = 2});
  cluster();
  const auto effects = run();
  EXPECT_EQ(reasons(effects), std::vector<std::string>{"PodGroup NotReady"});
  EXPECT_EQ(effects.events[0].note, "Job is not ready for scheduling. Waiting for 2 pods, currently 1 exist, 0 are gated");
  EXPECT_TRUE(effects.patches.empty());
}

TEST_F(KaiClusterTest, AStartIsStamped) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.patches.size(), 1u);
  EXPECT_EQ(effects.patches[0].object.text(), "/apis/scheduling.run.ai/v2alpha2/namespaces/ns/podgroups/a");
  EXPECT_EQ(effects.patches[0].body,
            R"({"metadata":{"uid":"","annotations":{"kai.scheduler/last-start-timestamp":"2026-01-01T00:00:00Z",)"
            R"("kai.scheduler/stale-podgroup-timestamp":null,"kai.scheduler/last-eviction-timestamp":null}}})");
}

TEST_F(KaiClusterTest, AnEvictionIsToldToItsGroupAndAnnouncedWhereAsked) {
  world_.node("n1", 1);
  world_.job({.name = "low", .nodes = {"n1"}});
  world_.job({.name = "high", .priority = "high"});
  cluster({.announce_evictions = true});
  const auto effects = run();
  ASSERT_EQ(effects.evictions.size(), 1u);
  EXPECT_EQ(effects.evictions[0].pod.name, "low-0");
  ASSERT_TRUE(effects.evictions[0].announced);
  EXPECT_NE(
      effects.evictions[0].announced->body.find(R"("type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler")"),
      std::string::npos);
  ASSERT_EQ(effects.evictions[0].told.size(), 1u);
  const auto* told = effects.evictions[0].told.data();
  EXPECT_EQ(told->reason, "Evict");
  EXPECT_EQ(told->about.name, "low");
  EXPECT_EQ(told->note, "Pod ns/low-0 was preempted by higher priority workload ns/high");
  EXPECT_NE(effects.evictions[0].announced->body.find(told->note), std::string::npos);
  EXPECT_EQ(told->annotations, (std::map<std::string, std::string>{{"evictor-action-type", "preempt"},
                                                                   {"evictor-pod-group-name", "high"},
                                                                   {"evictor-pod-group-namespace", "ns"},
                                                                   {"num-evicted-pods", "1"}}));
  const auto named = reasons(effects);
  const auto promised = std::find(named.begin(), named.end(), "Pod Pipelined");
  ASSERT_NE(promised, named.end());
  EXPECT_EQ(effects.events[static_cast<std::size_t>(promised - named.begin())].note, "Pod ns/high-0 was pipelined to node n1");
}

TEST_F(KaiClusterTest, WhoMovesLeavesOneNodeAndGetsAnother) {
  world_.node("n1", 2);
  world_.node("n2", 2);
  world_.job({.name = "a", .nodes = {"n1"}});
  world_.job({.name = "b", .nodes = {"n2"}});
  world_.job({.name = "large", .gpus = 2});
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.evictions.size(), 1u);
  const auto& moved = effects.evictions[0];
  const bool is_first = moved.pod.name == "a-0";
  EXPECT_EQ(moved.node, is_first ? "n1" : "n2");
  EXPECT_TRUE(moved.why.ends_with(is_first ? "this pod gets n2 instead" : "this pod gets n1 instead")) << moved.why;
}

TEST_F(KaiClusterTest, DirectlyBoundPodsKnowWhatTheyReceived) {
  world_.node("n1", 1);
  world_.job({.name = "a"});
  cluster({.binder = KaiBinder::kDirect});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_FALSE(effects.binds[0].order);
  EXPECT_EQ(effects.binds[0].annotations, (std::map<std::string, std::string>{{"received-resource-type", "Regular"}}));
}

TEST_F(KaiClusterTest, DirectlyNobodyGetsAShareOfAGpu) {
  world_.node("n1", 1);
  world_.job({.name = "a", .fraction = "0.5"});
  world_.job({.name = "b"});
  cluster({.binder = KaiBinder::kDirect});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].pod.name, "b-0");
  const auto told =
      std::find_if(effects.events.begin(), effects.events.end(), [](const Event& event) { return event.about.name == "a-0"; });
  ASSERT_NE(told, effects.events.end());
  EXPECT_EQ(told->reason, "Unschedulable");
  EXPECT_NE(told->note.find("a share of a GPU"), std::string::npos);
}

TEST_F(KaiClusterTest, ARefusalIsTold) {
  cluster();
  Effects effects;
  cluster_->on_refused({identity("a-0"), "n1", {}, "ns/a", Create{}}, "no", kNow, effects);
  ASSERT_EQ(effects.events.size(), 1u);
  EXPECT_EQ(effects.events[0].reason, "FailedBinding");
  EXPECT_EQ(effects.events[0].note, "Failed to bind pod ns/a-0 to node n1. no");
  ASSERT_EQ(effects.patches.size(), 1u);
  EXPECT_NE(effects.patches[0].body.find(R"("reason":"BindingError")"), std::string::npos);
  EXPECT_FALSE(effects.patches[0].can_wait);
}

TEST_F(KaiClusterTest, WhoBindsDirectlyTellsWhatTheBinderWould) {
  cluster({.binder = KaiBinder::kDirect});
  run();
  Effects effects;
  cluster_->on_bound({identity("a-0"), "n1"}, effects);
  EXPECT_EQ(reasons(effects), (std::vector<std::string>{"Pod Scheduled", "Pod Bound"}));
  EXPECT_EQ(effects.events[1].note, "Pod bound successfully to node n1");
  EXPECT_TRUE(effects.patches.empty()) << "one write for each pod";

  Effects refused;
  cluster_->on_refused({identity("a-0"), "n1"}, "no", kNow, refused);
  EXPECT_EQ(reasons(refused), (std::vector<std::string>{"Pod FailedBinding", "Pod BindingError"}));
  ASSERT_EQ(refused.patches.size(), 1u);
  EXPECT_NE(refused.patches[0].body.find(R"("type":"PodScheduled","status":"False","reason":"BindingError")"), std::string::npos);
}

// Pods that wait are told of every change of the reason; a change of numbers alone reaches their condition a minute later.
TEST_F(KaiClusterTest, NumbersOfNodesAreNoNewsForAMinute) {
  world_.node("n1", 1);
  world_.job({.name = "running", .nodes = {"n1"}});
  world_.job({.name = "a"});
  cluster();
  ASSERT_EQ(reasons(run()), (std::vector<std::string>{"Pod Unschedulable", "PodGroup Unschedulable"}));
  Node more;
  more.meta.name = "n2";
  more.allocatable = {{"cpu", Quantity::from_units(64)}, {"pods", Quantity::from_units(110)}};
  cluster_->apply(Object(more));
  EXPECT_TRUE(run().empty());
  const auto later = cluster_->run_cycle({kNow.seconds + 61, 0}).effects;
  EXPECT_TRUE(later.events.empty());
  ASSERT_EQ(later.patches.size(), 2u);
  EXPECT_NE(later.patches[0].body.find("2 node(s) didn't have enough resources: GPUs."), std::string::npos)
      << later.patches[0].body;
  more.meta.name = "n3";
  more.allocatable["nvidia.com/gpu"] = Quantity::from_units(1);
  more.unschedulable = true;
  cluster_->apply(Object(more));
  const auto other = cluster_->run_cycle({kNow.seconds + 62, 0}).effects;
  EXPECT_EQ(reasons(other), (std::vector<std::string>{"Pod Unschedulable", "PodGroup Unschedulable"}));
  EXPECT_EQ(other.events[0].note,
            "no nodes with enough resources were found: 1 node is unschedulable. \n2 node(s) didn't have enough resources: GPUs.");
}

TEST_F(KaiClusterTest, AQueueAtItsLimitIsToldToMachinesToo) {
  world_.node("n1", 4);
  for (auto& object : world_.objects())
    if (auto* queue = std::get_if<KaiQueue>(&object); queue != nullptr && queue->meta.name == "q") queue->gpu = {-1, 1, 1};
  world_.job({.name = "a", .gpus = 2});
  cluster();
  const auto effects = run();
  ASSERT_EQ(effects.patches.size(), 2u);
  EXPECT_NE(effects.patches[1].body.find(
                R"("reasons":[{"reason":"OverLimit","message":"q quota has reached the allowable limit of GPUs. )"
                R"(Limit is 1 GPUs, currently 0 GPUs allocated and workload requested 2 GPUs",)"
                R"("details":{"queueDetails":{"name":"q","queueRequestedResources":{"cpu":"1","memory":"0",)"
                R"("nvidia.com/gpu":"2"})"),
            std::string::npos)
      << effects.patches[1].body;
  EXPECT_NE(effects.patches[1].body.find(R"("queueResourceLimits":{"cpu":"-1m","memory":"-1","nvidia.com/gpu":"1"})"),
            std::string::npos)
      << effects.patches[1].body;
}

TEST_F(KaiClusterTest, FollowsWhatItLooksAt) {
  auto& followed = cluster();
  EXPECT_TRUE(followed.wants(kind_of("BindRequest")));
  EXPECT_TRUE(followed.wants(kind_of("Topology")));
  EXPECT_FALSE(followed.wants(kind_of("NodeResourceTopology")));
  EXPECT_FALSE(followed.wants(kind_of("HyperNode", kube::KindUse::kVolcano)));
  EXPECT_FALSE(followed.wants(kind_of("PodDisruptionBudget")));
}

TEST_F(KaiClusterTest, AConfigurationThatLooksAtZonesNeedsANewCluster) {
  auto& followed = cluster();
  const auto plain = followed.reconfigure("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n", "f");
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_FALSE(plain->needs_new_cluster);
  const auto numa = followed.reconfigure("actions: allocate\ntiers:\n- plugins:\n  - name: numa\n", "f");
  ASSERT_TRUE(numa);
  EXPECT_TRUE(numa->needs_new_cluster);
  EXPECT_FALSE(followed.reconfigure("actions: alocate\n", "f"));
}

TEST_F(KaiClusterTest, WhatIsOddAboutANewConfigurationIsSaid) {
  const auto odd = cluster().reconfigure("actions: preempt, allocate\ntiers:\n- plugins:\n  - name: predicates\n", "f");
  ASSERT_TRUE(odd) << odd.error().text();
  EXPECT_TRUE(std::any_of(odd->notes.begin(), odd->notes.end(),
                          [](const std::string& note) { return note.find("stands before") != std::string::npos; }));
}

TEST_F(KaiClusterTest, NobodyDecidesBeforeItIsKnownWhatQueuesUsedOrAsLongAsItIsAskedFor) {
  HttpServer prometheus([](const HttpServer::Request&) { return HttpServer::Response{200, "", true}; });
  usage_ = kai::default_usage_params();
  usage_->client = "prometheus";
  usage_->address = prometheus.url();
  usage_->wait_timeout = 600 * kai::kSecond;
  world_.node("n1", 1);
  world_.job({.name = "a"});
  auto& waiting = cluster();
  EXPECT_TRUE(run().empty());
  ASSERT_TRUE(waiting.reconfigure("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n", "f"));
  EXPECT_EQ(run().binds.size(), 1u) << "nobody is asked any more";
}

TEST_F(KaiClusterTest, NumbersFollowCyclesAndForgetGroups) {
  numbers_ = std::make_shared<KaiNumbers>();
  numbers_->show_in(registry_, "kai");
  world_.node("n1", 1);
  world_.job({.name = "low", .nodes = {"n1"}});
  world_.job({.name = "high", .priority = "high"});
  for (auto& object : world_.objects())
    if (auto* group = std::get_if<KaiPodGroup>(&object)) group->meta.uid = "g-" + group->meta.name;
  cluster();
  ASSERT_EQ(run().evictions.size(), 1u);
  EXPECT_NE(registry_.text().find("podgroup=\"low\",uid=\"g-low\"} 1"), std::string::npos) << registry_.text();
  cluster_->remove(kind_of("PodGroup"), {"ns", "low", "g-low", ""});
  EXPECT_EQ(registry_.text().find("g-low"), std::string::npos);
}

TEST(KaiSetup, TheLeaseIsCalledLikeTheSchedulerAndItsShard) {
  EXPECT_EQ(kai_lease_name("kai-scheduler", ""), "kai-scheduler");
  EXPECT_EQ(kai_lease_name("kai-scheduler", "blue"), "kai-scheduler-blue");
}

TEST(KaiSetup, GpuGroupsHaveTheFormOfUuids) {
  EXPECT_EQ(uuid_beginning([] { return 0.0; }), "00000000-0000-4000-8000-");
  EXPECT_EQ(uuid_beginning([] { return 0.999999999999; }), "ffffffff-ffff-4fff-bfff-");
}

}  // namespace
}  // namespace muster::daemon
