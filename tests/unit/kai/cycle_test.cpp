// Whole cycles on small clusters, and statements that leave no trace.

#include <gtest/gtest.h>
#include <map>

#include "policy/kai/actions/job_placer.h"
#include "policy/kai/scheduler.h"

namespace muster::kai {
namespace {

constexpr Timestamp kNow{1'767'225'600, 0};

Object a_node(const std::string& name, std::int64_t gpus) {
  Node node;
  node.meta.name = name;
  node.meta.labels.set("nvidia.com/gpu.memory", "40960");
  node.allocatable = {{"cpu", Quantity::from_units(64)},
                      {"memory", Quantity::from_units(1'000'000'000'000)},
                      {"nvidia.com/gpu", Quantity::from_units(gpus)},
                      {"pods", Quantity::from_units(110)}};
  return node;
}

Object a_queue(const std::string& name, const std::string& parent, double quota) {
  KaiQueue queue;
  queue.meta.name = name;
  queue.parent = parent;
  queue.gpu = {quota, -1, 1};
  queue.cpu = queue.memory = {-1, -1, 1};
  return queue;
}

Object a_group(const std::string& name, const std::string& queue, std::int32_t minimum) {
  KaiPodGroup group;
  group.meta.name = name;
  group.meta.ns = "ns";
  group.queue = queue;
  group.min_member = minimum;
  return group;
}

Object a_pod(const std::string& group, int index, std::int64_t gpus, const std::string& node = {},
             const std::string& fraction = {}) {
  Pod pod;
  pod.meta.name = group + "-" + std::to_string(index);
  pod.meta.uid = pod.meta.name;
  pod.meta.ns = "ns";
  pod.meta.annotations.set("pod-group-name", group);
  if (!fraction.empty()) pod.meta.annotations.set("gpu-fraction", fraction);
  pod.spec.scheduler_name = "kai-scheduler";
  pod.spec.node_name = node;
  pod.spec.containers.push_back({});
  pod.spec.containers.back().requests = {{"cpu", Quantity::from_units(1)}};
  if (gpus > 0) pod.spec.containers.back().requests["nvidia.com/gpu"] = Quantity::from_units(gpus);
  pod.status.phase = node.empty() ? "Pending" : "Running";
  return pod;
}

class Recorder final : public CycleObserver {
 public:
  std::map<std::string, std::string> binds;
  std::vector<std::string> evicted;
  std::map<std::string, std::string> left;  // nodes, by who was evicted
  std::map<std::string, Status> statuses;
  void closed(Session& session) override {
    const auto& books = session.books();
    for (const auto& decision : session.outbox()) {
      const auto& name = books.pod(decision.pod).name;
      (decision.kind == Decision::Kind::kBind ? binds : left)[name] = books.node(decision.node).name;
      if (decision.kind == Decision::Kind::kEvict) evicted.push_back(name);
    }
    for (const auto id : session.cluster().listed_jobs())
      session.cluster().job(id).for_each_pod(
          [&](PodId pod) { statuses[books.pod(pod).name] = session.cluster().task(pod).status; });
  }
};

std::unique_ptr<Cluster> a_cluster(const std::vector<Object>& objects) {
  auto cluster = std::make_unique<Cluster>();
  for (const auto& object : objects) cluster->apply(object);
  return cluster;
}

using Binds = std::map<std::string, std::string>;

TEST(KaiCycle, PlacesAGangAsAWholeOrNotAtAll) {
  Scheduler scheduler(
      a_cluster({a_node("n1", 4), a_queue("root", "", -1), a_queue("q", "root", -1), a_group("fits", "q", 2), a_pod("fits", 0, 2),
                 a_pod("fits", 1, 2), a_group("large", "q", 2), a_pod("large", 0, 4), a_pod("large", 1, 4)}),
      default_config(), SearchKind::kIndex);
  Recorder recorder;
  scheduler.run_cycle(kNow, recorder);
  EXPECT_EQ(recorder.binds, (Binds{{"fits-0", "n1"}, {"fits-1", "n1"}}));
  EXPECT_EQ(recorder.statuses["large-0"], Status::kPending);
  EXPECT_TRUE(scheduler.cluster().books().check_sums());
}

TEST(KaiCycle, TakesBackWhatAQueueHoldsBeyondItsQuota) {
  Scheduler scheduler(
      a_cluster({a_node("n1", 2), a_queue("root", "", -1), a_queue("greedy", "root", 0), a_queue("poor", "root", 2),
                 a_group("hog", "greedy", 1), a_pod("hog", 0, 2, "n1"), a_group("due", "poor", 1), a_pod("due", 0, 2)}),
      default_config(), SearchKind::kIndex);
  Recorder first;
  scheduler.run_cycle(kNow, first);
  EXPECT_EQ(first.evicted, std::vector<std::string>{"hog-0"});
  EXPECT_EQ(first.statuses["due-0"], Status::kPipelined);
  // Nothing is kept for it: when the victim has gone, it is bound by allocate.
  scheduler.cluster().remove_pod(scheduler.cluster().find_pod("ns/hog-0"));
  Recorder second;
  scheduler.run_cycle(kNow, second);
  EXPECT_EQ(second.binds, (Binds{{"due-0", "n1"}}));
}

// Consolidation moves one of two pods to the other's node, and the eviction is of the node that it is on.
TEST(KaiCycle, WhoMovesIsEvictedFromTheNodeWhereItIs) {
  Scheduler scheduler(a_cluster({a_node("n1", 2), a_node("n2", 2), a_queue("root", "", -1), a_queue("q", "root", -1),
                                 a_group("a", "q", 1), a_pod("a", 0, 1, "n1"), a_group("b", "q", 1), a_pod("b", 0, 1, "n2"),
                                 a_group("large", "q", 1), a_pod("large", 0, 2)}),
                      default_config(), SearchKind::kIndex);
  Recorder recorder;
  scheduler.run_cycle(kNow, recorder);
  ASSERT_EQ(recorder.evicted.size(), 1u);
  const auto& moved = recorder.evicted.front();
  EXPECT_EQ(recorder.statuses[moved], Status::kPipelined);
  EXPECT_EQ(recorder.left[moved], moved == "a-0" ? "n1" : "n2");
}

TEST(KaiCycle, SharesOneGpuBetweenFractions) {
  Scheduler scheduler(a_cluster({a_node("n1", 1), a_queue("root", "", -1), a_queue("q", "root", -1), a_group("a", "q", 1),
                                 a_pod("a", 0, 0, {}, "0.5"), a_group("b", "q", 1), a_pod("b", 0, 0, {}, "0.5"),
                                 a_group("c", "q", 1), a_pod("c", 0, 0, {}, "0.5")}),
                      default_config(), SearchKind::kIndex);
  Recorder recorder;
  scheduler.run_cycle(kNow, recorder);
  EXPECT_EQ(recorder.binds.size(), 2u);
  EXPECT_EQ(scheduler.cluster().node_info(scheduler.cluster().books().find_node("n1")).groups.size(), 1u);
  EXPECT_TRUE(scheduler.cluster().books().check_sums());
}

TEST(KaiStatement, LeavesNoTraceWhenItIsTakenBack) {
  const auto cluster =
      a_cluster({a_node("n1", 2), a_node("n2", 2), a_queue("root", "", -1), a_queue("q", "root", -1), a_group("runs", "q", 1),
                 a_pod("runs", 0, 2, "n1"), a_group("waits", "q", 1), a_pod("waits", 0, 2)});
  Memory memory;
  Session session(*cluster, default_config(), kNow, memory);
  session.open();
  const auto n1 = cluster->books().find_node("n1");
  const auto n2 = cluster->books().find_node("n2");
  const auto runs = cluster->find_pod("ns/runs-0");
  const auto waits = cluster->find_pod("ns/waits-0");
  const auto idle = cluster->books().ledgers().idle;
  const auto releasing = cluster->books().ledgers().releasing;

  Statement statement(session);
  ASSERT_TRUE(statement.evict(runs, "test", {}));
  const auto mark = statement.checkpoint();
  ASSERT_TRUE(statement.pipeline(waits, n1, Statement::IfThere::kUnevict));
  ASSERT_TRUE(statement.pipeline(runs, n2, Statement::IfThere::kUnevict));
  EXPECT_EQ(cluster->task(runs).places.size(), 2u);
  EXPECT_FALSE(session.fits_later(waits, n1));
  statement.rollback(mark);
  EXPECT_EQ(cluster->task(runs).status, Status::kReleasing);
  EXPECT_TRUE(session.fits_later(waits, n1));
  statement.discard();

  EXPECT_EQ(cluster->task(runs).status, Status::kRunning);
  EXPECT_EQ(cluster->task(runs).node, n1);
  EXPECT_EQ(cluster->task(waits).status, Status::kPending);
  EXPECT_EQ(cluster->books().ledgers().idle, idle);
  EXPECT_EQ(cluster->books().ledgers().releasing, releasing);
  EXPECT_TRUE(cluster->books().check_sums());
}

TEST(KaiStatement, KeepsAVictimThatFindsItsOwnPlaceAgain) {
  const auto cluster = a_cluster(
      {a_node("n1", 2), a_queue("root", "", -1), a_queue("q", "root", -1), a_group("runs", "q", 1), a_pod("runs", 0, 2, "n1")});
  Memory memory;
  Session session(*cluster, default_config(), kNow, memory);
  session.open();
  const auto runs = cluster->find_pod("ns/runs-0");
  Statement statement(session);
  ASSERT_TRUE(statement.evict(runs, "test", {}));
  ASSERT_TRUE(statement.pipeline(runs, cluster->books().find_node("n1"), Statement::IfThere::kUnevict));
  EXPECT_EQ(cluster->task(runs).status, Status::kRunning);
  statement.commit("test");
  EXPECT_TRUE(session.outbox().empty());
}

}  // namespace
}  // namespace muster::kai
