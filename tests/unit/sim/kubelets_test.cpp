// Simulated kubelets, on a clock that the test moves.

#include "sim/kubelets.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

#include "sim/run_time.h"
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

TEST(RunTimes, AreTimesOrRanges) {
  const auto time = [](std::string_view text) {
    const auto read = parse_run_time(text);
    return read ? fmt::format("{} {}", read->least, read->most) : read.error().message;
  };
  EXPECT_EQ(time("90"), "90 90");
  EXPECT_EQ(time("0"), "0 0");
  EXPECT_EQ(time("1h30m"), "5400 5400");
  EXPECT_EQ(time("10s..2m"), "10 120");
  EXPECT_EQ(time("10..10"), "10 10");
  EXPECT_EQ(time("9223372036854775807"), "2147483647 2147483647");
  EXPECT_EQ(time("2m..10s"), "\"2m..10s\" ends before it begins");
  EXPECT_EQ(time("0..5"), "\"0..5\" must begin at 1s or later");
  for (const std::string bad : {"", "ten", "-5", "-5s", "1.5s", "500ms", "5 s"})
    EXPECT_EQ(time(bad), "\"" + bad + "\" is no time in whole seconds, such as 90, 90s or 1h30m");
  for (const std::string bad : {"..", "5..", "..5", "1..2..3"}) EXPECT_FALSE(parse_run_time(bad)) << bad;
}

TEST(RunTimes, OfARangeEveryFactorIsEquallyLikely) {
  const RunTime range{10, 1000};
  std::map<std::int64_t, int> decades;
  constexpr int kDraws = 10'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto seconds = drawn_seconds(range, "uid-" + std::to_string(i), 0, 0);
    ASSERT_GE(seconds, 10);
    ASSERT_LE(seconds, 1000);
    ++decades[seconds < 100 ? 10 : 100];
  }
  EXPECT_NEAR(decades[10], kDraws / 2, kDraws / 40);
  std::set<std::int64_t> all;
  for (int i = 0; i < 100; ++i) all.insert(drawn_seconds({1, 3}, "uid-" + std::to_string(i), 0, 0));
  EXPECT_EQ(all, (std::set<std::int64_t>{1, 2, 3})) << "both ends are of it";
}

TEST(RunTimes, AreTheSameForTheSamePod) {
  const RunTime range{10, 100'000};
  const auto first = drawn_seconds(range, "uid", 0, 0);
  EXPECT_EQ(drawn_seconds(range, "uid", 0, 0), first);
  EXPECT_EQ(first, 1001);
  EXPECT_NE(drawn_seconds(range, "other", 0, 0), first);
  EXPECT_NE(drawn_seconds(range, "uid", 1, 0), first) << "begun again";
  EXPECT_NE(drawn_seconds(range, "uid", 0, 1), first) << "another seed";
}

TEST_F(KubeletsTest, PodsRunForATimeOutOfTheirRange) {
  bound_pod(R"("sim.muster/run-seconds":"10s..1m")", R"(,"restartPolicy":"Never")");
  cluster_.pass(1);
  const auto uid = cluster_.get(kPods + "/p").text_at("metadata.uid");
  const auto seconds = drawn_seconds({10, 60}, uid, 0, 0);
  cluster_.pass(seconds - 1);
  EXPECT_EQ(phase(), "Running");
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Succeeded");
}

TEST(Kubelets, HaveARunTimeForPodsThatSayNone) {
  ClusterSettings settings;
  settings.simulating.run_time = RunTime{20, 20};
  TestCluster cluster(settings, true);
  cluster.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  cluster.post(kPods, pod_text("batch", R"(,"nodeName":"n","restartPolicy":"Never")"));
  cluster.post(kPods, pod_text("service", R"(,"nodeName":"n")"));
  cluster.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"long","annotations":{"sim.muster/run-seconds":"90"}},)"
                      R"("spec":{"nodeName":"n","restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})");
  cluster.pass(1);
  const auto phase = [&](const std::string& name) { return cluster.get(kPods + "/" + name).text_at("status.phase"); };
  cluster.pass(19);
  EXPECT_EQ(phase("batch"), "Running");
  cluster.pass(1);
  EXPECT_EQ(phase("batch"), "Succeeded");
  EXPECT_EQ(phase("service"), "Running");
  EXPECT_EQ(phase("long"), "Running");
  cluster.pass(69);
  EXPECT_EQ(phase("long"), "Running");
  cluster.pass(1);
  EXPECT_EQ(phase("long"), "Succeeded");
}

TEST_F(KubeletsTest, AnnotationsThatMeanNothingAreRefused) {
  const auto create = [&](const std::string& key, const std::string& value) {
    return cluster_.post(kPods + "?dryRun=All",
                         R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"sim.muster/)" + key + R"(":")" +
                             value + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  };
  const auto refused = create("run-seconds", "2m..10s");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.message(),
            "Pod \"p\" is invalid: metadata.annotations[sim.muster/run-seconds]: Invalid value: \"2m..10s\": \"2m..10s\" ends "
            "before it begins");
  for (const std::string key : {"start-seconds", "stop-seconds", "exit-code"}) {
    EXPECT_EQ(create(key, "soon").status, 422) << key;
    EXPECT_EQ(create(key, "3").status, 201) << key;
  }
  bound_pod();
  EXPECT_EQ(cluster_.merge(kPods + "/p", R"({"metadata":{"annotations":{"sim.muster/run-seconds":"soon"}}})").status, 422);
  EXPECT_EQ(cluster_.merge(kPods + "/p/status", R"({"metadata":{"annotations":{"sim.muster/run-seconds":"soon"}}})").status, 422);
  EXPECT_EQ(cluster_.merge("/api/v1/nodes/n", R"({"metadata":{"annotations":{"sim.muster/down":"yes"}}})").status, 422);
  EXPECT_EQ(cluster_.merge("/api/v1/nodes/n", R"({"metadata":{"annotations":{"sim.muster/evict-after-seconds":"2m"}}})").status,
            200);
}

TEST(Kubelets, RunPodsOfAnOlderFileWhateverItSays) {
  Store store;
  Registry registry(store, {.now = [] { return Timestamp{1'700'000'000, 0}; }, .random = [] { return std::uint64_t{7}; }});
  const auto& pods = kind_named("", "pods");
  const auto kept =
      json(R"({"metadata":{"name":"p","namespace":"default","uid":"u","annotations":{"sim.muster/run-seconds":"soon"}},)"
           R"("spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running"}})");
  ASSERT_TRUE(store.put(pods, store.draft(pods, kept)).has_value());
  Kubelets kubelets(registry, store);
  ASSERT_TRUE(registry.create(kind_named("", "nodes"), "", json(R"({"metadata":{"name":"n"}})")));
  kubelets.run();
  kubelets.tick();
  EXPECT_EQ(store.find(pods, {"default", "p"})->fields.get("status.phase"), "Running");
  const auto changed = registry.change(pods, {"default", "p"}, Part::kStatus, [](Tree pod) -> Answered<Tree> {
    pod["metadata"]["labels"]["a"] = Tree("b");
    return pod;
  });
  EXPECT_TRUE(changed.has_value()) << "the rest of it can still be changed";
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
