#include "engine/scores/least_allocated.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

TEST(LeastAllocatedScorer, IsTheMeanShareLeftOfCpuAndMemory) {
  TestCluster cluster;
  const auto empty = cluster.add(a_node("empty").cpu(4).memory_gib(8));
  const auto busy = cluster.add(a_node("busy").cpu(4).memory_gib(8));
  const auto over = cluster.add(a_node("over").cpu(1).memory_gib(8));
  const auto no_memory = cluster.add(a_node("no-memory").cpu(4));
  const auto nothing = cluster.add(a_node("nothing"));
  cluster.place(a_pod("there").cpu(1).memory_gib(1), busy);
  const auto pod = cluster.add(a_pod("p").cpu(1).memory_gib(3));
  LeastAllocatedScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(pod), Dependence::kNode);
  // empty: cpu (4-1)/4 = 75, memory (8-3)/8 = 62 -> 68; busy: 50 and 50; over: cpu exactly full 0, memory 62 -> 31;
  // no-memory: cpu alone, 75.
  EXPECT_EQ(scores_of(scorer, pod, {empty, busy, over, no_memory, nothing}), (std::vector<std::int64_t>{68, 50, 31, 75, 0}));
}

TEST(LeastAllocatedScorer, AFullNodeHasNothingLeft) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(1).memory_gib(10));
  const auto pod = cluster.add(a_pod("p").cpu(2).memory_gib(1));
  LeastAllocatedScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, pod, {node}), (std::vector<std::int64_t>{45}));  // 0 and 90
}

// Containers that ask for nothing count with a default, on both sides.
TEST(LeastAllocatedScorer, CountsDefaultsForPodsThatAskForNothing) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(1).memory(1000 * kTestMiB));
  const auto silent = [] { return a_pod("p").nonzero(100, 200 * kTestMiB); };
  cluster.place(silent(), node);
  LeastAllocatedScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, cluster.add(silent()), {node}), (std::vector<std::int64_t>{70}));  // cpu 80, memory 60
}

TEST(LeastAllocatedScorer, AddsByWeight) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(2).memory_gib(2));
  const auto pod = cluster.add(a_pod("p").cpu(1).memory_gib(1));
  LeastAllocatedScorer scorer(cluster.books);
  std::vector<double> totals = {1.5};
  EXPECT_TRUE(scorer.add_scores(pod, std::vector{node}, 3, totals));
  EXPECT_EQ(totals.front(), 151.5);
}

}  // namespace
}  // namespace muster
