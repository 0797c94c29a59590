#include "policy/volcano/plugins/task_topology.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kNear = "volcano.sh/task-topology-affinity";
constexpr const char* kAway = "volcano.sh/task-topology-anti-affinity";
constexpr const char* kOrder = "volcano.sh/task-topology-task-order";

// Three nodes of 8 cores, and a job whose tasks ask for 2 cores each.
class TaskTopologyTest : public testing::Test {
 protected:
  TaskTopologyTest() {
    world.add(a_volcano_queue("default"));
    for (const char* node : {"n1", "n2", "n3"}) world.add(a_volcano_node(node).cpu("8").memory("8Gi"));
  }
  void add_task(const std::string& name, const std::string& role, const std::string& group = "job") {
    world.add(a_volcano_pod(name).group(group).role(role).cpu("2"));
  }
  TaskTopology& open(PluginOption option = an_option("task-topology")) {
    plugin.emplace(world.open(), option);
    plugin->open();
    return *plugin;
  }
  int compare(const std::string& left, const std::string& right) {
    const int order = plugin->compare_tasks(world.pod(left), world.pod(right));
    EXPECT_EQ(plugin->compare_tasks(world.pod(right), world.pod(left)), -order);
    return order;
  }
  Dependence dependence(const std::string& pod) { return plugin->order_dependence(world.pod(pod)); }
  using Scores = std::vector<double>;

  VolcanoWorld world;
  std::optional<TaskTopology> plugin;
};

TEST_F(TaskTopologyTest, AJobWithoutAnnotationsHasNoTopology) {
  world.add(a_pod_group("job"));
  add_task("job-ps-0", "ps");
  add_task("job-ps-1", "ps");
  open();
  EXPECT_EQ(dependence("job-ps-0"), Dependence::kNothing);
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{0, 0, 0}));
  EXPECT_EQ(compare("job-ps-0", "job-ps-1"), 0);
}

TEST_F(TaskTopologyTest, AnUnknownOrRepeatedRoleVoidsTheWholeTopology) {
  const std::vector<std::pair<const char*, const char*>> bad = {
      {kNear, "ps,nobody"}, {kNear, "ps;worker,worker"}, {kAway, "nobody"}, {kOrder, "ps,worker,ps"}, {kNear, " ps"}};
  for (const auto& [key, text] : bad) {
    world.add(a_pod_group("job").annotation(kNear, "ps,worker").annotation(key, text));
    add_task("job-ps-0", "ps");
    add_task("job-worker-0", "worker");
    open();
    EXPECT_EQ(dependence("job-ps-0"), Dependence::kNothing) << key << text;
  }
}

TEST_F(TaskTopologyTest, AJobWithNothingToPlaceHasNoBuckets) {
  world.add(a_pod_group("job").annotation(kNear, "ps"));
  world.add(a_volcano_pod("job-ps-0").group("job").role("ps").cpu("2").on("n1"));
  open();
  EXPECT_EQ(dependence("job-ps-0"), Dependence::kNothing);
}

TEST_F(TaskTopologyTest, NodesScoreByHowMuchOfTheBucketTheyCanTake) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker"));
  for (const char* name : {"job-worker-0", "job-worker-1"}) add_task(name, "worker");
  add_task("job-ps-0", "ps");
  world.add(a_volcano_pod("a").cpu("3").on("n2"));
  world.add(a_volcano_pod("b").cpu("7").on("n3"));
  open();
  EXPECT_EQ(dependence("job-ps-0"), Dependence::kOthers);
  // All three fit on the first node, two on the second, none on the third.
  for (const char* pod : {"job-ps-0", "job-worker-1"})
    EXPECT_EQ(world.scores(*plugin, pod), (Scores{100, 2 * 100.0 / 3, 0})) << pod;
  open(an_option("task-topology", {{"task-topology.weight", value_of(10)}}));
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{1000, 20 * 100.0 / 3, 0}));
}

