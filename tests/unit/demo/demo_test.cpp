// The demo without a scheduler: the test binds and evicts, on a clock of its own.

#include "demo/demo.h"

#include <gtest/gtest.h>

#include "demo/job_objects.h"
#include "demo/world.h"

namespace muster::demo {
namespace {

constexpr const char* kScenario =
    "nodes: 4\nnodesPerRack: 2\nracksPerZone: 1\n"
    "pools: [{name: big, cpu: 16, memoryGi: 64, gpus: 4}]\n"
    "queues: [{name: all, share: 1}, {name: team, parent: all, share: 0.5}]\n"
    "jobs: [{name: train, queue: team, pods: 3, cpu: 2, memoryGi: 4, gpus: 2, run: 10, rack: required, pool: big}]\n";

class DemoTest : public testing::TestWithParam<Dialect> {
 protected:
  DemoTest()
      : scenario_(*read_scenario(kScenario, "f")), cluster_(settings()), demo_(cluster_, scenario_, {.dialect = GetParam()}) {
    const auto opened = cluster_.open();
    EXPECT_TRUE(opened.has_value());
    const auto built = demo_.build();
    EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().text());
  }

  sim::ClusterSettings settings() {
    sim::ClusterSettings out;
    out.controllers = true;  // as in the demo, which must get along with them
    out.outside.now = [this] { return Timestamp{now_, 0}; };
    out.outside.random = [count = std::uint64_t{0}]() mutable { return ++count * 0x9E3779B97F4A7C15ULL; };
    return out;
  }
  JobCounts advance(std::int64_t seconds) {
    now_ += seconds;
    cluster_.tick();
    return demo_.advance((now_ - kBegin) * 1000);
  }
  std::size_t count(std::string_view group, std::string_view plural) {
    std::size_t out = 0;
    cluster_.with([&](sim::Registry& registry) { out = registry.store().objects(sim::kind_named(group, plural)).size(); });
    return out;
  }
  void bind_all() {
    cluster_.with([&](sim::Registry& registry) {
      for (const auto& [key, pod] : sim::Store::Objects(registry.store().objects(sim::kind_named("", "pods"))))
        EXPECT_TRUE(
            registry.change(sim::kind_named("", "pods"), key, sim::Part::kServer, [](sim::Tree tree) -> sim::Answered<sim::Tree> {
              tree["spec"]["nodeName"] = sim::Tree("big-r01-n01");
              return tree;
            }));
    });
  }
  void remove(const sim::Kind& kind, const std::string& name) {
    cluster_.with([&](sim::Registry& registry) { EXPECT_TRUE(registry.remove(kind, {"team", name}, {.grace_seconds = 0})); });
  }

  static constexpr std::int64_t kBegin = 1'700'000'000;
  std::int64_t now_ = kBegin;
  Scenario scenario_;
  sim::Cluster cluster_;
  Demo demo_;
};

TEST_P(DemoTest, ThereIsAWorldBeforeTheFirstJob) {
  EXPECT_EQ(count("", "nodes"), 4u);
  EXPECT_EQ(count("", "pods"), 0u);
  if (GetParam() == Dialect::kVolcano) {
    EXPECT_EQ(count("topology.volcano.sh", "hypernodes"), 4u);  // two racks, two zones
    EXPECT_EQ(count("scheduling.volcano.sh", "queues"), 2u);
  } else {
    EXPECT_EQ(count("kai.scheduler", "topologies"), 1u);
    EXPECT_EQ(count("scheduling.run.ai", "queues"), 4u) << "with those for pods that name none";
  }
}

TEST_P(DemoTest, AJobRunsEndsAndGoes) {
  auto counts = advance(0);
  EXPECT_EQ(counts.waiting, 1u);
  EXPECT_EQ(count("", "pods"), 3u);
  EXPECT_EQ(count(group_kind(GetParam()).group, "podgroups"), 1u);
  bind_all();
  counts = advance(1);
  EXPECT_EQ(counts.running, 1u);
  EXPECT_EQ(counts.gpus_used, 6);
  advance(1);
  counts = advance(10);
  EXPECT_EQ(counts.done, 1u);
  EXPECT_EQ(counts.running + counts.waiting, 0u);
  advance(21);
  EXPECT_EQ(count("", "pods"), 0u);
  EXPECT_EQ(count(group_kind(GetParam()).group, "podgroups"), 0u);
}

TEST_P(DemoTest, AJobMayWantThePoolOfANode) {
  advance(0);
  cluster_.with([&](sim::Registry& registry) {
    for (const auto& [key, pod] : registry.store().objects(sim::kind_named("", "pods")))
      EXPECT_EQ(pod->tree().at("spec.nodeSelector")->find(kPoolLabel)->scalar_text(), "big");
    for (const auto& [key, node] : registry.store().objects(sim::kind_named("", "nodes")))
      EXPECT_EQ(node->tree().at("metadata.labels")->find(kPoolLabel)->scalar_text(), "big");
  });
}

TEST_P(DemoTest, AnEvictedPodBeginsAgain) {
  advance(0);
  bind_all();
  advance(2);
  remove(sim::kind_named("", "pods"), "train-1");
  const auto counts = advance(1);
  EXPECT_EQ(counts.begun_again, 1u);
  EXPECT_EQ(counts.waiting, 1u);
  EXPECT_EQ(count("", "pods"), 3u);
}

TEST_P(DemoTest, PodsThatAreRefusedAreTriedAgain) {
  sim::ObjectPtr priority;
  const auto& classes = sim::kind_named("scheduling.k8s.io", "priorityclasses");
  cluster_.with([&](sim::Registry& registry) {
    priority = registry.store().find(classes, {"", "train"});
    ASSERT_TRUE(priority);
    EXPECT_TRUE(registry.remove(classes, priority->key));
  });
  auto counts = advance(0);
  EXPECT_EQ(counts.refused, 3u);
  EXPECT_NE(counts.refusal.find("no PriorityClass with name train was found"), std::string::npos) << counts.refusal;
  EXPECT_EQ(counts.waiting, 1u);
  cluster_.with([&](sim::Registry& registry) {
    auto tree = priority->tree();
    tree.erase_at("metadata.resourceVersion");
    EXPECT_TRUE(registry.create(classes, "", std::move(tree)));
  });
  counts = advance(1);
  EXPECT_EQ(counts.refused, 0u);
  EXPECT_EQ(count("", "pods"), 3u);
}

TEST_P(DemoTest, AJobWhoseGroupIsDeletedHasGone) {
  advance(0);
  remove(group_kind(GetParam()), "train");
  const auto counts = advance(1);
  EXPECT_EQ(counts.waiting + counts.running + counts.done, 0u);
  EXPECT_EQ(count("", "pods"), 0u);
}

TEST(DemoWorld, AScenarioMayHaveTheQueuesThatKaiComesWith) {
  auto scenario = *read_scenario(kScenario, "f");
  scenario.queues.push_back({"default-queue", "all", 0.25});
  std::size_t of_that_name = 0;
  for (const auto& object : world_of(scenario, Dialect::kKai))
    if (object.kind->kind == "Queue" && object.tree.text_at("metadata.name") == "default-queue") ++of_that_name;
  EXPECT_EQ(of_that_name, 1u);
}

INSTANTIATE_TEST_SUITE_P(Both, DemoTest, testing::Values(Dialect::kVolcano, Dialect::kKai));

}  // namespace
}  // namespace muster::demo
