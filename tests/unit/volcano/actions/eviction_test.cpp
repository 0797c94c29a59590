// What the safe behaviour promises to whoever might be evicted, case by case: each test turns one switch and sees the difference.

#include <gtest/gtest.h>

#include "base/assert.h"
#include "policy/volcano/actions/allocate.h"
#include "policy/volcano/actions/gang_evict.h"
#include "policy/volcano/actions/preempt.h"
#include "policy/volcano/actions/reclaim.h"
#include "policy/volcano/plugins/gang.h"
#include "support/fresh_world.h"
#include "support/priority_class.h"

namespace muster::volcano {
namespace {

using Names = std::vector<std::string>;

// A cluster of a few nodes, with jobs of three priorities in one queue.
class EvictionTest : public testing::Test {
 protected:
  explicit EvictionTest(std::vector<PluginOption> more = {}) : world(config(std::move(more))) {
    for (const auto& [name, value] : {std::pair("high", 100), {"middle", 50}, {"low", 1}})
      world.add_object(Object(a_priority_class(name, value)));
    world.add(a_volcano_queue("default"));
  }
  static Config config(std::vector<PluginOption> more) {
    std::vector<PluginOption> plugins = {an_option("priority"), an_option("gang"), an_option("conformance"),
                                         an_option("predicates")};
    plugins.insert(plugins.end(), more.begin(), more.end());
    return a_config(plugins, {"preempt", "gangpreempt"});
  }
  void add_job(const std::string& name, const std::string& priority, int minimum) {
    world.add(a_pod_group(name).priority_class(priority).minimum(minimum).phase("Running"));
  }
  void runs(const std::string& job, const std::string& pod, const std::string& node, const char* cpu = "2") {
    world.add(a_volcano_pod(pod).group(job).cpu(cpu).on(node));
  }
  static VolcanoPodBuilder waiting(const std::string& job, const std::string& pod, const char* cpu = "2") {
    return a_volcano_pod(pod).group(job).cpu(cpu);
  }
  FreshWorld world;
};

// ------------------------------------------------------------------------------------------------------- promises

// preempt promises "mid" the room of "low-1"; gangpreempt would then push out the one pod of "mid" that runs.
TEST_F(EvictionTest, WhoWasPromisedRoomIsNoVictimInTheSameCycle) {
  world.add(a_volcano_node("n1").cpu("2").label("n", "1")).add(a_volcano_node("n2").cpu("4").label("n", "2"));
  add_job("mid", "middle", 2);
  runs("mid", "mid-0", "n1");
  world.add(waiting("mid", "mid-1").select("n", "2"));
  add_job("low", "low", 1);
  runs("low", "low-0", "n2"), runs("low", "low-1", "n2");
  add_job("top", "high", 1);
  world.add(waiting("top", "top-0").select("n", "1"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt, gang_preempt), Names{"low-1"});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kBrokenPromises), preempt, gang_preempt), (Names{"low-1", "mid-0"}));
}

// ------------------------------------------------------------------------------------------------------- minimums

TEST_F(EvictionTest, PreemptCountsTheMinimumOfRoles) {
  world.add(a_volcano_node("n1").cpu("2").label("n", "1")).add(a_volcano_node("n2").cpu("4").label("n", "2"));
  world.add(a_pod_group("low").priority_class("low").minimum(2).role_minimum("ps", 1).role_minimum("worker", 1).phase("Running"));
  world.add(a_volcano_pod("low-ps-0").group("low").role("ps").cpu("2").on("n1"));
  for (const auto* pod : {"low-worker-0", "low-worker-1"})
    world.add(a_volcano_pod(pod).group("low").role("worker").cpu("2").on("n2"));
  add_job("top", "high", 1);
  world.add(waiting("top", "top-0").select("n", "1"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kUncountedRoles), preempt), Names{"low-ps-0"});
}

