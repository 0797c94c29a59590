// A scheduler lives for months: what it holds is bounded by what there is at one time, not by all that it ever saw.

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

constexpr int kNodes = 50, kRounds = 200, kJobs = 100, kPodsOfAJob = 5;

Object a_node(int number) {
  const auto name = "n" + std::to_string(number);
  return a_volcano_node(name).cpu("64").label("host", name).object();
}

// Everything about it is its own: labels, terms, template, and what it asks for.
Object a_pod(const std::string& job, int number, int milli_cpu) {
  auto pod = a_volcano_pod(job + "-w-" + std::to_string(number))
                 .group(job)
                 .role("w")
                 .cpu(std::to_string(milli_cpu) + "m")
                 .label("job", job)
                 .annotation("volcano.sh/template-uid", job + "-w")
                 .object();
  PodAffinityTerm term;
  term.topology_key = "host";
  term.selector = LabelSelector{{{"job", SelectorOp::kIn, {job}}}};
  pod.spec.affinity.anti_required.push_back(term);
  return pod;
}

TEST(Churn, BooksDoNotGrowWithAllThatTheyEverSaw) {
  VolcanoCycles cycles(a_config({an_option("priority"), an_option("gang"), an_option("predicates"), an_option("nodeorder")}),
                       Behaviour::safe());
  auto& cluster = cycles.cluster();
  auto& books = cluster.books();
  books.set_spare_ids(64);
  cycles.add(a_volcano_queue("default"));
  for (int i = 0; i < kNodes; ++i) cycles.add_object(a_node(i));
  constexpr std::size_t kPods = std::size_t{kJobs} * kPodsOfAJob;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Object> objects;
    for (int j = 0; j < kJobs; ++j) {
      const auto job = "j" + std::to_string(round) + "x" + std::to_string(j);
      objects.emplace_back(a_pod_group(job).minimum(kPodsOfAJob).object());
      for (int p = 0; p < kPodsOfAJob; ++p) objects.push_back(a_pod(job, p, 100 + round * kJobs + j));
    }
    for (const auto& object : objects) cluster.apply(object);
    const auto binds = cycles.run().binds.size();
    ASSERT_GE(binds, 1u) << round;
    if (round % 2 == 0) cycles.bound_pods_run();
    for (const auto& object : objects) cluster.remove(gone(object));
    cluster.remove(gone(a_node(round)));
    cycles.add_object(a_node(kNodes + round));
    ASSERT_LE(books.pod_count(), 2 * kPods) << round;
    ASSERT_LE(books.group_count(), std::size_t{2 * kJobs}) << round;
    ASSERT_LE(books.node_count(), std::size_t{3 * kNodes + 64 + 1}) << round;
    ASSERT_LE(books.shape_count(), std::size_t{3 * kJobs}) << round;
    ASSERT_LE(books.label_set_count(), std::size_t{3 * kJobs}) << round;
    ASSERT_LE(books.symbols().size(), 8u) << round;
  }
  cycles.run();
  EXPECT_EQ(books.live_pods(), 0u);
  EXPECT_EQ(books.known_node_count(), std::size_t{kNodes});
  EXPECT_TRUE(books.check_sums());
}

// While another one decides, this one only follows.
TEST(Churn, NorDoesASchedulerGrowThatWaitsForItsTurn) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("predicates")}));
  auto& cluster = cycles.cluster();
  auto& books = cluster.books();
  books.set_spare_ids(64);
  cycles.add(a_volcano_queue("default")).add_object(a_node(0));
  cluster.settle();
  cycles.skip();
  for (int round = 0; round < 2000; ++round) {
    const auto job = "j" + std::to_string(round);
    auto pod = std::get<Pod>(a_pod(job, 0, 100 + round));
    const Object group = a_pod_group(job).object();
    cluster.apply(group);
    cluster.apply(pod);
    pod.spec.node_name = "n0";
    cluster.apply(pod);
    cycles.skip();
    cluster.remove(gone(Object(pod)));
    cluster.remove(gone(group));
    ASSERT_LE(books.pod_count(), 8u) << round;
    ASSERT_LE(books.group_count(), 4u) << round;
    ASSERT_LE(books.label_set_count(), 80u) << round;
    ASSERT_LE(books.log_end() - books.log_start(), 1000u) << round;
  }
  cycles.skip();
  EXPECT_LE(cluster.take_changed_jobs().size(), 64u);
  cycles.add(a_pod_group("job")).add(a_volcano_pod("job-w-0").group("job").cpu("1"));
  EXPECT_EQ(cycles.run().binds, (Names{{"job-w-0", "n0"}}));
}

}  // namespace
}  // namespace muster::volcano
