// Dominant resource fairness between jobs, and between queues of a weighted tree.

#include "policy/volcano/plugins/drf.h"

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class DrfTest : public testing::Test {
 protected:
  DrfTest() : world(a_config({an_option("drf")})) {
    world.add(a_volcano_queue("default"));
    world.add(a_volcano_node("n1").cpu("10").memory("100Gi").gpu("4").has("pods", "100"));
  }
  void add_running(const std::string& job, VolcanoPodBuilder pod) { world.add(a_pod_group(job)).add(pod.group(job).on("n1")); }
  double share(const std::string& job) { return world.session().plugin<Drf>("drf")->share_of_job(world.job(job).id); }
  bool before(const std::string& left, const std::string& right) {
    return world.session().job_before(world.job(left).id, world.job(right).id);
  }

  VolcanoWorld world;
};

TEST_F(DrfTest, TheShareIsTheLargestOfAnyResource) {
  add_running("cpu", a_volcano_pod("a").cpu("2").memory("10Gi"));
  add_running("memory", a_volcano_pod("b").cpu("1").memory("30Gi"));
  add_running("gpu", a_volcano_pod("c").gpu("2"));
  add_running("nothing", a_volcano_pod("d"));
  world.add(a_pod_group("empty"));
  world.open();
  EXPECT_DOUBLE_EQ(share("cpu"), 0.2);
  EXPECT_DOUBLE_EQ(share("memory"), 0.3);
  EXPECT_DOUBLE_EQ(share("gpu"), 0.5);
  EXPECT_DOUBLE_EQ(share("nothing"), 0.01);  // a pod is one of a hundred
  EXPECT_DOUBLE_EQ(share("empty"), 0);
}

TEST_F(DrfTest, TheSmallerShareGoesFirst) {
  add_running("large", a_volcano_pod("a").cpu("4"));
  add_running("small", a_volcano_pod("b").cpu("3"));
  world.open();
  EXPECT_TRUE(before("small", "large"));
  EXPECT_FALSE(before("large", "small"));
}

TEST_F(DrfTest, SharesFollowStatements) {
  world.add(a_pod_group("job"));
  for (const char* pod : {"a", "b"}) world.add(a_volcano_pod(pod).group("job").cpu("2"));
  world.open();
  Statement statement(world.session());
  statement.allocate(world.pod("a"), world.node("n1"));
  EXPECT_DOUBLE_EQ(share("job"), 0.2);
  statement.pipeline(world.pod("b"), world.node("n1"));  // promised counts too
  EXPECT_DOUBLE_EQ(share("job"), 0.4);
  statement.discard();
  EXPECT_EQ(share("job"), 0);
}

TEST(Drf, JobsOfOneQueueTakeTurns) {
  VolcanoCycles cycles(a_config({an_option("gang"), an_option("drf"), an_option("predicates")}));
  cycles.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4"));
  for (const char* job : {"a", "b"}) {
    cycles.add(a_pod_group(job).created(job[0]));
    for (int i = 0; i < 4; ++i) cycles.add(a_volcano_pod(std::string(job) + "-w-" + std::to_string(i)).group(job).cpu("1"));
  }
  EXPECT_EQ(cycles.run().order, (std::vector<std::string>{"a-w-0", "b-w-0", "a-w-1", "b-w-1"}));
}

// ----------------------------------------------------------------------------------------------------- hierarchy

class HierarchyTest : public testing::Test {
 protected:
  HierarchyTest() : world(a_config({with_hierarchy()})) { world.add(a_volcano_node("n1").cpu("10").memory("10Gi")); }
  static PluginOption with_hierarchy() {
    auto option = an_option("drf");
    option.set(Hook::kHierarchy, true);
    return option;
  }
  void add_queue(const std::string& name, const std::string& path, const std::string& weights) {
    world.add(a_volcano_queue(name).annotation("volcano.sh/hierarchy", path).annotation("volcano.sh/hierarchy-weights", weights));
  }
  // A job of the queue that holds some cpu and wants as much again.
  void add_job(const std::string& queue, const std::string& cpu) {
    const auto name = "job-" + queue;
    world.add(a_pod_group(name).queue(queue));
    world.add(a_volcano_pod(name + "-0").group(name).cpu(cpu).on("n1"));
    world.add(a_volcano_pod(name + "-1").group(name).cpu(cpu));
  }
  bool before(const std::string& left, const std::string& right) {
    return world.session().queue_before(world.queue(left), world.queue(right));
  }

  VolcanoWorld world;
};

TEST_F(HierarchyTest, TheSmallerShareByWeightGoesFirst) {
  add_queue("a", "root/a", "1/1"), add_queue("b", "root/b", "1/3");
  add_job("a", "1"), add_job("b", "2");
  world.open();
  EXPECT_TRUE(before("b", "a"));  // 2 of weight 3 is less than 1 of weight 1
  EXPECT_FALSE(before("a", "b"));
}

TEST_F(HierarchyTest, ParentsAreComparedBeforeChildren) {
  add_queue("poor", "root/x/poor", "1/1/1"), add_queue("rich", "root/x/rich", "1/1/1"), add_queue("other", "root/y/other", "1/1/1");
  add_job("poor", "1"), add_job("rich", "3"), add_job("other", "2500m");
  world.open();
  EXPECT_TRUE(before("poor", "rich"));
  EXPECT_TRUE(before("rich", "other"));  // within x each child counts for no more than the poorest: 2 × 1 is less than 2.5
}

TEST_F(HierarchyTest, SaturatedQueuesComeLast) {
  add_queue("full", "root/full", "1/1"), add_queue("hungry", "root/hungry", "1/1");
  world.add(a_pod_group("done").queue("full")).add(a_volcano_pod("done-0").group("done").cpu("1").on("n1"));
  add_job("hungry", "4");
  world.open();
  EXPECT_TRUE(before("hungry", "full"));  // although it holds more
}

}  // namespace
}  // namespace muster::volcano
