// Work is counted, not timed: the same on every machine. A node is judged and scored for a class of pods once, and again only when
// it has changed.

#include <gtest/gtest.h>

#include "policy/volcano/scheduler.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr std::uint64_t kNodes = 2000;
constexpr std::uint64_t kShapes = 10;
constexpr std::uint64_t kGangSize = 20;

// What a cycle did, in numbers.
struct CycleWork final : CycleObserver {
  void closed(Session& session) override {
    work = session.work();
    binds = session.outbox().size();
  }
  WorkCounters work;
  std::uint64_t binds = 0;
};

class WorkBounds : public testing::Test {
 protected:
  WorkBounds() {
    apply(a_volcano_queue("default"));
    for (std::uint64_t n = 0; n < kNodes; ++n) apply(a_volcano_node("n" + std::to_string(n)).cpu("16").memory("64Gi"));
  }

  template <class Builder>
  void apply(const Builder& builder) {
    scheduler.cluster().apply(Object(builder.object()));
  }
  // Gangs whose pods share one of kShapes shapes, each asking for `milli` thousandths of a core and a little more.
  void add_gangs(std::uint64_t pods, std::uint64_t milli) {
    for (std::uint64_t gang = 0; gang < pods / kGangSize; ++gang) {
      const auto name = "gang" + std::to_string(gang);
      apply(a_pod_group(name).minimum(kGangSize));
      const auto cpu = std::to_string(milli + gang % kShapes) + "m";
      for (std::uint64_t i = 0; i < kGangSize; ++i)
        apply(a_volcano_pod(name + "-w-" + std::to_string(i)).group(name).cpu(cpu).memory("1Gi"));
    }
  }
  CycleWork cycle() {
    scheduler.cluster().settle();
    CycleWork work;
    scheduler.run_cycle({1'767'225'600, 0}, work);
    return work;
  }

  Scheduler scheduler{std::make_unique<Cluster>(), default_config(), Behaviour::exact(), SearchKind::kIndex};
};

TEST_F(WorkBounds, FillingAsksAboutEachNodeOncePerShapeAndThenAboutChangedNodes) {
  add_gangs(4000, 1000);
  const auto first = cycle();
  ASSERT_EQ(first.binds, 4000u);
  const auto bound = kShapes * kNodes + 4 * first.binds * kShapes;
  EXPECT_LE(first.work.nodes_judged, bound);
  EXPECT_LE(first.work.scores_computed, bound);
  EXPECT_LE(first.work.searches, 4000u);
  EXPECT_EQ(first.work.nodes_scanned, 0u);
  EXPECT_EQ(first.work.undo_steps, 0u);
}

TEST_F(WorkBounds, ACycleWithoutChangesAsksNothing) {
  add_gangs(400, 1000);
  cycle();
  const auto second = cycle();
  EXPECT_EQ(second.binds, 0u);
  EXPECT_EQ(second.work.nodes_judged, 0u);
  EXPECT_EQ(second.work.scores_computed, 0u);
}

class NothingFits : public WorkBounds {
 protected:
  NothingFits() { add_gangs(400, 20000); }
};

TEST_F(NothingFits, EachClassAsksEachNodeOnce) {
  const auto first = cycle();
  EXPECT_EQ(first.binds, 0u);
  EXPECT_GT(first.work.nodes_judged, 0u);
  EXPECT_LE(first.work.nodes_judged, kShapes * kNodes);
  EXPECT_EQ(first.work.scores_computed, 0u);
  EXPECT_EQ(cycle().work.nodes_judged, 0u);
}

TEST_F(NothingFits, APodThatLandsOnANodeCostsOneQuestionPerClass) {
  cycle();
  apply(a_volcano_pod("stranger").cpu("1").on("n7"));
  EXPECT_LE(cycle().work.nodes_judged, kShapes);
}

TEST_F(NothingFits, ANodeThatShrinksCostsOneQuestionPerClass) {
  cycle();
  apply(a_volcano_node("n7").cpu("8").memory("64Gi"));
  EXPECT_LE(cycle().work.nodes_judged, kShapes);
}

// One queue holds every core, with one job on each node; another that deserves half of them asks for as many, job by job.
class Reclaiming : public testing::Test {
 protected:
  static constexpr std::uint64_t kMachines = 200;

  explicit Reclaiming(int minimum) : scheduler(std::make_unique<Cluster>(), config(), Behaviour::safe(), SearchKind::kIndex) {
    apply(a_volcano_queue("rich"));
    apply(a_volcano_queue("poor"));
    for (std::uint64_t n = 0; n < kMachines; ++n) {
      const auto number = std::to_string(n);
      apply(a_volcano_node("n" + number).cpu("2").memory("64Gi"));
      apply(a_pod_group("old" + number).queue("rich").minimum(minimum).phase("Running"));
      for (const auto* pod : {"-0", "-1"})
        apply(a_volcano_pod("old" + number + pod).group("old" + number).cpu("1").on("n" + number));
    }
    for (std::uint64_t n = 0; n < 2 * kMachines; ++n) {
      const auto name = "new" + std::to_string(n);
      apply(a_pod_group(name).queue("poor").minimum(1).phase("Inqueue"));
      apply(a_volcano_pod(name + "-0").group(name).cpu("1"));
    }
  }
  static Config config() {
    auto config = a_config({an_option("priority"), an_option("gang"), an_option("conformance")}, {"allocate", "reclaim"});
    config.tiers.emplace_back();
    config.tiers.back().plugins = {an_option("predicates"), an_option("proportion")};
    return config;
  }
  template <class Builder>
  void apply(const Builder& builder) {
    scheduler.cluster().apply(Object(builder.object()));
  }
  CycleWork cycle() {
    scheduler.cluster().settle();
    CycleWork work;
    scheduler.run_cycle({1'767'225'600, 0}, work);
    return work;
  }
  Scheduler scheduler;
};

// Complete gangs are not taken apart. The first job finds that out, and the others need not ask again.
struct ReclaimingFromGangs : Reclaiming {
  ReclaimingFromGangs() : Reclaiming(2) {}
};
TEST_F(ReclaimingFromGangs, AsksOnceForJobsThatAreAlike) {
  const auto first = cycle();
  EXPECT_EQ(first.binds, 0u);
  EXPECT_LE(first.work.searches, 2 * kMachines + 4);
  EXPECT_LE(first.work.nodes_judged, 2 * kMachines);
  EXPECT_EQ(first.work.undo_steps, 0u);
}

// A pod goes for each, until the queue has its half.
struct ReclaimingFromOthers : Reclaiming {
  ReclaimingFromOthers() : Reclaiming(0) {}
};
TEST_F(ReclaimingFromOthers, TriesEachVictimAFewTimes) {
  const auto first = cycle();
  EXPECT_EQ(first.binds, kMachines);  // evictions here
  EXPECT_LE(first.work.searches, 8 * kMachines);
  EXPECT_LE(first.work.undo_steps, 4 * kMachines);
}

}  // namespace
}  // namespace muster::volcano
