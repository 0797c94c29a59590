#include "policy/volcano/sub_job.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class SubJobTest : public testing::Test {
 protected:
  SubJobTest() : world(a_config({an_option("gang"), an_option("priority")})) {
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("8")).add(a_hyper_node("rack", 1).node("n1"));
  }
  void add_pod(const std::string& name, const std::string& slice) {
    world.add(a_volcano_pod(name).group("job").cpu("1").label("slice", slice));
  }
  SubJobs& sub_jobs() { return *world.job("job").sub_jobs; }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& sub_job : sub_jobs().all()) out.push_back(sub_job.name);
    return out;
  }

  VolcanoWorld world;
};

TEST_F(SubJobTest, PlainJobsHaveNone) {
  world.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("1"));
  world.open();
  EXPECT_EQ(world.job("job").sub_jobs, nullptr);
}

TEST_F(SubJobTest, AJobWithATopologyIsOneSubJob) {
  world.add(a_pod_group("job").minimum(2).within(1));
  add_pod("p", "0");
  add_pod("q", "1");
  world.open();
  EXPECT_EQ(names(), (std::vector<std::string>{"default/job"}));
  EXPECT_EQ(sub_jobs().all()[0].min_available, 2);
  EXPECT_EQ(sub_jobs().all()[0].closeness.hard_tier, 1);
}

TEST_F(SubJobTest, LabelsDivideAJob) {
  world.add(a_pod_group("job").minimum(3).sub_groups("slices", "slice", 2, 1));
  add_pod("p", "7");
  add_pod("q", "b");
  add_pod("r", "7");
  world.add(a_volcano_pod("s").group("job").cpu("1").priority(9));
  world.open();
  EXPECT_EQ(names(), (std::vector<std::string>{"default/job/slices-7", "default/job/slices-b", "default/job"}));
  const auto& all = sub_jobs().all();
  EXPECT_EQ(all[0].pods.size(), 2u);
  EXPECT_EQ(all[0].match_index, 7);
  EXPECT_EQ(all[1].match_index, 0);
  EXPECT_EQ(all[0].min_available, 2);
  EXPECT_EQ(all[2].min_available, 1);  // what matches no policy
  EXPECT_EQ(all[2].priority, 9);
  EXPECT_EQ(sub_jobs().of(world.pod("q")), all[1].id);
}

TEST_F(SubJobTest, APolicyWithoutKeysCapturesNobody) {
  auto group = a_pod_group("job").sub_groups("slices", "slice", 2).object();
  group.sub_groups[0].match_label_keys.clear();
  world.cluster().apply(Object(group));
  add_pod("p", "0");
  world.open();
  EXPECT_EQ(names(), (std::vector<std::string>{"default/job"}));
}

TEST_F(SubJobTest, CountsFollowThePods) {
  world.add(a_pod_group("job").minimum(2).sub_groups("slices", "slice", 2, 1));
  add_pod("p", "0");
  add_pod("q", "0");
  world.open();
  auto& job = world.job("job");
  Statement statement(world.session());
  ASSERT_TRUE(statement.allocate(world.pod("p"), world.node("n1")));
  EXPECT_FALSE(sub_jobs().pipelined());
  ASSERT_TRUE(statement.pipeline(world.pod("q"), world.node("n1")));
  EXPECT_TRUE(sub_jobs().pipelined());
  EXPECT_FALSE(sub_jobs().ready());
  EXPECT_TRUE(world.session().job_pipelined(job));
  statement.discard();
  EXPECT_EQ(sub_jobs().all()[0].of(PodState::kPending), 2);
  EXPECT_EQ(sub_jobs().all()[0].waiting.get(kCpu), 2000);
}

TEST_F(SubJobTest, TooFewSubJobsMakeAJobInvalid) {
  world.add(a_pod_group("job").minimum(1).sub_groups("slices", "slice", 1, 2));
  add_pod("p", "0");
  world.open();
  EXPECT_FALSE(world.session().job_valid(world.job("job")));
}

TEST_F(SubJobTest, SoftDemandsAreHardOnesOfTheRootOrOfTheJob) {
  auto group = a_pod_group("job").within(1).sub_groups("slices", "slice", 1).object();
  group.sub_groups[0].topology = NetworkTopology{TopologyMode::kSoft, std::nullopt, ""};
  world.cluster().apply(Object(group));
  add_pod("p", "0");
  world.open();
  EXPECT_EQ(sub_jobs().all()[0].closeness.hard_tier, 1);
  world.add(a_pod_group("other").close()).add(a_volcano_pod("o").group("other").cpu("1"));
  world.open();
  EXPECT_EQ(world.job("other").sub_jobs->closeness().hard_tier, 2);
}

TEST_F(SubJobTest, ATierThatNobodyKnowsIsNoHardDemand) {
  world.add(a_pod_group("job").within("room"));
  add_pod("p", "0");
  world.open();
  EXPECT_TRUE(sub_jobs().wants_closeness());
  EXPECT_FALSE(sub_jobs().has_hard_tier());
}

TEST_F(SubJobTest, WherePodsRunTellsTheDomain) {
  world.add(a_volcano_node("n2").cpu("8")).add(a_hyper_node("other", 1).node("n2"));
  world.add(a_hyper_node("spine", 2).child("rack").child("other"));
  world.add(a_pod_group("job").within(2));
  world.add(a_volcano_pod("p").group("job").cpu("1").on("n1"));
  add_pod("q", "0");
  world.open();
  const auto& tree = world.session().hyper_tree();
  EXPECT_EQ(sub_jobs().allocated, tree.find("rack"));
  world.add(a_volcano_pod("r").group("job").cpu("1").on("n2"));
  sub_jobs().all()[0].allocated = HyperNodeId();
  world.open();
  EXPECT_EQ(sub_jobs().allocated, tree.find("spine"));
}

}  // namespace
}  // namespace muster::volcano