class SubGroupEviction : public EvictionTest {
 protected:
  SubGroupEviction() {
    for (const auto* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("4").label("n", node));
    world.add(a_pod_group("low").priority_class("low").minimum(2).sub_groups("slices", "slice", 2, 1).phase("Running"));
    for (const auto& [slice, node] : {std::pair("0", "n1"), {"1", "n2"}})
      for (const auto* index : {"0", "1"})
        world.add(a_volcano_pod(std::string("low-") + slice + "-" + index).group("low").label("slice", slice).cpu("2").on(node));
    add_job("top", "high", 1);
  }
};

TEST_F(SubGroupEviction, PreemptCutsNoSubGroup) {
  world.add(waiting("top", "top-0"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kUncountedRoles), preempt).size(), 1u);
}

TEST_F(SubGroupEviction, GangPreemptTakesASubGroupAsAWhole) {
  world.add(waiting("top", "top-0"));
  const auto gone = world.evicted_by(Behaviour::safe(), gang_preempt);
  EXPECT_TRUE(gone == (Names{"low-0-0", "low-0-1"}) || gone == (Names{"low-1-0", "low-1-1"})) << testing::PrintToString(gone);
}

TEST_F(SubGroupEviction, GangPreemptTakesTheWholeGangIfOneSubGroupIsTooLittle) {
  world.add(a_pod_group("top").priority_class("high").minimum(3).phase("Running"));
  for (const auto* pod : {"top-0", "top-1", "top-2"}) world.add(waiting("top", pod));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), gang_preempt), (Names{"low-0-0", "low-0-1", "low-1-0", "low-1-1"}));
}

// -------------------------------------------------------------------------------------------------------- budgets

class BudgetEviction : public EvictionTest {
 protected:
  BudgetEviction() : EvictionTest({an_option("pdb")}) {
    for (const auto* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("2"));
    for (const auto* name : {"a", "b"}) {
      add_job(name, "low", 0);
      world.add(a_volcano_pod(std::string(name) + "-0").group(name).label("app", "x").cpu("2").on(*name == 'a' ? "n1" : "n2"));
    }
    for (const auto* name : {"top", "tip"}) {
      add_job(name, "high", 1);
      world.add(waiting(name, std::string(name) + "-0"));
    }
  }
};

TEST_F(BudgetEviction, ABudgetHoldsForTheWholeCycle) {
  world.add(a_budget("x").selects("app", "x").allows(1));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt).size(), 1u);
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kBudgetPerQuestion), preempt).size(), 2u);
}

TEST_F(BudgetEviction, WhatWasOnlyTriedOutIsNotCharged) {
  world.add(a_budget("x").selects("app", "x").allows(1));
  world.add(a_pod_group("top").priority_class("high").minimum(2).phase("Running")).add(waiting("top", "top-1"));  // needs both
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt).size(), 1u);  // for "tip", though "top" came first
}

TEST_F(BudgetEviction, AnEmptySelectorIsForEverybodyAndNoneForNobody) {
  world.add(a_budget("nobody").allows(0));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt).size(), 2u);
  world.add(a_budget("all").selects_all().allows(0));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kUnlabelledStay), preempt).size(), 2u);
}

TEST_F(BudgetEviction, PodsWithoutLabelsMayGo) {
  add_job("c", "low", 0);
  world.add(a_volcano_node("n3").cpu("2").label("n", "3")).add(a_volcano_pod("c-0").group("c").cpu("2").on("n3"));
  add_job("more", "high", 1);
  world.add(waiting("more", "more-0").select("n", "3"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt).size(), 3u);
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kUnlabelledStay), preempt).size(), 2u);
}

// -------------------------------------------------------------------------------------------------------- dry run

class DryRunEviction : public EvictionTest {
 protected:
  DryRunEviction() {
    auto arguments = an_option("", {{"enableTopologyAwarePreemption", value_of(true)}}).arguments;
    world.config.configurations.push_back({"preempt", std::move(arguments), {}});
    add_job("low", "low", 0), add_job("top", "high", 1), add_job("rock", "high", 1);
  }
  static Pod with_port(VolcanoPodBuilder builder) {
    auto pod = builder.object();
    pod.spec.containers.front().ports.push_back({8080, "", "TCP"});
    return pod;
  }
};

