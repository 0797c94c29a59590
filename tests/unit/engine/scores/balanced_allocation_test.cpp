#include "engine/scores/balanced_allocation.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/score_list.h"

namespace muster {
namespace {

using Scores = std::vector<std::int64_t>;

TEST(BalancedAllocationScorer, ComparesTheBalanceBeforeAndAfter) {
  TestCluster cluster;
  const auto even = cluster.add(a_node("even").cpu(10).memory(1000));
  const auto skewed = cluster.add(a_node("skewed").cpu(10).memory(1000));
  cluster.place(a_pod("there").memory(400), skewed);
  const auto balanced = cluster.add(a_pod("balanced").cpu(4).memory(400));
  const auto cpu_only = cluster.add(a_pod("cpu-only").cpu(4));
  BalancedAllocationScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(balanced), Dependence::kNode);
  // balanced: no change on either node: 50 + 50/2.
  EXPECT_EQ(scores_of(scorer, balanced, {even, skewed}), (Scores{75, 75}));
  // cpu-only on even: shares 0.4 and 0, deviation 0.2, evenness 80 after and 100 before: 50 + (50 - 20)/2 = 65.
  // On skewed: 0.4 and 0.4 after, 0 and 0.4 before: 50 + (50 + 20)/2 = 85.
  EXPECT_EQ(scores_of(scorer, cpu_only, {even, skewed}), (Scores{65, 85}));
}

TEST(BalancedAllocationScorer, MoreThanAllCountsAsAll) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(1).memory(1000));
  const auto pod = cluster.add(a_pod("p").cpu(5));
  BalancedAllocationScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, pod, {node}), (Scores{50}));  // 1 and 0: evenness 50 after, 100 before
}

TEST(BalancedAllocationScorer, AnExtendedResourceCountsForPodsThatAskForIt) {
  TestCluster cluster;
  const auto gpus = cluster.add(a_node("gpus").cpu(10).memory(1000).gpu(4));
  const auto none = cluster.add(a_node("none").cpu(10).memory(1000));
  cluster.place(a_pod("there").cpu(5).memory(500), gpus);
  BalancedAllocationScorer scorer(cluster.books);
  // gpus: before 0.5 0.5 0: mean 1/3, deviation 0.2357 -> 76; after 0.5 0.5 0.5 -> 100: 50 + (50 + 24)/2 = 87.
  // none: only cpu and memory count, nothing changes.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("gpu").gpu(2)), {gpus, none}), (Scores{87, 75}));
  // Without asking for it, cpu and memory only: 0.5 0.5 before, 0.7 0.5 after -> 90.
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("cpu").cpu(2)), {gpus}), (Scores{70}));
}

TEST(BalancedAllocationScorer, ASingleResourceIsAlwaysEven) {
  TestCluster cluster;
  const auto no_memory = cluster.add(a_node("no-memory").cpu(10));
  const auto nothing = cluster.add(a_node("nothing"));
  BalancedAllocationScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, cluster.add(a_pod("p").cpu(4)), {no_memory, nothing}), (Scores{75, 75}));
}

TEST(BalancedAllocationScorer, HasNothingToSayAboutPodsThatAskForNothing) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(10).memory(1000).gpu(1));
  const auto pod = cluster.add(a_pod("p").nonzero(100, 200));
  BalancedAllocationScorer scorer(cluster.books);
  EXPECT_EQ(scorer.dependence(pod), Dependence::kNothing);
  EXPECT_EQ(scores_of(scorer, pod, {node}), Scores{});
}

TEST(BalancedAllocationScorer, SeesEveryChangeOfANode) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").cpu(10).memory(1000));
  const auto pod = cluster.add(a_pod("p").cpu(4));
  const auto other = cluster.add(a_pod("other").memory(400));
  BalancedAllocationScorer scorer(cluster.books);
  EXPECT_EQ(scores_of(scorer, pod, {node}), (Scores{65}));
  cluster.books.arrive(other, node);
  EXPECT_EQ(scores_of(scorer, pod, {node}), (Scores{85}));
  cluster.books.depart(other);
  EXPECT_EQ(scores_of(scorer, pod, {node}), (Scores{65}));
  cluster.add(a_node("n").cpu(5).memory(1000));
  EXPECT_EQ(scores_of(scorer, pod, {node}), (Scores{55}));  // 0.8 and 0: 60 after, 100 before
  const auto late = cluster.add(a_node("late").cpu(10).memory(1000));
  EXPECT_EQ(scores_of(scorer, pod, {late, node}), (Scores{65, 55}));
  for (int i = 0; i < 1000; ++i) {
    cluster.books.arrive(other, late);
    cluster.books.depart(other);
  }
  cluster.books.arrive(other, node);
  cluster.books.trim_log();
  EXPECT_EQ(scores_of(scorer, pod, {late, node}), (Scores{65, 75})) << "also after the log was cut";  // 0.8 0.4 and 0 0.4: 80 both
}

TEST(BalancedAllocationScorer, TakesAnyNumberOfExtendedResources) {
  TestCluster cluster;
  Amounts allocatable, request;
  for (const auto* name : {"cpu", "memory", "x/a", "x/b"}) {
    allocatable.set(cluster.books.resource(name), 10);
    request.set(cluster.books.resource(name), name[0] == 'x' ? 5 : 0);
  }
  const auto node = cluster.books.intern_node("n");
  NodeRecord record;
  record.name = "n";
  cluster.books.set_node(node, record, allocatable);
  PodRecord pod;
  PodShape shape;
  shape.request = request;
  pod.ns = cluster.books.symbols().intern("default");
  pod.labels = cluster.books.intern_labels(pod.ns, {});
  pod.shape = cluster.books.intern_shape(shape);
  BalancedAllocationScorer scorer(cluster.books, {"x/a", "x/b"});
  EXPECT_EQ(scores_of(scorer, cluster.books.add_pod(pod), {node}), (Scores{62}));  // 0 0 0.5 0.5: deviation 0.25 -> 75
}

}  // namespace
}  // namespace muster