TEST_F(TaskTopologyTest, WhatIsBeingFreedCountsAsRoomWhoeverWaitsForIt) {
  world.add(a_pod_group("job").annotation(kNear, "ps"));
  add_task("job-ps-0", "ps");
  world.add(a_volcano_pod("leaving").cpu("8").on("n1").terminating());
  world.add(a_volcano_pod("staying").cpu("8").on("n2"));
  world.add(a_volcano_pod("waiting").group("job").cpu("8"));
  open();
  world.allocate(*plugin, "waiting", "n1", PodState::kPipelined);
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{100, 0, 100}));
}

TEST_F(TaskTopologyTest, BoundTasksDrawTheirBucketToTheirNode) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker"));
  world.add(a_volcano_pod("job-ps-0").group("job").role("ps").cpu("2").on("n2"));
  for (const char* name : {"job-worker-0", "job-worker-1"}) add_task(name, "worker");
  open();
  EXPECT_EQ(world.scores(*plugin, "job-worker-0"), (Scores{2 * 100.0 / 3, 100, 2 * 100.0 / 3}));
}

TEST_F(TaskTopologyTest, APlacementMovesTheScoresAtOnce) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker").annotation(kAway, "worker").annotation(kOrder, "ps"));
  for (const char* name : {"job-worker-0", "job-worker-1"}) add_task(name, "worker");
  add_task("job-ps-0", "ps");
  open();
  world.allocate(*plugin, "job-ps-0", "n2");
  EXPECT_EQ(world.scores(*plugin, "job-worker-0"), (Scores{2 * 100.0 / 3, 100, 2 * 100.0 / 3}));
  world.allocate(*plugin, "job-worker-0", "n2");
  // One task is left; two of its bucket are on the second node, of which one is a worker that it wants away.
  EXPECT_EQ(world.scores(*plugin, "job-worker-1"), (Scores{100.0 / 3, 2 * 100.0 / 3, 100.0 / 3}));
}

TEST_F(TaskTopologyTest, TasksThatWantAwayFromEachOtherGetBucketsOfTheirOwn) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker").annotation(kAway, "ps"));
  for (const char* name : {"job-ps-0", "job-ps-1"}) add_task(name, "ps");
  for (const char* name : {"job-worker-0", "job-worker-1", "job-worker-2"}) add_task(name, "worker");
  open();
  // Workers go to the smaller of two equally attractive buckets: {ps-0, worker-0, worker-2} and {ps-1, worker-1}.
  EXPECT_LT(compare("job-worker-2", "job-ps-1"), 0);  // the bigger bucket first
  EXPECT_LT(compare("job-ps-0", "job-worker-0"), 0);  // within a bucket the stronger rule first
  EXPECT_EQ(compare("job-worker-0", "job-worker-2"), 0);
  EXPECT_LT(compare("job-ps-1", "job-worker-1"), 0);
  world.allocate(*plugin, "job-worker-0", "n1");
  EXPECT_LT(compare("job-ps-0", "job-worker-1"), 0);  // as many waiting: the older bucket first
  world.allocate(*plugin, "job-worker-2", "n1");
  EXPECT_GT(compare("job-ps-0", "job-worker-1"), 0);
}

TEST_F(TaskTopologyTest, TheUsersOrderComesBeforeTheRules) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker").annotation(kAway, "ps").annotation(kOrder, "worker,ps"));
  add_task("job-ps-0", "ps");
  add_task("job-worker-0", "worker");
  open();
  EXPECT_LT(compare("job-worker-0", "job-ps-0"), 0);
}

TEST_F(TaskTopologyTest, TasksWithoutARuleComeAfterThoseWithOne) {
  world.add(a_pod_group("job").annotation(kNear, "ps,").annotation(kOrder, "chief"));
  add_task("job-ps-0", "ps");
  add_task("job-chief-0", "chief");
  world.add(a_volcano_pod("job-label-0").group("job").label("volcano.sh/task-spec", "ps").cpu("2"));
  world.add(a_volcano_pod("job-none-0").group("job").cpu("2"));
  world.add(a_pod_group("other"));
  add_task("other-ps-0", "ps", "other");
  open();
  for (const char* pod : {"job-chief-0", "job-label-0", "job-none-0"}) {
    EXPECT_LT(compare("job-ps-0", pod), 0) << pod;
    EXPECT_EQ(dependence(pod), Dependence::kNothing) << pod;
    EXPECT_EQ(world.scores(*plugin, pod), (Scores{0, 0, 0})) << pod;
  }
  EXPECT_EQ(compare("job-chief-0", "job-none-0"), 0);
  EXPECT_EQ(compare("job-ps-0", "other-ps-0"), 0);
}