// A port is taken by a pod that stays: whoever goes, the pod cannot run there.
TEST_F(DryRunEviction, AsksAllPredicates) {
  world.add(a_volcano_node("n1").cpu("4"));
  runs("low", "low-0", "n1");
  world.add_object(Object(with_port(a_volcano_pod("rock-0").group("rock").cpu("2").on("n1"))));
  world.add_object(Object(with_port(waiting("top", "top-0"))));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kUncheckedDryRun), preempt), Names{"low-0"});
}

TEST_F(DryRunEviction, EvictsNobodyWhereThereIsRoomToCome) {
  world.add(a_volcano_node("n1").cpu("2")).add(a_volcano_node("n2").cpu("2"));
  runs("low", "low-0", "n1");
  world.add(a_volcano_pod("leaves").cpu("2").on("n2").terminating());
  world.add(waiting("top", "top-0"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  auto& then = world.after(Behaviour::safe(), preempt);
  EXPECT_EQ(then.session().books().pod(then.pod("top-0")).node, then.node("n2"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kOverlookedRoom), preempt), Names{"low-0"});
}

// ----------------------------------------------------------------------------------------------------- free room

// The first node is full, the second is empty.
class RoomElsewhere : public EvictionTest {
 protected:
  RoomElsewhere() {
    world.add(a_volcano_queue("other"));
    for (const auto* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("2"));
    world.add(a_pod_group("theirs").queue("other").minimum(0).phase("Running"));
    add_job("low", "low", 0), add_job("top", "high", 1);
    world.add(waiting("top", "top-0"));
  }
  std::string place_after(Behaviour behaviour, void (*action)(Session&)) {
    auto& then = world.after(behaviour, action);
    const auto& books = then.session().books();
    const auto node = books.pod(then.pod("top-0")).node;
    return node ? books.node(node).name : "";
  }
};

TEST_F(RoomElsewhere, PreemptEvictsNobody) {
  runs("low", "low-0", "n1");
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{});
  EXPECT_EQ(place_after(Behaviour::safe(), preempt), "n2");
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kOverlookedRoom), preempt), Names{"low-0"});
}

TEST_F(RoomElsewhere, ReclaimEvictsNobody) {
  runs("theirs", "theirs-0", "n1");
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), reclaim), Names{});
  EXPECT_EQ(place_after(Behaviour::safe(), reclaim), "n2");
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kOverlookedRoom), reclaim), Names{"theirs-0"});
}

// What is only promised is not bound in this cycle, nor in the next if the promise is repeated there.
TEST_F(RoomElsewhere, IsLeftToAnAllocateThatFollows) {
  using Action = void (*)(Session&);
  for (const auto& [name, action] : {std::pair<const char*, Action>("preempt", preempt), {"reclaim", reclaim}}) {
    world.config.actions = {name, "allocate"};
    EXPECT_EQ(place_after(Behaviour::safe(), action), "") << name;
    world.config.actions = {"allocate", name};
    EXPECT_EQ(place_after(Behaviour::safe(), action), "n1") << name;
  }
}

