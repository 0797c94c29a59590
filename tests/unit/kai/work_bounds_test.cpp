// Work is counted, not timed: the same on every machine. A node is looked at for tasks that ask for the same once, and again only
// when it has changed; a cycle in which nothing is new looks at nothing.

#include <gtest/gtest.h>

#include "support/kai_builders.h"

namespace muster::kai {
namespace {

constexpr Timestamp kNow{1'767'225'600, 0};
constexpr std::uint64_t kGpusPerNode = 8;

struct CycleWork final : CycleObserver {
  void closed(Session& session) override {
    work = session.work();
    for (const auto& decision : session.outbox()) ++(decision.kind == Decision::Kind::kBind ? binds : evictions);
  }
  WorkCounters work;
  std::uint64_t binds = 0, evictions = 0;
};

class KaiWorkBounds : public testing::Test {
 protected:
  KaiWorkBounds() { add_open_queue(scheduler.cluster()); }

  void add_nodes(std::uint64_t nodes) {
    for (std::uint64_t n = 0; n < nodes; ++n) scheduler.cluster().apply(Object(a_kai_node(node_name(n)).build()));
  }
  static std::string node_name(std::uint64_t n) { return "n" + std::to_string(10'000 + n); }
  void add_waiting(std::uint64_t jobs, int pods, int gpus) {
    for (std::uint64_t j = 0; j < jobs; ++j) a_kai_job("w" + std::to_string(j), pods).gpus(gpus).apply_to(scheduler.cluster());
  }
  // Every node half full with jobs of one GPU.
  void half_fill(std::uint64_t nodes) {
    for (std::uint64_t j = 0; j < nodes * kGpusPerNode / 2; ++j)
      a_kai_job("r" + std::to_string(j), 1).running_on({node_name(j % nodes)}).apply_to(scheduler.cluster());
  }
  CycleWork cycle() {
    CycleWork work;
    scheduler.run_cycle(kNow, work);
    return work;
  }

  static std::unique_ptr<Cluster> a_cluster() {
    ClusterOptions options;
    options.max_consolidation_preemptees = -1;
    return std::make_unique<Cluster>(options);
  }

  Scheduler scheduler{a_cluster(), default_config(), SearchKind::kIndex};
};

TEST_F(KaiWorkBounds, SingleJobsLookAtEachNodeOnceAndThenAtChangedNodes) {
  constexpr std::uint64_t kNodes = 200, kJobs = kNodes * kGpusPerNode;
  add_nodes(kNodes);
  add_waiting(kJobs, 1, 1);
  const auto first = cycle();
  ASSERT_EQ(first.binds, kJobs);
  EXPECT_EQ(first.work.searches, kJobs);
  EXPECT_EQ(first.work.nodes_judged, kJobs);
  EXPECT_LE(first.work.scores_computed, kNodes + 2 * kJobs);
  EXPECT_EQ(first.work.undo_steps, 0u);
}

TEST_F(KaiWorkBounds, GangsThatCannotStartLookAtEachNodeOnce) {
  constexpr std::uint64_t kNodes = 200, kGangs = 100;
  add_nodes(kNodes);
  for (std::uint64_t n = 0; n < kNodes; ++n)
    a_kai_job("r" + std::to_string(n), 1).gpus(8).running_on({node_name(n)}).apply_to(scheduler.cluster());
  add_waiting(kGangs, 10, 1);
  for (int round = 0; round < 2; ++round) {
    const auto work = cycle();
    EXPECT_EQ(work.binds + work.evictions, 0u);
    EXPECT_LE(work.work.searches, kGangs);
    EXPECT_EQ(work.work.nodes_judged, 0u);
    EXPECT_LE(work.work.scores_computed, kNodes);
  }
}

TEST_F(KaiWorkBounds, ACycleWithNothingToPlaceLooksAtNoNode) {
  add_nodes(100);
  half_fill(100);
  cycle();
  const auto second = cycle();
  EXPECT_EQ(second.work.searches, 0u);
  EXPECT_EQ(second.work.nodes_judged, 0u);
  EXPECT_EQ(second.work.scores_computed, 0u);
}

TEST_F(KaiWorkBounds, ConsolidationTriesOutEachMoveAFewTimes) {
  constexpr std::uint64_t kNodes = 60, kGangs = 3, kGang = 5;
  add_nodes(kNodes);
  half_fill(kNodes);
  add_waiting(kGangs, kGang, 8);
  const auto work = cycle();
  EXPECT_GE(work.evictions, kGangs * kGang * kGpusPerNode / 2);
  EXPECT_LE(work.work.undo_steps, 20 * work.evictions);
}

}  // namespace
}  // namespace muster::kai
