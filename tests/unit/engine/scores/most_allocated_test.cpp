#include "engine/scores/most_allocated.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

TEST(MostAllocatedScorer, IsTheMeanShareTakenOfCpuAndMemory) {
  TestCluster cluster;
  const auto empty = cluster.add(a_node("empty").cpu(4).memory_gib(8));
  const auto busy = cluster.add(a_node("busy").cpu(4).memory_gib(8));
  const auto over = cluster.add(a_node("over").milli_cpu(500).memory_gib(8));
  const auto no_cpu = cluster.add(a_node("no-cpu").memory_gib(8));
  cluster.place(a_pod("there").cpu(1).memory_gib(1), busy);
  const auto pod = cluster.add(a_pod("p").cpu(1).memory_gib(3));
  MostAllocatedScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(pod), Dependence::kNode);
  // empty: 25 and 37 -> 31; busy: 50 and 50; over: more than all counts as all, 100 and 37 -> 68; no-cpu: memory alone.
  EXPECT_EQ(scores_of(scorer, pod, {empty, busy, over, no_cpu}), (std::vector<std::int64_t>{31, 50, 68, 37}));
}

}  // namespace
}  // namespace muster
