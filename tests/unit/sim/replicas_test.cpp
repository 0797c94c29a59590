// ReplicaSets, Deployments and StatefulSets in the embedded cluster.

#include "sim/controllers/replicas.h"

#include <gtest/gtest.h>
#include <set>

#include "sim/fields.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";
const std::string kReplicaSets = "/apis/apps/v1/namespaces/default/replicasets";
const std::string kStatefulSets = "/apis/apps/v1/namespaces/default/statefulsets";

std::string workload(const std::string& kind, const std::string& spec, const std::string& image = "i") {
  return R"({"apiVersion":"apps/v1","kind":")" + kind + R"(","metadata":{"name":"w"},"spec":{)" + spec +
         R"("selector":{"matchLabels":{"app":"w"}},"template":{"metadata":{"labels":{"app":"w"}},"spec":{"containers":[)"
         R"({"name":"c","image":")" +
         image + R"("}]}}}})";
}

class ReplicasTest : public testing::Test {
 protected:
  void settle() {
    for (int i = 0; i < 5; ++i) {
      cluster_.schedule();
      cluster_.pass(1);
    }
  }
  ControlledCluster cluster_;
};

TEST_F(ReplicasTest, AReplicaSetKeepsItsNumber) {
  cluster_.create(kReplicaSets, workload("ReplicaSet", R"("replicas":3,)"));
  EXPECT_EQ(cluster_.count(), 3);
  settle();
  EXPECT_EQ(cluster_.get(kReplicaSets + "/w").body.integer_at("status.readyReplicas"), 3);
  cluster_.remove(kPods + "/" + cluster_.pods().front());
  EXPECT_EQ(cluster_.count(), 3) << "another one takes its place at once";
  settle();
  const auto before = cluster_.pods();
  cluster_.merge(kReplicaSets + "/w", R"({"spec":{"replicas":4}})");
  cluster_.merge(kReplicaSets + "/w", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(cluster_.pods(), before) << "the one without a node goes";
  cluster_.merge(kReplicaSets + "/w", R"({"spec":{"replicas":0}})");
  cluster_.pass(1);
  EXPECT_EQ(cluster_.list(kPods).size(), 0);
}

TEST_F(ReplicasTest, ADeploymentHasAReplicaSetForItsTemplate) {
  cluster_.create(kDeployments, workload("Deployment", R"("replicas":4,)"));
  EXPECT_EQ(cluster_.count(), 4);
  settle();
  const auto now = cluster_.get(kDeployments + "/w").body;
  EXPECT_EQ(now.integer_at("status.availableReplicas"), 4);
  EXPECT_TRUE(has_condition(now, "Available"));
  const auto sets = cluster_.list(kReplicaSets);
  ASSERT_EQ(sets.size(), 1);
  EXPECT_EQ(sets.front().text_at("metadata.name").substr(0, 2), "w-");
}

TEST_F(ReplicasTest, ANewTemplateTakesOverStepByStep) {
  cluster_.create(kDeployments, workload("Deployment", R"("replicas":4,)"));
  settle();
  cluster_.patch("strategic-merge-patch+json", kDeployments + "/w",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"new"}]}}}})");
  std::size_t fewest = 99;
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    cluster_.schedule();
    cluster_.pass(1);
    fewest = std::min(fewest, cluster_.count("Running"));
    most = std::max(most, cluster_.count());
  }
  EXPECT_GE(fewest, 3U) << "at most a quarter is unavailable";
  EXPECT_LE(most, 5U) << "at most a quarter more";
  for (const auto& pod : cluster_.list(kPods)) EXPECT_EQ(pod.at("spec.containers")->as_list()->front().text_at("image"), "new");
  EXPECT_EQ(cluster_.list(kReplicaSets).size(), 2) << "the earlier one is kept";
}

TEST_F(ReplicasTest, RecreateEndsTheOldPodsFirst) {
  cluster_.create(kDeployments, workload("Deployment", R"("replicas":2,"strategy":{"type":"Recreate"},)"));
  settle();
  cluster_.patch("strategic-merge-patch+json", kDeployments + "/w",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"new"}]}}}})");
  std::set<std::string_view> together;
  for (int i = 0; i < 5; ++i) {
    together.clear();
    const auto pods = cluster_.list(kPods);
    for (const auto& pod : pods) together.insert(pod.at("spec.containers")->as_list()->front().text_at("image"));
    EXPECT_LE(together.size(), 1U);
    settle();
  }
  EXPECT_EQ(cluster_.count("Running"), 2);
}

TEST_F(ReplicasTest, AStatefulSetGoesInOrder) {
  cluster_.create(kStatefulSets, workload("StatefulSet", R"("replicas":2,"serviceName":"s",)"));
  EXPECT_EQ(cluster_.pods(), std::vector<std::string>{"w-0"});
  settle();
  EXPECT_EQ(cluster_.pods("Running"), (std::vector<std::string>{"w-0", "w-1"}));
  cluster_.merge(kStatefulSets + "/w", R"({"spec":{"replicas":1}})");
  settle();
  EXPECT_EQ(cluster_.pods(), std::vector<std::string>{"w-0"});
  cluster_.patch("strategic-merge-patch+json", kStatefulSets + "/w",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"new"}]}}}})");
  settle();
  EXPECT_EQ(cluster_.list(kPods).front().at("spec.containers")->as_list()->front().text_at("image"), "new");
}

TEST_F(ReplicasTest, SharesAreRoundedAsAsked) {
  EXPECT_EQ(count_or_share(nullptr, 10, Rounding::kUp), 0);
  const Tree share("25%");
  EXPECT_EQ(count_or_share(&share, 10, Rounding::kUp), 3);
  EXPECT_EQ(count_or_share(&share, 10, Rounding::kDown), 2);
  const Tree count(std::int64_t{2});
  EXPECT_EQ(count_or_share(&count, 10, Rounding::kUp), 2);
}

}  // namespace
}  // namespace muster::sim