TEST_F(TaskTopologyTest, PlacementsTakenBackLeaveTheirMark) {
  world.add(a_pod_group("job").annotation(kNear, "ps,worker"));
  add_task("job-ps-0", "ps");
  add_task("job-worker-0", "worker");
  open();
  for (int times = 1; times <= 3; ++times) {
    world.allocate(*plugin, "job-ps-0", "n1");
    world.take_back(*plugin, "job-ps-0");
    // One task is left waiting for good, and the first node counts every attempt.
    EXPECT_EQ(world.scores(*plugin, "job-worker-0"), (Scores{(times + 1) * 100.0 / 2, 50, 50})) << times;
  }
}

TEST_F(TaskTopologyTest, AResourceAskedForAtZeroHasToBeNamedByTheNode) {
  world.add(a_pod_group("job").annotation(kNear, "ps"));
  world.add(a_volcano_node("gpus").cpu("8").memory("8Gi").gpu("0"));
  for (const char* name : {"job-ps-0", "job-ps-1"}) world.add(a_volcano_pod(name).group("job").role("ps").cpu("1").gpu("0"));
  open();
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{0, 0, 0, 100}));
  world.allocate(*plugin, "job-ps-1", "n2");
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{0, 100, 0, 50}));
}

// The search for how many tasks have to be left out, against leaving out one after the other.
TEST_F(TaskTopologyTest, LeavesOutAsManyTasksAsItTakes) {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    return ((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % below;
  };
  struct Size {
    std::int64_t cpu, memory;
  };
  std::vector<Size> tasks;
  std::vector<Size> nodes(3, Size{8000, 8LL << 30});
  world.add(a_pod_group("job").annotation(kNear, "ps"));
  for (int i = 10; i < 30; ++i) {
    tasks.push_back({static_cast<std::int64_t>(random(2000)), static_cast<std::int64_t>(random(2048)) << 20});
    world.add(a_volcano_pod("job-ps-" + std::to_string(i))
                  .group("job")
                  .role("ps")
                  .cpu(std::to_string(tasks.back().cpu) + "m")
                  .memory(std::to_string(tasks.back().memory)));
  }
  for (int i = 0; i < 40; ++i) {
    nodes.push_back({static_cast<std::int64_t>(random(25000)), static_cast<std::int64_t>(random(25000)) << 20});
    world.add(a_volcano_node("more" + std::to_string(i))
                  .cpu(std::to_string(nodes.back().cpu) + "m")
                  .memory(std::to_string(nodes.back().memory)));
  }
  open();

  constexpr std::size_t kAsked = 7;
  const auto expected = [&](const Size& node) {
    const auto fits = [&](const Size& size) { return size.cpu <= node.cpu && size.memory <= node.memory; };
    if (!fits(tasks[kAsked])) return 0.0;
    Size rest{};
    for (const auto& task : tasks) rest.cpu += task.cpu, rest.memory += task.memory;
    double taken = static_cast<double>(tasks.size());
    for (std::size_t i = 0; i < tasks.size() && !fits(rest); ++i) {
      if (i == kAsked) continue;
      rest.cpu -= tasks[i].cpu, rest.memory -= tasks[i].memory;
      --taken;
    }
    return taken * 100 / static_cast<double>(tasks.size());
  };
  const auto scores = world.scores(*plugin, "job-ps-" + std::to_string(10 + kAsked));
  ASSERT_EQ(scores.size(), nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) EXPECT_EQ(scores[n], expected(nodes[n])) << n;
}

TEST_F(TaskTopologyTest, AnOverdrawnNodeScoresNothing) {
  world.add(a_pod_group("job").annotation(kNear, "ps"));
  add_task("job-ps-0", "ps");
  world.add(a_volcano_pod("too-much").memory("9Gi").on("n1"));
  open();
  EXPECT_EQ(world.scores(*plugin, "job-ps-0"), (Scores{0, 100, 100}));
}

}  // namespace
}  // namespace muster::volcano