// The node that was cleared for a pod has got a neighbour whom it must not meet. That is seen although allocate has asked about
// another pod since.
TEST_F(EvictionTest, ANominatedNodeThatWillNotDoIsNotWaitedFor) {
  const auto apart = [](VolcanoPodBuilder builder) {
    auto pod = builder.object();
    PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.selector = LabelSelector{{{"app", SelectorOp::kIn, {"x"}}}};
    pod.spec.affinity.anti_required.push_back(term);
    return pod;
  };
  for (const auto* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("4").label("kubernetes.io/hostname", node));
  add_job("rock", "high", 1), add_job("low", "low", 0), add_job("top", "high", 1), add_job("wish", "high", 1);
  world.add(a_volcano_pod("rock-0").group("rock").label("app", "x").cpu("2").on("n1"));
  runs("low", "low-0", "n2", "4");
  auto top = apart(waiting("top", "top-0"));
  top.status.nominated_node = "n1";
  world.add_object(Object(top)).add_object(Object(apart(waiting("wish", "wish-0", "9"))));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), allocate, preempt), Names{"low-0"});
  // Without allocate nobody has prepared the filters for the pod, and none of those that need it is asked.
  const auto before = failed_expectations();
  EXPECT_EQ(world.evicted_by(Behaviour::exact(), preempt), Names{"low-0"});
  EXPECT_EQ(failed_expectations(), before);
}

// -------------------------------------------------------------------------------------------- what a gang needs in all

// The first pod of the gang takes the place of the small one; what the large one leaves for the second would do for both.
TEST_F(EvictionTest, WhoeverIsNeedlessForTheGangAsAWholeStays) {
  world.add(a_volcano_node("n1").cpu("5"));
  add_job("low", "low", 0), add_job("mid", "middle", 0), add_job("top", "high", 2);
  runs("low", "small", "n1", "1"), runs("mid", "large", "n1", "4");
  world.add(waiting("top", "top-0", "1")).add(waiting("top", "top-1", "3"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), Names{"large"});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kNeedlessVictims), preempt), (Names{"large", "small"}));
}

TEST_F(EvictionTest, WhoeverIsNeedlessForTheGangAsAWholeIsNotReclaimed) {
  world.add(a_volcano_node("n1").cpu("5")).add(a_volcano_queue("other"));
  for (const auto& [job, priority] : {std::pair("low", "low"), {"mid", "middle"}})
    world.add(a_pod_group(job).queue("other").priority_class(priority).minimum(0).phase("Running"));
  add_job("top", "high", 2);
  runs("low", "small", "n1", "1"), runs("mid", "large", "n1", "4");
  world.add(waiting("top", "top-0", "1")).add(waiting("top", "top-1", "3"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), reclaim), Names{"large"});
  EXPECT_EQ(world.evicted_by(Behaviour::safe().with(Quirk::kNeedlessVictims), reclaim), (Names{"large", "small"}));
}

class LimitedQueue : public EvictionTest {
 protected:
  LimitedQueue() : EvictionTest({an_option("capacity")}) {
    world.add(a_volcano_queue("default").at_most("cpu", "4"));
    world.add(a_volcano_node("n1").cpu("9"));
    add_job("low", "low", 0), add_job("top", "high", 2);
  }
};

// The node has room for all of them, but the queue may not hold more.
TEST_F(LimitedQueue, WhoeverHasToGoForTheQueuesLimitIsNotNeedless) {
  for (const auto* pod : {"low-0", "low-1"}) runs("low", pod, "n1");
  for (const auto* pod : {"top-0", "top-1"}) world.add(waiting("top", pod));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), preempt), (Names{"low-0", "low-1"}));
}

// ----------------------------------------------------------------------------------------------- within one's own job

// The gang lacks two pods and there is room to come for one of them.
TEST_F(EvictionTest, AGangThatCannotRunIsPromisedNothingWithinItself) {
  world.add(a_volcano_node("n1").cpu("2"));
  world.add(a_volcano_pod("leaves").cpu("2").on("n1").terminating());
  add_job("top", "high", 2);
  for (const auto* pod : {"top-0", "top-1"}) world.add(waiting("top", pod));
  const auto promised = [&](Behaviour behaviour) {
    auto& then = world.after(behaviour, preempt);
    return then.session().counts(then.job("top")).waiting();
  };
  EXPECT_EQ(promised(Behaviour::safe()), 0);
  EXPECT_EQ(promised(Behaviour::safe().with(Quirk::kHalfPromises)), 1);
}

