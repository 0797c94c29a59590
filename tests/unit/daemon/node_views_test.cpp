// Who waits at which place and since when, where nodes stand and what is on them, in both dialects.

#include <gtest/gtest.h>

#include "daemon/kai_cluster.h"
#include "daemon/volcano_cluster.h"
#include "model/json.h"
#include "support/kai_world.h"
#include "support/volcano_builders.h"

namespace muster::daemon {
namespace {

constexpr std::int64_t kSecond = 1'767'225'000;

Result<std::string> told_of(LiveCluster& cluster, Sight::What what, std::string name = {}) {
  Result<std::string> out = fail("nothing was told");
  cluster.add_sight({.what = what, .name = std::move(name), .tell = [&](Result<std::string> told) { out = std::move(told); }});
  cluster.run_cycle(kai::KaiWorld::kNow);
  return out;
}

// "job position since", of each.
std::vector<std::string> waits_in(const Result<std::string>& text) {
  std::vector<std::string> out;
  const std::string whole = text ? *text : "";  // the values are parts of it
  const auto jobs = read_json(whole);
  EXPECT_TRUE(jobs) << (text ? *text : text.error().text());
  if (!jobs) return out;
  for (const auto& job : jobs->find("jobs")->items) {
    const auto* position = job.find("position");
    const auto place = position == nullptr ? "-" : std::to_string(position->as_int().value_or(-1));
    out.push_back(text_at(&job, "job") + " " + place + " " + text_at(&job, "since"));
  }
  return out;
}
using Lines = std::vector<std::string>;

class VolcanoNodeViewTest : public testing::Test {
 protected:
  VolcanoNodeViewTest()
      : cluster_({.config = volcano::a_config(
                      {volcano::an_option("priority"), volcano::an_option("gang"), volcano::an_option("predicates")}, {"allocate"}),
                  .behaviour = volcano::Behaviour::safe(),
                  .options = {}}) {
    PriorityClass high;
    high.meta.name = "high";
    high.value = 100;
    cluster_.apply(Object(high));
    add(volcano::a_volcano_queue("default"));
    add(volcano::a_volcano_node("n1").cpu("4"));
    add(volcano::a_hyper_node("rack-1", 1).node("n1"));
    add(volcano::a_pod_group("runs").phase("Running"));
    add(volcano::a_volcano_pod("runs-0").group("runs").cpu("4").on("n1"));
    add(volcano::a_pod_group("later").phase("Inqueue"));
    add(volcano::a_volcano_pod("later-0").group("later").cpu("2").created(kSecond + 7));
    add(volcano::a_pod_group("urgent").priority_class("high").phase("Inqueue"));
    add(volcano::a_volcano_pod("urgent-0").group("urgent").cpu("2").created(kSecond + 30));
    add(volcano::a_volcano_pod("urgent-1").group("urgent").cpu("2").created(kSecond + 20));
    add(volcano::a_pod_group("empty").phase("Pending").created(kSecond));
    cluster_.settle();
  }
  template <class Builder>
  void add(const Builder& builder) {
    cluster_.apply(Object(builder.object()));
  }
  VolcanoCluster cluster_;
};

TEST_F(VolcanoNodeViewTest, WaitingJobsHaveTheirPlaceAndTheirTime) {
  EXPECT_EQ(waits_in(told_of(cluster_, Sight::What::kJobs)),
            (Lines{"default/empty - 2025-12-31T23:50:00Z", "default/later 2 2025-12-31T23:50:07Z", "default/runs - ",
                   "default/urgent 1 2025-12-31T23:50:20Z"}));
  // As the explanation of each says.
  const auto later = told_of(cluster_, Sight::What::kJob, "default/later");
  ASSERT_TRUE(later);
  EXPECT_NE(later->find(R"("place":2,)"), std::string::npos) << *later;
}

TEST_F(VolcanoNodeViewTest, ANodeHasItsDomainsAndPods) {
  const auto all = told_of(cluster_, Sight::What::kNodes);
  ASSERT_TRUE(all);
  EXPECT_NE(all->find(R"({"node":"n1","unschedulable":false,"domains":["rack-1"],"pods":1,)"), std::string::npos) << *all;
  EXPECT_EQ(all->find("pod_names"), std::string::npos);
  const auto one = told_of(cluster_, Sight::What::kNode, "n1");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->rfind(R"({"node":"n1",)", 0), 0u) << *one;
  EXPECT_NE(one->find(R"("pod_names":[{"pod":"default/runs-0","job":"default/runs"}]})"), std::string::npos) << *one;
  const auto none = told_of(cluster_, Sight::What::kNode, "n2");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text().rfind("there is no node n2", 0), 0u) << none.error().text();
}

TEST_F(VolcanoNodeViewTest, ANodeThatDoesNotAnswerIsNotReady) {
  auto lost = volcano::a_volcano_node("n1").cpu("4").object();
  lost.taints.push_back({"node.kubernetes.io/unreachable", "", TaintEffect::kNoSchedule});
  cluster_.apply(Object(lost));
  const auto all = told_of(cluster_, Sight::What::kNodes);
  ASSERT_TRUE(all);
  EXPECT_NE(all->find(R"({"node":"n1","unschedulable":false,"ready":false,)"), std::string::npos) << *all;
}

