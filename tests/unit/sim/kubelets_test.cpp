// Simulated kubelets, on a clock that the test moves.

#include "sim/kubelets.h"

#include <gtest/gtest.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

class KubeletsTest : public testing::Test {
 protected:
  KubeletsTest() {
    const auto made = cluster_.post(
        "/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"capacity":{"cpu":"4"}}})");
    EXPECT_EQ(made.status, 201);
  }
  void bound_pod(const std::string& annotations = {}, const std::string& spec = {}) {
    ASSERT_EQ(cluster_
                  .post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{)" + annotations +
                                   R"(}},"spec":{"containers":[{"name":"c","image":"i"}])" + spec + "}}")
                  .status,
              201);
    ASSERT_EQ(cluster_.post(kPods + "/p/binding", R"({"target":{"kind":"Node","name":"n"}})").status, 201);
  }
  std::string phase() { return cluster_.get(kPods + "/p").text_at("status.phase"); }
  std::string row() {
    const auto table = cluster_.get(kPods + "/p", "application/json;as=Table;v=v1;g=meta.k8s.io");
    const auto& cells = *table.body.at("rows")->as_list()->front().find("cells")->as_list();
    return cells[1].scalar_text() + " " + cells[2].scalar_text() + " " + cells[3].scalar_text();
  }

  TestCluster cluster_{{}, true};
};

TEST_F(KubeletsTest, NodesAreReady) {
  const auto node = cluster_.get("/api/v1/nodes/n");
  EXPECT_EQ(node.body.at("status.conditions")->as_list()->front().text_at("status"), "True");
  EXPECT_EQ(node.text_at("status.allocatable.cpu"), "4");
}

TEST_F(KubeletsTest, PodsRunForEverUnlessTheySayOtherwise) {
  bound_pod();
  EXPECT_EQ(phase(), "Pending");
  cluster_.pass(1);
  EXPECT_EQ(row(), "1/1 Running 0");
  cluster_.pass(100'000);
  EXPECT_EQ(row(), "1/1 Running 0");
}

TEST_F(KubeletsTest, PodsEndAsTheySay) {
  bound_pod(R"("sim.muster/start-seconds":"3","sim.muster/run-seconds":"10","sim.muster/exit-code":"7")",
            R"(,"restartPolicy":"Never")");
  cluster_.pass(2);
  EXPECT_EQ(phase(), "Pending");
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Running");
  cluster_.pass(9);
  EXPECT_EQ(phase(), "Running");
  cluster_.pass(1);
  EXPECT_EQ(row(), "0/1 Error 0");
  EXPECT_EQ(phase(), "Failed");
  const auto ended = cluster_.get(kPods + "/p").body.at("status.containerStatuses")->as_list()->front();
  EXPECT_EQ(ended.text_at("state.terminated.startedAt"), "2023-11-14T22:13:23Z");
  EXPECT_EQ(ended.text_at("state.terminated.finishedAt"), "2023-11-14T22:13:33Z");
}

TEST_F(KubeletsTest, PodsStartAgain) {
  bound_pod(R"("sim.muster/run-seconds":"10")");
  cluster_.pass(1);
  cluster_.pass(10);
  EXPECT_EQ(row(), "1/1 Running 1");
  cluster_.pass(10);
  EXPECT_EQ(row(), "1/1 Running 2");
}

TEST_F(KubeletsTest, DeletedPodsGo) {
  bound_pod(R"("sim.muster/stop-seconds":"5")");
  cluster_.pass(1);
  cluster_.remove(kPods + "/p");
  cluster_.pass(4);
  EXPECT_EQ(row(), "1/1 Terminating 0");
  cluster_.pass(1);
  EXPECT_EQ(cluster_.get(kPods + "/p").status, 404);
}

TEST_F(KubeletsTest, ANodeThatIsDownDoesNothingUntilItIsBack) {
  cluster_.merge("/api/v1/nodes/n", R"({"metadata":{"annotations":{"sim.muster/down":"true"}}})");
  auto node = cluster_.get("/api/v1/nodes/n");
  EXPECT_EQ(node.body.at("status.conditions")->as_list()->front().text_at("status"), "Unknown");
  EXPECT_EQ(node.body.at("spec.taints")->as_list()->front().text_at("key"), "node.kubernetes.io/unreachable");
  bound_pod();
  cluster_.pass(10);
  EXPECT_EQ(phase(), "Pending");
  cluster_.merge("/api/v1/nodes/n", R"({"metadata":{"annotations":{"sim.muster/down":null}}})");
  node = cluster_.get("/api/v1/nodes/n");
  EXPECT_EQ(node.body.at("spec.taints"), nullptr);
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Running");
}

}  // namespace
}  // namespace muster::sim
