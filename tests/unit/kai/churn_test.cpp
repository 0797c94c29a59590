// A scheduler lives for months: what it holds is bounded by what there is at one time, not by all that it ever saw.

#include <gtest/gtest.h>

#include "model/gone_object.h"
#include "support/kai_world.h"

namespace muster::kai {
namespace {

constexpr int kNodes = 50, kRounds = 200, kJobs = 100, kPodsOfAJob = 5;

std::vector<Object> only(const KaiWorld& world, const auto& wanted) {
  auto objects = const_cast<KaiWorld&>(world).objects();
  std::erase_if(objects, [&](const Object& object) { return !wanted(object); });
  return objects;
}

std::vector<Object> a_node(int number) {
  KaiWorld world;
  world.node("n" + std::to_string(number), 8);
  return only(world, [](const Object& object) { return std::holds_alternative<Node>(object); });
}

// Every job has labels of its own and asks for another amount.
std::vector<Object> jobs(int round) {
  KaiWorld world;
  for (int j = 0; j < kJobs; ++j)
    world.job({.name = "j" + std::to_string(round) + "x" + std::to_string(j), .pods = kPodsOfAJob, .minimum = 1, .nodes = {}});
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object)) {
      pod->meta.labels.set("job", std::string(pod->meta.annotations.get("pod-group-name")));
      pod->spec.containers.front().requests["cpu"] = Quantity::from_units(1 + round % 7);
      pod->spec.containers.front().requests["memory"] = Quantity::from_units(1'000'000 + round);
    }
  return only(world, [](const Object& object) {
    return std::holds_alternative<KaiPodGroup>(object) || std::holds_alternative<Pod>(object);
  });
}

TEST(KaiChurn, BooksDoNotGrowWithAllThatTheyEverSaw) {
  KaiWorld world;
  world.config.actions = {"allocate"};
  for (int i = 0; i < kNodes; ++i) world.node("n" + std::to_string(i), 8);
  world.run(Behaviour::safe());
  auto& cluster = world.cluster();
  auto& books = cluster.books();
  books.set_spare_ids(64);
  constexpr std::size_t kPods = std::size_t{kJobs} * kPodsOfAJob;
  for (int round = 0; round < kRounds; ++round) {
    const auto objects = jobs(round);
    for (const auto& object : objects) cluster.apply(object);
    ASSERT_NE(world.again(), "") << round;
    for (const auto& object : objects) cluster.remove(gone(object));
    for (const auto& node : a_node(round)) cluster.remove(gone(node));
    for (const auto& node : a_node(kNodes + round)) cluster.apply(node);
    ASSERT_LE(books.pod_count(), 2 * kPods) << round;
    ASSERT_LE(books.group_count(), std::size_t{2 * kJobs}) << round;
    ASSERT_LE(books.node_count(), std::size_t{3 * kNodes + 64 + 1}) << round;
    ASSERT_LE(books.shape_count(), 8u) << round;
    ASSERT_LE(books.label_set_count(), std::size_t{3 * kJobs}) << round;
    ASSERT_LE(books.symbols().size(), 8u) << round;
  }
  world.again();
  EXPECT_EQ(books.live_pods(), 0u);
  EXPECT_EQ(books.known_node_count(), std::size_t{kNodes});
  EXPECT_TRUE(cluster.all_jobs().empty());
  EXPECT_TRUE(books.check_sums());
}

// While another one decides, this one only follows.
TEST(KaiChurn, NorDoesASchedulerGrowThatWaitsForItsTurn) {
  KaiWorld world;
  for (int i = 0; i < kNodes; ++i) world.node("n" + std::to_string(i), 8);
  world.run(Behaviour::safe());
  auto& cluster = world.cluster();
  auto& books = cluster.books();
  books.set_spare_ids(64);
  for (int round = 0; round < 20; ++round) {
    auto objects = jobs(round);
    for (const auto& object : objects) cluster.apply(object);
    world.skip();
    for (auto& object : objects)
      if (auto* pod = std::get_if<Pod>(&object)) {
        pod->spec.node_name = "n" + std::to_string(round);
        cluster.apply(object);
      }
    world.skip();
    for (const auto& object : objects) cluster.remove(gone(object));
    ASSERT_LE(books.live_pods(), 0u) << round;
    ASSERT_LE(books.pod_count(), std::size_t{4 * kJobs * kPodsOfAJob}) << round;
    ASSERT_LE(books.group_count(), std::size_t{2 * kJobs}) << round;
    ASSERT_LE(books.label_set_count(), std::size_t{8 * kJobs}) << round;
  }
  world.skip();
  EXPECT_LE(books.log_end() - books.log_start(), 4000u);
  EXPECT_EQ(world.again(), "");
}

}  // namespace
}  // namespace muster::kai