TEST(VolcanoQueueViews, AQueueHoldsWhatThoseBelowItHoldWhereTheTreeCounts) {
  auto capacity = volcano::an_option("capacity");
  capacity.set(volcano::Hook::kHierarchy, true);
  VolcanoCluster cluster({.config = volcano::a_config({volcano::an_option("gang"), capacity}, {"allocate"}),
                          .behaviour = volcano::Behaviour::safe(),
                          .options = {}});
  const auto add = [&](const auto& builder) { cluster.apply(Object(builder.object())); };
  add(volcano::a_volcano_queue("root"));
  add(volcano::a_volcano_queue("team").parent("root").deserves("cpu", "6"));
  add(volcano::a_volcano_queue("left").parent("team").deserves("cpu", "2"));
  add(volcano::a_volcano_queue("right").parent("team").deserves("cpu", "4"));
  add(volcano::a_volcano_node("n1").cpu("8"));
  for (const std::string name : {"left", "right"}) {
    add(volcano::a_pod_group(name).queue(name).phase("Running"));
    add(volcano::a_volcano_pod(name + "-0").group(name).cpu("2").on("n1"));
  }
  cluster.settle();
  const auto queues = told_of(cluster, Sight::What::kQueues);
  ASSERT_TRUE(queues);
  EXPECT_NE(queues->find(R"({"queue":"left","parent":"team","state":"Open","resources":{"cpu":{"deserved":2,"allocated":2,)"),
            std::string::npos)
      << *queues;
  EXPECT_NE(queues->find(R"({"queue":"team","parent":"root","state":"Open","resources":{"cpu":{"deserved":6,"allocated":4,)"),
            std::string::npos)
      << *queues;
}

class KaiNodeViewTest : public testing::Test {
 protected:
  KaiNodeViewTest() {
    world_.node("n1", 2);
    std::get<Node>(world_.objects().back()).meta.labels.set("zone", "hall-0");
    std::get<Node>(world_.objects().back()).meta.labels.set("rack", "rack-3");
    world_.node("n2", 1);
    std::get<Node>(world_.objects().back()).meta.labels.set("zone", "hall-1");
    KaiTopology topology;
    topology.meta.name = "t";
    topology.levels = {{"zone", ""}, {"rack", ""}};
    world_.add(topology);
    world_.job({.name = "low", .nodes = {"n1"}});
    world_.job({.name = "late", .gpus = 8, .created = 40});
    world_.job({.name = "first", .gpus = 8, .priority = "high", .created = 90});
    cluster_ = std::make_unique<KaiCluster>(KaiSettings{
        .config = kai::default_config(), .options = {}, .writing = {}, .gpu_groups = "g-", .numbers = nullptr, .lenient = false});
    for (const auto& object : world_.objects()) cluster_->apply(object);
    cluster_->settle();
  }
  kai::KaiWorld world_;
  std::unique_ptr<KaiCluster> cluster_;
};

TEST_F(KaiNodeViewTest, WaitingJobsHaveTheirPlaceAndTheirTime) {
  EXPECT_EQ(waits_in(told_of(*cluster_, Sight::What::kJobs)),
            (Lines{"ns/first 1 2025-12-31T23:53:10Z", "ns/late 2 2025-12-31T23:52:20Z", "ns/low - "}));
  const auto late = told_of(*cluster_, Sight::What::kJob, "ns/late");
  ASSERT_TRUE(late);
  EXPECT_NE(late->find(R"("place":2,)"), std::string::npos) << *late;
}

TEST_F(KaiNodeViewTest, NodesStandWhereTheTopologySays) {
  const auto all = told_of(*cluster_, Sight::What::kNodes);
  ASSERT_TRUE(all);
  EXPECT_NE(all->find(R"({"node":"n1","unschedulable":false,"domains":["hall-0","rack-3"],)"), std::string::npos) << *all;
  EXPECT_NE(all->find(R"({"node":"n2","unschedulable":false,"domains":["hall-1"],)"), std::string::npos) << *all;
  const auto one = told_of(*cluster_, Sight::What::kNode, "n1");
  ASSERT_TRUE(one);
  EXPECT_NE(one->find(R"("pod_names":[{"pod":"ns/low-0","job":"ns/low"}])"), std::string::npos) << *one;
  EXPECT_EQ(one->find("devices"), std::string::npos) << "which whole GPU it has nobody knows";
}

TEST_F(KaiNodeViewTest, SharedGpusAreToldOneByOne) {
  world_.objects().clear();
  kai::KaiWorld more;
  more.job({.name = "part", .fraction = "0.25"});
  for (const auto& object : more.objects()) cluster_->apply(object);
  cluster_->run_cycle(kai::KaiWorld::kNow);
  std::string found;
  for (const auto* node : {"n1", "n2"}) {
    const auto one = told_of(*cluster_, Sight::What::kNode, node);
    ASSERT_TRUE(one);
    if (const auto at = one->find(R"("devices":)"); at != std::string::npos) found = one->substr(at);
  }
  EXPECT_NE(found.find(R"("resource":"nvidia.com/gpu","used":0.25,"pods":["ns/part-0"]}])"), std::string::npos) << found;
}

}  // namespace
}  // namespace muster::daemon
