// Simulated kubelets, on a clock that the test moves.

#include "sim/kubelets.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST_F(KubeletsTest, ADeletionHasItsOwnTime) {
  bound_pod(R"("sim.muster/run-seconds":"10","sim.muster/stop-seconds":"20")", R"(,"restartPolicy":"Never")");
  cluster_.pass(1);
  cluster_.pass(9);
  cluster_.remove(kPods + "/p");
  cluster_.pass(19);
  EXPECT_EQ(row(), "1/1 Terminating 0");
  cluster_.merge(kPods + "/p", R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.pass(1);
  EXPECT_EQ(cluster_.get(kPods + "/p").status, 404);
}

TEST_F(KubeletsTest, ChangesOfAPodDoNotMakeItRunLonger) {
  bound_pod(R"("sim.muster/run-seconds":"10")", R"(,"restartPolicy":"Never")");
  cluster_.pass(1);
  cluster_.pass(6);
  cluster_.merge(kPods + "/p", R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.pass(4);
  EXPECT_EQ(phase(), "Succeeded");
}

TEST(Kubelets, CountFromWhenAPodBegan) {
  const auto file = std::filesystem::temp_directory_path() / ("muster-kubelets-" + std::to_string(getpid()));
  std::filesystem::remove(file);
  ClusterSettings settings;
  settings.file = file;
  {
    TestCluster cluster(settings, true);
    cluster.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
    cluster.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"sim.muster/run-seconds":"120"}},)"
                        R"("spec":{"nodeName":"n","restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})");
    cluster.pass(1);
    EXPECT_EQ(cluster.get(kPods + "/p").text_at("status.phase"), "Running");
  }
  TestCluster again(settings, true);
  again.pass(110);
  EXPECT_EQ(again.get(kPods + "/p").text_at("status.phase"), "Running");
  again.pass(11);
  EXPECT_EQ(again.get(kPods + "/p").text_at("status.phase"), "Succeeded");
  std::filesystem::remove(file);
}

TEST(Kubelets, TryAgainWhatCouldNotBeWritten) {
  std::int64_t now = 1'700'000'000;
  bool is_full = false;
  Store store;
  store.on_persist(
      [&](const Kind&, const Change&) -> Result<void> { return is_full ? Result<void>(fail("no room")) : Result<void>(); });
  Registry registry(store, {.now = [&] { return Timestamp{now, 0}; }, .random = [n = std::uint64_t{0}]() mutable { return ++n; }});
  Kubelets kubelets(registry, store);
  ASSERT_TRUE(registry.create(kind_named("", "namespaces"), "", json(R"({"metadata":{"name":"default"}})")));
  ASSERT_TRUE(registry.create(kind_named("", "nodes"), "", json(R"({"metadata":{"name":"n"}})")));
  ASSERT_TRUE(
      registry.create(kind_named("", "pods"), "default",
                      json(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})")));
  kubelets.run();
  is_full = true;
  now += 1;
  kubelets.tick();
  is_full = false;
  now += 1;
  kubelets.tick();
  EXPECT_EQ(store.find(kind_named("", "pods"), {"default", "p"})->fields.get("status.phase"), "Running");
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