// ---------------------------------------------------------------------------------------------------- plans for gangs

class RackEviction : public EvictionTest {
 protected:
  explicit RackEviction(std::vector<PluginOption> more = {}) : EvictionTest(with_racks(std::move(more))) {
    for (const auto* number : {"1", "2"}) {
      const auto rack = std::string("rack") + number;
      world.add(a_hyper_node(rack, 1).node(std::string("n") + number));
    }
    world.add(a_hyper_node("spine", 2).child("rack1").child("rack2"));
    add_job("low", "low", 0);
    world.add(a_pod_group("top").priority_class("high").minimum(1).within(1).phase("Running"));
  }
  static std::vector<PluginOption> with_racks(std::vector<PluginOption> more) {
    more.push_back(an_option("network-topology-aware"));
    return more;
  }
};

TEST_F(RackEviction, ARackWithRoomIsLookedForBeforeAnybodyGoes) {
  for (const auto* node : {"n1", "n2"}) world.add(a_volcano_node(node).cpu("2"));
  world.add(waiting("top", "top-0"));
  for (const auto* full : {"n1", "n2"}) {
    runs("low", "low-0", full);
    EXPECT_EQ(world.evicted_by(Behaviour::safe(), gang_preempt), Names{}) << full;
  }
}

// Virtual cards that a trial does not give back make a plan fail that worked when it was tried: the first rack has one card, the
// second has two.
TEST(GangPlans, AreCarriedOutAsAWhole) {
  FreshWorld world(a_config({an_option("priority"), an_option("gang"), an_option("network-topology-aware"),
                             an_option("deviceshare", {{"deviceshare.VGPUEnable", value_of(true)}}), an_option("predicates")},
                            {"gangpreempt"}));
  world.add_object(Object(a_priority_class("high", 100))).add(a_volcano_queue("default"));
  for (const auto& [node, cards] :
       {std::pair("n1", "A,1,1000,NVIDIA,true,x:"), {"n2", "B,1,1000,NVIDIA,true,x:C,1,1000,NVIDIA,true,x:"}}) {
    world.add(a_volcano_node(node)
                  .cpu("2")
                  .has("volcano.sh/vgpu-number", "9")
                  .has("volcano.sh/vgpu-memory", "9000")
                  .has("volcano.sh/vgpu-cores", "900")
                  .annotation("volcano.sh/node-vgpu-register", cards));
    world.add(a_hyper_node(std::string("rack-") + node, 1).node(node));
  }
  world.add(a_pod_group("low").minimum(0).phase("Running"));
  for (const auto* node : {"n1", "n2"}) world.add(a_volcano_pod(std::string("low-") + node).group("low").cpu("2").on(node));
  world.add(a_pod_group("top").priority_class("high").minimum(1).within(1).phase("Running"));
  world.add(a_volcano_pod("top-0").group("top").cpu("2").uses("volcano.sh/vgpu-memory", "600"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), gang_preempt).size(), 1u);
  const auto wasteful = Behaviour::safe().with(Quirk::kVgpuKeepsDiscarded);
  EXPECT_EQ(world.evicted_by(wasteful, gang_preempt), Names{"low-n2"});
  EXPECT_EQ(world.evicted_by(wasteful.with(Quirk::kFailedPlansEvict), gang_preempt), (Names{"low-n1", "low-n2"}));
}

// Ten jobs' single pods on nodes of their own, and a gang that needs three nodes of a kind: it takes those three and no more,
// however many it had to think of on the way.
TEST_F(EvictionTest, AGangTakesNoMoreThanItNeeds) {
  for (int i = 0; i < 10; ++i) {
    const auto number = std::to_string(i);
    world.add(a_volcano_node("n" + number).cpu("2").label("kind", i >= 5 && i < 8 ? "good" : "bad"));
    world.add(a_pod_group("low" + number).priority_class("low").minimum(1).phase("Running"));
    runs("low" + number, "low-" + number, "n" + number);
  }
  add_job("top", "high", 3);
  for (const auto* pod : {"top-0", "top-1", "top-2"}) world.add(waiting("top", pod).select("kind", "good"));
  EXPECT_EQ(world.evicted_by(Behaviour::safe(), gang_preempt), (Names{"low-5", "low-6", "low-7"}));
}

