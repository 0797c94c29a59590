#include "policy/kai/status_text.h"

#include <gtest/gtest.h>

#include "policy/kai/original_text.h"
#include "policy/kai/session.h"
#include "support/kai_told_world.h"

namespace muster::kai {
namespace {

TEST(OriginalText, NumbersAreWrittenAsTheOriginalDoes) {
  EXPECT_EQ(cut_number(2), "2");
  EXPECT_EQ(cut_number(8.589934592), "8.589") << "cut, not rounded";
  EXPECT_EQ(cut_number(0.5), "0.5");
  EXPECT_EQ(short_number(8), "8");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(1000), "1e+03");
  EXPECT_EQ(full_number(0.59), "0.59");
  EXPECT_EQ(queue_number(-1, 1000), "Unlimited");
  EXPECT_EQ(queue_number(1500, 1000), "1.5");
  EXPECT_EQ(amounts_text({{2500, 8e9, 4.5}}), "GPU: 4, CPU: 2.5 (cores), memory: 8 (GB)");
  EXPECT_EQ(amounts_text({{-1, -1, -1}}), "GPU: 0, CPU: Unlimited (cores), memory: Unlimited (GB)");
  EXPECT_EQ(duration_text(90 * kSecond), "1m30s");
  EXPECT_EQ(duration_text(3600 * kSecond), "1h0m0s");
  EXPECT_EQ(duration_text(2'050'000'000), "2.05s");
  EXPECT_EQ(duration_text(300'000'000), "300ms");
}

TEST(OriginalText, AmountsAreListsOfResources) {
  const auto list = resource_list({{1500, 8e9, 0.5}});
  EXPECT_EQ(list.at("cpu").text(), "1500m");
  EXPECT_EQ(list.at("memory").text(), "8G");
  EXPECT_EQ(list.at("nvidia.com/gpu").text(), "500m");
  EXPECT_EQ(resource_list({{-1, -1, -1}}).at("nvidia.com/gpu").text(), "0") << "so it tells that there is no bound";
}

TEST(StatusText, SaysEachThingOnceAndHowOften) {
  Job job;
  EXPECT_EQ(unschedulable_text(job, Detail::kCounts), "Unable to schedule podgroup");
  job.fail(FitReason::kOverLimit, "ours", "too much");
  EXPECT_EQ(unschedulable_text(job, Detail::kCounts), "OverLimit: too much.");
  EXPECT_EQ(unschedulable_text(job, Detail::kAll), "\nOverLimit.\ntoo much.");
  job.fail(FitReason::kPodSchedulingErrors, "ours", "no node");
  job.fail(FitReason::kPodSchedulingErrors, "ours", "no node");
  EXPECT_EQ(unschedulable_text(job, Detail::kCounts), "Unable to schedule podgroup: 2 no node. \ntoo much.");
  EXPECT_EQ(unschedulable_text(job, Detail::kAll), "\nUnable to schedule podgroup.\nno node.\nno node.\ntoo much.");
}

TEST(StatusText, WhoBacksOffIsToldWhere) {
  Job job;
  job.backoff = 1;
  job.fail(FitReason::kOverLimit, "ours", "too much");
  EXPECT_EQ(unschedulable_text(job, Detail::kCounts), "Node-Pool 'default': OverLimit: too much.");
  job.node_pool = "blue";
  EXPECT_EQ(unschedulable_text(job, Detail::kCounts), "Node-Pool 'blue': OverLimit: too much.");
}

TEST(StatusText, ADelayIsCountedFromTheLastEviction) {
  Job job;
  job.created = {1'767'225'600, 0};
  job.preemption_delay = 90 * kSecond;
  EXPECT_EQ(delay_text(job),
            "Workload is within its preemption delay window (1m30s) and may not trigger evictions before 2026-01-01T00:01:30Z");
  job.stamps.last_eviction = Timestamp{1'767'225'660, 0};
  EXPECT_EQ(delay_text(job),
            "Workload is within its preemption delay window (1m30s) and may not trigger evictions before 2026-01-01T00:02:30Z");
}

TEST(StatusText, NamesTheSubgroupsThatAreNotReady) {
  KaiPodGroup group;
  for (const auto* name : {"ready", "workers"}) {
    auto& part = group.sub_groups.emplace_back();
    part.name = name;
    part.min_member = name == std::string("workers") ? 2 : 0;
  }
  Job job;
  job.groups = SubGroups(group);
  EXPECT_EQ(not_ready_text(job),
            "Job is not ready for scheduling. Waiting for 2 pods for SubGroup workers, currently 0 exist, 0 are gated.");
  EXPECT_EQ(stale_text(job),
            "Job is stale. 0 pods are active, minMember is 2, subGroup workers minMember is 2 and 0 pods are active");
}

TEST(FitErrors, NodesAreCountedByWhatTheyLackOrRefuse) {
  for (const auto search : kBothSearches) {
    ToldWorld world;
    world.node("full", 2);
    world.node("small", 1);
    world.node("tainted", 4);
    world.node("away", 4);
    world.node("cordoned", 4);
    world.node_named("tainted").taints.push_back({.key = "key", .value = "value", .effect = TaintEffect::kNoSchedule});
    world.node_named("cordoned").unschedulable = true;
    world.node_named("full").meta.labels.set("zone", "here");
    for (const auto* name : {"small", "tainted", "cordoned"}) world.node_named(name).meta.labels.set("zone", "here");
    world.job({.name = "running", .gpus = 2, .priority = "fixed", .nodes = {"full"}});
    world.job({.name = "waits", .gpus = 2});
    world.pod("waits-0").spec.node_selector.set("zone", "here");
    world.run(Behaviour::safe(), search);
    const std::string nodes =
        "no nodes with enough resources were found: 1 node is unschedulable. \n1 node(s) didn't match Pod's node "
        "affinity/selector. \n1 node(s) had untolerated taint(s). \n2 node(s) didn't have enough resources: GPUs.";
    EXPECT_EQ(world.pods["waits-0"], nodes);
    EXPECT_EQ(world.groups["waits"], "PodSchedulingErrors: Resources were not found for pod ns/waits-0 due to: " + nodes + ".");
  }
}

TEST(FitErrors, OfAGangThatFitsInPartOnlyTheOneThatDoesNotHasItsOwnText) {
  for (const auto search : kBothSearches) {
    ToldWorld world;
    world.node("n1", 1);
    world.job({.name = "gang", .pods = 3, .minimum = 3});
    world.run(Behaviour::safe(), search);
    const std::string why = "no nodes with enough resources were found: 1 node(s) didn't have enough resources: GPUs.";
    const auto group =
        "PodSchedulingErrors: Resources were found for 1 pods while 3 are required for gang scheduling. "
        "Additional pods cannot be scheduled due to: " +
        why + ".";
    EXPECT_EQ(world.groups["gang"], group);
    EXPECT_EQ(world.pods["gang-0"], group);
    EXPECT_EQ(world.pods["gang-1"], why);
    EXPECT_EQ(world.pods["gang-2"], group);
  }
}

TEST(FitErrors, ASubgroupIsNamed) {
  ToldWorld world;
  world.node("n1", 1);
  world.job({.name = "gang", .pods = 4, .sub_groups = {"a", "b"}});
  for (auto& object : world.objects())
    if (auto* group = std::get_if<KaiPodGroup>(&object))
      for (auto& part : group->sub_groups) part.min_member = 2;
  world.run(Behaviour::safe());
  EXPECT_EQ(
      world.groups["gang"],
      "PodSchedulingErrors: Resources were found for 1 pods from all sub-groups while sub-group a requires 2 pods for gang "
      "scheduling. Additional pods cannot be scheduled in this sub-group due to: no nodes with enough resources were found: 1 "
      "node(s) didn't have enough resources: GPUs..");
}

// What is remembered of nodes is repaired when they change, also within a cycle.
TEST(FitErrors, CountsFollowWhatTheCycleGivesAway) {
  for (const auto search : kBothSearches) {
    ToldWorld world;
    world.node("n1", 2);
    world.node("n2", 2);
    world.job({.name = "first", .gpus = 3, .created = 0});
    world.job({.name = "second", .gpus = 2, .created = 1});
    world.job({.name = "third", .gpus = 3, .created = 2});
    world.node("n3", 3);
    world.job({.name = "fourth", .pods = 2, .minimum = 2, .gpus = 2, .created = 3});
    world.run(Behaviour::safe(), search);
    EXPECT_EQ(world.pods["third-0"], "no nodes with enough resources were found: 3 node(s) didn't have enough resources: GPUs.");
    EXPECT_EQ(world.pods["fourth-1"], "no nodes with enough resources were found: 3 node(s) didn't have enough resources: GPUs.");
  }
}

TEST(FitErrors, WhatNoNodeCanEverTakeSaysHowMuchThereIs) {
  ToldWorld world;
  world.node("n1", 2);
  world.job({.name = "huge", .gpus = 16});
  world.run(Behaviour::safe());
  const std::string told =
      "Scheduling conditions were not met for pod ns/huge-0:\nMaxNodePoolResources: The pod ns/huge-0 requires GPU: "
      "16, CPU: 1 (cores), memory: 0 (GB), pods: 1. Max GPU resources available in a single node in the default "
      "node-pool is topped at 2.\n";
  EXPECT_EQ(world.pods["huge-0"], told);
  EXPECT_NE(world.groups["huge"].find("Resources were not found for pod ns/huge-0 due to: " + told), std::string::npos);
}

TEST(FitErrors, WhatARuntimeNeedsBesidesIsNamed) {
  for (const auto search : kBothSearches) {
    ToldWorld world;
    world.node("n1", 1);
    world.job({.name = "kata"});
    world.job({.name = "kata2"});
    for (const auto* name : {"kata-0", "kata2-0"})
      world.pod(name).spec.containers[0].requests["cpu"] = Quantity::from_units(name == std::string("kata-0") ? 64 : 65);
    world.pod("kata-0").spec.overhead = {{"cpu", Quantity::from_milli(100)}};
    world.node("n2", 1);
    world.node_named("n2").allocatable["cpu"] = Quantity::from_units(100);
    world.job({.name = "running", .priority = "fixed", .nodes = {"n2"}});
    world.run(Behaviour::safe(), search);
    EXPECT_EQ(
        world.pods["kata-0"],
        "no nodes with enough resources were found: 1 node(s) didn't have enough resources: CPU cores. Not enough resources due "
        "to pod overhead resources. The overhead resources are  cpu: 100m. \n1 node(s) didn't have enough resources: GPUs.");
    EXPECT_EQ(
        world.pods["kata2-0"],
        "no nodes with enough resources were found: 1 node(s) didn't have enough resources: CPU cores. \n1 node(s) didn't have "
        "enough resources: GPUs.");
  }
}

TEST(FitErrors, InDetailEveryNodeIsNamedWithAmounts) {
  ToldWorld world;
  world.options.detailed_fit_errors = true;
  world.node("n1", 2);
  world.node("n2", 4);
  world.node_named("n2").taints.push_back({.key = "key", .value = "value", .effect = TaintEffect::kNoSchedule});
  world.job({.name = "running", .nodes = {"n1"}});
  world.job({.name = "one", .gpus = 2});
  world.job({.name = "gang", .pods = 2, .minimum = 2, .gpus = 2});
  world.run(Behaviour::safe());
  EXPECT_EQ(world.pods["one-0"],
            "\n<n1>: Node didn't have enough resources: GPUs, requested: 2, used: 1, capacity: 2.\n<n2>: node(s) had untolerated "
            "taint(s).\nno nodes with enough resources were found.");
  EXPECT_EQ(
      world.pods["gang-0"],
      "\n<n1>: Node didn't have enough resources: GPUs, taking all considerations into account.\n<n2>: node(s) had untolerated "
      "taint(s).\nno nodes with enough resources were found.");
  EXPECT_EQ(
      world.groups["one"],
      "\nPodSchedulingErrors.\nResources were not found for pod ns/one-0 due to: no nodes with enough resources were found: 1 "
      "node(s) didn't have enough resources: GPUs. \n1 node(s) had untolerated taint(s)..");
}

// Beyond what an event takes the main sentence comes first, and it stays when there is no room for all nodes.
TEST(FitErrors, TheMainSentenceIsNotCutOff) {
  constexpr std::string_view kBase = "\nno nodes with enough resources were found.";
  const auto told_of = [](int nodes) {
    ToldWorld world;
    world.options.detailed_fit_errors = true;
    for (int i = 0; i < nodes; ++i) {
      const auto name = "node-" + std::to_string(1000 + i);
      world.node(name, 1);
      world.job({.name = "on-" + name, .priority = "fixed", .nodes = {name}});
    }
    world.job({.name = "waits"});
    world.run(Behaviour::safe());
    return world.pods["waits-0"];
  };
  EXPECT_TRUE(told_of(3).ends_with(kBase));
  const auto longer = told_of(30);
  EXPECT_TRUE(longer.starts_with(kBase));
  EXPECT_NE(longer.find("<node-1029>: "), std::string::npos);
  const auto cut = told_of(600);
  EXPECT_TRUE(cut.starts_with(kBase));
  EXPECT_LE(cut.size(), 32u * 1024);
  EXPECT_GT(cut.size(), 31u * 1024);
  EXPECT_TRUE(cut.ends_with("."));
}

TEST(FitErrors, AQueueBeyondItsQuotaSaysSo) {
  ToldWorld world;
  world.queue("small", "root", 1);
  world.node("n1", 8);
  world.job({.name = "fixed", .queue = "small", .gpus = 2, .priority = "fixed"});
  world.run(Behaviour::safe());
  EXPECT_EQ(world.groups["fixed"],
            "NonPreemptibleOverQuota: Non-preemptible workload is over quota. Workload requested 2 GPUs, but small quota is 1 "
            "GPUs, while 0 GPUs are already allocated for non-preemptible pods. Use a preemptible workload to go over quota..");
  EXPECT_EQ(world.pods["fixed-0"], world.groups["fixed"]);
}

TEST(FitErrors, AQueueAtItsLimitSaysSoToPeopleAndMachines) {
  ToldWorld world;
  world.node("n1", 8);
  for (auto& object : world.objects())
    if (auto* queue = std::get_if<KaiQueue>(&object); queue != nullptr && queue->meta.name == "q") {
      queue->gpu = {-1, 1, 1};
      queue->display_name = "Team Q";
    }
  world.job({.name = "large", .gpus = 2});
  world.run(Behaviour::safe());
  EXPECT_EQ(
      world.groups["large"],
      "OverLimit: Team Q quota has reached the allowable limit of GPUs. Limit is 1 GPUs, currently 0 GPUs allocated and workload "
      "requested 2 GPUs.");
  const auto& job = world.cluster().job(world.cluster().listed_jobs().front());
  ASSERT_TRUE(job.errors.at(0).queue);
  const auto details = details_of(world.cluster().queues(), *job.errors[0].queue);
  EXPECT_EQ(details.queue, "q");
  EXPECT_EQ(details.limits.at("nvidia.com/gpu").text(), "1");
  EXPECT_EQ(details.limits.at("cpu").text(), "-1m");
  EXPECT_EQ(details.group_requested.at("nvidia.com/gpu").text(), "2");
  EXPECT_EQ(details.group_requested_fixed.at("nvidia.com/gpu").text(), "0");
}

TEST(EvictionTexts, SayWhoCameAndWhatTheQueuesHad) {
  ToldWorld world;
  world.queue("mine", "root", 1);
  world.queue("yours", "root", 1);
  world.node("n1", 2);
  world.job({.name = "old", .queue = "yours", .pods = 2, .minimum = 1, .nodes = {"n1", "n1"}});
  world.job({.name = "new", .queue = "mine"});
  world.run(Behaviour::safe());
  ASSERT_EQ(world.evictions.size(), 1u);
  EXPECT_EQ(
      world.evictions[0],
      "Pod ns/old-1 was preempted by workload ns/new.\nyours uses <GPU: 2, CPU: 2 (cores), memory: 0 (GB)> with a quota of <GPU: "
      "1, CPU: Unlimited (cores), memory: Unlimited (GB)>, fair-share of <GPU: 1, CPU: 2 (cores), memory: 0 (GB)> and queue "
      "priority "
      "of <100>.\nmine uses <GPU: 0, CPU: 0 (cores), memory: 0 (GB)> with a quota of <GPU: 1, CPU: Unlimited (cores), memory: "
      "Unlimited (GB)>, fair-share of <GPU: 1, CPU: 1 (cores), memory: 0 (GB)> and queue priority of <100>.");
}

TEST(EvictionTexts, SayThatAPodMovesToMakeRoom) {
  ToldWorld world;
  for (const auto* node : {"n1", "n2"}) {
    world.node(node, 2);
    world.job({.name = std::string("on-") + node, .nodes = {node}});
  }
  world.job({.name = "large", .gpus = 2});
  world.run(Behaviour::safe());
  ASSERT_EQ(world.evictions.size(), 1u);
  EXPECT_EQ(world.evictions[0].substr(world.evictions[0].find(" was")),
            " was preempted and rescheduled due to bin packing (resource consolidation) procedure");
}

TEST(EvictionTexts, SayWhatAStaleGangLacks) {
  for (const auto* part : {"", "workers"}) {
    ToldWorld world;
    world.node("n1", 2);
    world.job({.name = "gang",
               .minimum = 2,
               .nodes = {"n1"},
               .sub_groups = part[0] == 0 ? std::vector<std::string>() : std::vector<std::string>{part}});
    for (auto& object : world.objects())
      if (auto* group = std::get_if<KaiPodGroup>(&object))
        for (auto& sub_group : group->sub_groups) sub_group.min_member = 2;
    world.run(Behaviour::safe());
    EXPECT_TRUE(world.evictions.empty());
    world.again_at(61);
    const auto where = part[0] == 0 ? std::string() : " in sub-group " + std::string(part);
    EXPECT_EQ(world.evictions, std::vector<std::string>{"Workload doesn't meet the minimum required number of pods (2)" + where +
                                                        ", evicting remaining pod: ns/gang-0"});
  }
}

// An action from outside may evict for nobody in particular.
TEST(EvictionTexts, NameAnActionThatIsNotBuiltIn) {
  struct Asked : ToldWorld {
    void closed(Session& session) override {
      const auto pod = session.cluster().find_pod("ns/old-0");
      const auto winner = session.books().pod(session.cluster().find_pod("ns/new-0")).group;
      for (const auto& group : {GroupId(), winner})
        texts.push_back(eviction_text(session, {Decision::Kind::kEvict, pod, NodeId(), "tidy", {group, PodId()}, nullptr}));
    }
    std::vector<std::string> texts;
  } world;
  world.node("n1", 1);
  world.job({.name = "old", .priority = "fixed", .nodes = {"n1"}});
  world.job({.name = "new"});
  world.run(Behaviour::safe());
  EXPECT_EQ(world.texts, (std::vector<std::string>{"Pod ns/old-0 was evicted by action tidy",
                                                   "Pod ns/old-0 was evicted by action tidy for ns/new"}));
}

TEST(EvictionTexts, SayWhoHasTheHigherPriority) {
  ToldWorld world;
  world.node("n1", 1);
  world.job({.name = "low", .nodes = {"n1"}});
  world.job({.name = "high", .priority = "high"});
  world.run(Behaviour::safe());
  EXPECT_EQ(world.evictions, std::vector<std::string>{"Pod ns/low-0 was preempted by higher priority workload ns/high"});
}

// A condition that says the same stays as it is, number and time.
TEST(Conditions, AreWrittenOncePerChange) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "large", .pods = 2, .minimum = 2});
  world.run(Behaviour::safe());
  const auto conditions = [&] { return world.cluster().job(world.cluster().listed_jobs().front()).conditions; };
  ASSERT_EQ(conditions().size(), 1u);
  EXPECT_EQ(conditions()[0].transition_id, "1");
  EXPECT_EQ(conditions()[0].last_transition, KaiWorld::kNow);
  ASSERT_EQ(conditions()[0].reasons.size(), 1u);
  EXPECT_EQ(conditions()[0].reasons[0].code, "PodSchedulingErrors");
  world.again();
  EXPECT_EQ(conditions()[0].transition_id, "1");
  world.cluster().remove(Gone<Node>{"", "n1"});
  world.again();
  ASSERT_EQ(conditions().size(), 1u);
  EXPECT_EQ(conditions()[0].transition_id, "2");
}

// How many nodes there are changes all the time, and is told a minute later.
TEST(Conditions, NumbersAloneAreNoChangeForAMinute) {
  KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "large", .gpus = 1});
  world.job({.name = "running", .nodes = {"n1"}});
  world.run(Behaviour::safe());
  const auto condition = [&] {
    for (const auto id : world.cluster().listed_jobs())
      if (const auto& job = world.cluster().job(id); job.name == "large") return job.conditions.at(0);
    std::abort();
  };
  EXPECT_NE(condition().message.find("1 node(s)"), std::string::npos);
  Node cordoned;
  cordoned.meta.name = "n2";
  cordoned.allocatable = {{"cpu", Quantity::from_units(64)}, {"pods", Quantity::from_units(110)}};
  world.cluster().apply(Object(cordoned));
  world.again();
  EXPECT_EQ(condition().transition_id, "1");
  world.again_at(61);
  EXPECT_EQ(condition().transition_id, "2");
  EXPECT_NE(condition().message.find("2 node(s)"), std::string::npos);
}

}  // namespace
}  // namespace muster::kai