// Nor does finding that out cost an attempt for every one of them.
TEST_F(EvictionTest, NobodyGoesForAGangThatFindsNoPlaces) {
  constexpr int kNodes = 64;
  for (int i = 0; i < kNodes; ++i) {
    const auto number = std::to_string(i);
    world.add(a_volcano_node("n" + number).cpu("2"));
    world.add(a_pod_group("low" + number).priority_class("low").minimum(1).phase("Running"));
    runs("low" + number, "low-" + number, "n" + number);
  }
  add_job("top", "high", 2);
  for (const auto* pod : {"top-0", "top-1"}) world.add(waiting("top", pod, "3"));
  const auto steps = [&](Behaviour behaviour) {
    auto& then = world.after(behaviour, gang_preempt);
    EXPECT_EQ(then.evicted(), Names{});
    return then.session().work().undo_steps;
  };
  EXPECT_LT(steps(Behaviour::safe()), 4u * kNodes);
  EXPECT_GT(steps(Behaviour::exact()), 16u * kNodes);
}

// The gang that leaves for the first makes room for the second, too, and who comes third needs another one.
TEST_F(EvictionTest, WhoFitsIntoRoomThatIsBeingLeftIsPromisedIt) {
  for (const auto* number : {"1", "2", "3"}) {
    world.add(a_volcano_node(std::string("n") + number).cpu("4"));
    world.add(a_pod_group(std::string("low") + number).priority_class("low").minimum(2).phase("Running"));
    for (const auto* pod : {"-0", "-1"})
      runs(std::string("low") + number, std::string("low") + number + pod, std::string("n") + number);
  }
  for (const auto* top : {"top0", "top1", "top2"}) {
    add_job(top, "high", 1);
    world.add(waiting(top, std::string(top) + "-0"));
  }
  auto& then = world.after(Behaviour::safe(), gang_preempt);
  EXPECT_EQ(then.evicted().size(), 4u);
  for (const auto* pod : {"top0-0", "top1-0", "top2-0"})
    EXPECT_EQ(then.session().books().pod(then.pod(pod)).state, PodState::kPipelined) << pod;
}

// What makes a job a gang: that it cannot do with one pod, whichever that is.
TEST_F(EvictionTest, GangShieldsGangsAlone) {
  world.add(a_volcano_node("n1").cpu("16"));
  add_job("single", "low", 1), add_job("elastic", "low", 1), add_job("pair", "low", 2);
  world.add(a_pod_group("led").priority_class("low").minimum(1).role_minimum("leader", 1).phase("Running"));
  world.add(a_pod_group("named").priority_class("low").minimum(1).role_minimum("worker", 1).phase("Running"));
  for (const auto* pod : {"single-0", "elastic-0", "elastic-1", "pair-0", "pair-1"})
    runs(std::string(pod).substr(0, std::string(pod).find('-')), pod, "n1", "1");
  world.add(a_volcano_pod("led-0").group("led").role("leader").cpu("1").on("n1"));
  world.add(a_volcano_pod("led-1").group("led").role("worker").cpu("1").on("n1"));
  world.add(a_volcano_pod("named-0").group("named").role("worker").cpu("1").on("n1"));
  auto& then = world.after(Behaviour::safe());
  const auto* gang = then.session().plugin<Gang>("gang");
  Names shielded;
  for (const auto* pod : {"single-0", "elastic-0", "pair-0", "led-0", "named-0"})
    if (gang->shields(then.pod(pod))) shielded.emplace_back(pod);
  EXPECT_EQ(shielded, (Names{"pair-0", "led-0"}));
}

}  // namespace
}  // namespace muster::volcano
