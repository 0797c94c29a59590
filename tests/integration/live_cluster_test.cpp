// Against a real control plane, when MUSTER_TEST_KUBECONFIG names a kubeconfig of an administrator: left out otherwise.
// tests/e2e/run --serve starts one. Nothing has to be there: each test makes a namespace and a node, and removes both.

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

#include "integration/client.h"
#include "kube/api_writer.h"
#include "kube/leader_election.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class LiveCluster : public testing::Test {
 protected:
  void SetUp() override {
    const char* file = std::getenv("MUSTER_TEST_KUBECONFIG");
    if (file == nullptr) GTEST_SKIP() << "MUSTER_TEST_KUBECONFIG is not set";
    AccessOptions options;
    options.kubeconfig = file;
    const auto access = find_access(options, process_environment());
    ASSERT_TRUE(access) << access.error().text();
    client_ = std::make_unique<Client>(*access);
    writer_ = std::make_unique<ApiWriter>(client_->loop());
    static int count = 0;
    ns_ = "muster-it-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
    make_object("namespaces", "Namespace", ns_);
    make_object("nodes", "Node", node());
  }
  void TearDown() override {
    if (!writer_) return;
    wait([&](OnWritten on) { writer_->remove({"v1", "namespaces", "", ns_}, "", on); });
    wait([&](OnWritten on) { writer_->remove({"v1", "nodes", "", node()}, "", on); });
  }
  std::string node() const { return ns_ + "-node"; }
  void make_object(const std::string& plural, const std::string& kind, const std::string& name) {
    const auto made = wait([&](OnWritten on) {
      writer_->create({"v1", plural}, R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name + R"("}})", on);
    });
    ASSERT_EQ(made.outcome, WriteOutcome::kDone) << made.message;
  }

  static WriteResult wait(const std::function<void(OnWritten)>& send) {
    std::promise<WriteResult> result;
    send([&](WriteResult one) { result.set_value(std::move(one)); });
    return result.get_future().get();
  }
  // In a new namespace only when a controller has made its service account, where there is one.
  Identity make_pod(const std::string& name, const std::string& more_spec = {}) {
    const auto body = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                      R"(","labels":{"app":"x"}},"spec":{"schedulerName":"muster-test","containers":[{"name":"c","image":"i"}])" +
                      more_spec + "}}";
    const auto create = [&] { return wait([&](OnWritten on) { writer_->create({"v1", "pods", ns_}, body, on); }); };
    auto made = create();
    for (int i = 0; i < 100 && made.message.find("service account") != std::string::npos; ++i) {
      std::this_thread::sleep_for(milliseconds(100));
      made = create();
    }
    EXPECT_EQ(made.outcome, WriteOutcome::kDone) << made.message;
    return read_meta(made.body).id;
  }
  WriteResult bind(const Identity& pod, const std::string& node) {
    return wait([&](OnWritten on) { writer_->bind({{pod.ns, pod.name, pod.uid, ""}, node, {{"muster.test/a", "b"}}}, on); });
  }

  std::unique_ptr<Client> client_;
  std::unique_ptr<ApiWriter> writer_;
  std::string ns_;
};

class LiveLists : public LiveCluster, public testing::WithParamInterface<bool> {};

TEST_P(LiveLists, AllKindsAreFollowed) {
  ReflectorSettings settings;
  settings.streams_lists = GetParam();
  settings.page = 3;
  std::vector<Reflector*> all;
  for (const auto& kind : resource_kinds()) all.push_back(&client_->follow(kind, settings));
  std::map<std::string, int> counts;
  std::size_t synced = 0;
  std::set<std::string> nodes;
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (synced < all.size() && std::chrono::steady_clock::now() < end)
    for (const auto& change : client_->queue().take(100, milliseconds(200))) {
      synced += change.type == ChangeType::kSynced ? 1 : 0;
      if (change.type == ChangeType::kAdded) ++counts[std::string(change.kind->kind)];
      if (change.type == ChangeType::kAdded && change.kind->kind == "Node") nodes.insert(change.id.name);
    }
  EXPECT_EQ(synced, all.size());
  EXPECT_GT(counts["Namespace"], 3);
  EXPECT_TRUE(nodes.contains(node()));

  const auto pod = make_pod("one");
  EXPECT_EQ(bind(pod, node()).outcome, WriteOutcome::kBound);
  std::set<std::string> seen;
  bool on_node = false;
  const auto later = std::chrono::steady_clock::now() + seconds(10);
  while (!on_node && std::chrono::steady_clock::now() < later)
    for (const auto& change : client_->queue().take(100, milliseconds(200))) {
      if (change.kind->kind != "Pod" || change.id.uid != pod.uid) continue;
      EXPECT_TRUE(seen.insert(change.id.resource_version).second) << "told twice";
      on_node = on_node || (change.object && std::get<Pod>(*change.object).spec.node_name == node());
    }
  EXPECT_TRUE(on_node);
}

INSTANTIATE_TEST_SUITE_P(Both, LiveLists, testing::Bool(), [](const auto& one) { return one.param ? "Streamed" : "Pages"; });

TEST_F(LiveCluster, Bindings) {
  auto pod = make_pod("one");
  const auto bound = bind(pod, node());
  EXPECT_EQ(bound.outcome, WriteOutcome::kBound) << bound.message;
  EXPECT_EQ(bind(pod, node()).outcome, WriteOutcome::kAlreadyBound);
  EXPECT_EQ(bind({ns_, "absent", "", ""}, node()).outcome, WriteOutcome::kGone);
  auto other = make_pod("two");
  other.uid = "00000000-0000-0000-0000-000000000000";
  const auto wrong = bind(other, node());
  EXPECT_EQ(wrong.outcome, WriteOutcome::kGone) << wrong.message;
  const auto gated = bind(make_pod("gated", R"(,"schedulingGates":[{"name":"a.b/c"}])"), node());
  EXPECT_EQ(gated.outcome, WriteOutcome::kNotBindable) << gated.message;
}

TEST_F(LiveCluster, Evictions) {
  auto pod = make_pod("one");
  const auto evict = [&](const Identity& one) { return wait([&](OnWritten on) { writer_->evict({one}, on); }); };
  auto other = pod;
  other.uid = "00000000-0000-0000-0000-000000000000";
  const auto wrong = evict(other);
  EXPECT_EQ(wrong.outcome, WriteOutcome::kGone) << wrong.message;
  EXPECT_EQ(evict(pod).outcome, WriteOutcome::kEvicted);
  EXPECT_EQ(evict({ns_, "absent", "", ""}).outcome, WriteOutcome::kGone);
  const auto budget = wait([&](OnWritten on) {
    writer_->create({"policy/v1", "poddisruptionbudgets", ns_},
                    R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},)"
                    R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})",
                    on);
  });
  ASSERT_EQ(budget.outcome, WriteOutcome::kDone) << budget.message;
  const auto guarded = make_pod("two");
  ASSERT_EQ(bind(guarded, node()).outcome, WriteOutcome::kBound);
  const auto running = R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";
  wait([&](OnWritten on) { writer_->patch({"v1", "pods", ns_, "two", "status"}, PatchType::kMerge, running, on); });
  const auto blocked = evict({ns_, "two", guarded.uid, ""});
  EXPECT_EQ(blocked.outcome, WriteOutcome::kBlockedByBudget) << blocked.message;
}

TEST_F(LiveCluster, OtherWrites) {
  const ObjectPath path{"v1", "configmaps", ns_, "c"};
  const auto body = [&](const std::string& value) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":")" + ns_ + R"("},"data":{"k":")" + value +
           R"("}})";
  };
  const auto apply = [&](const std::string& manager, bool force, const std::string& value) {
    return wait([&](OnWritten on) { writer_->apply(path, manager, force, body(value), on); });
  };
  EXPECT_EQ(apply("one", false, "1").outcome, WriteOutcome::kDone);
  const auto theirs = apply("two", false, "2");
  EXPECT_EQ(theirs.outcome, WriteOutcome::kManagedByOthers) << theirs.message;
  EXPECT_EQ(apply("two", true, "2").outcome, WriteOutcome::kDone);
  EXPECT_EQ(wait([&](OnWritten on) { writer_->create({"v1", "configmaps", ns_}, body("3"), on); }).outcome,
            WriteOutcome::kAlreadyExists);
  const auto stale = R"({"metadata":{"resourceVersion":"1"},"data":{"k":"4"}})";
  EXPECT_EQ(wait([&](OnWritten on) { writer_->patch(path, PatchType::kMerge, stale, on); }).outcome, WriteOutcome::kConflict);
  const auto of_another = R"({"metadata":{"uid":"00000000-0000-0000-0000-000000000000"},"data":{"k":"4"}})";
  const auto wrong = wait([&](OnWritten on) { writer_->patch(path, PatchType::kMerge, of_another, on); });
  EXPECT_EQ(wrong.outcome, WriteOutcome::kGone) << wrong.message;
  const auto test = R"([{"op":"test","path":"/data/k","value":"other"}])";
  EXPECT_EQ(wait([&](OnWritten on) { writer_->patch(path, PatchType::kJson, test, on); }).outcome, WriteOutcome::kInvalid);
  EXPECT_EQ(wait([&](OnWritten on) { writer_->remove(path, "", on); }).outcome, WriteOutcome::kDone);
  EXPECT_EQ(wait([&](OnWritten on) { writer_->remove(path, "", on); }).outcome, WriteOutcome::kGone);
}

TEST_F(LiveCluster, Lease) {
  ElectionSettings settings;
  settings.ns = ns_;
  settings.lease_duration = seconds(3);
  settings.renew_deadline = seconds(2);
  settings.retry_period = milliseconds(300);
  std::unique_ptr<LeaderElection> a;
  std::unique_ptr<LeaderElection> b;
  const auto start = [&](std::unique_ptr<LeaderElection>& out, const std::string& identity) {
    auto own = settings;
    own.identity = identity;
    client_->loop().run([&] {
      out = std::make_unique<LeaderElection>(client_->loop(), own, system_random(), LeaderElection::Events{});
      out->start();
    });
  };
  const auto becomes = [](const std::function<bool()>& true_) {
    for (int i = 0; i < 600 && !true_(); ++i) std::this_thread::sleep_for(milliseconds(10));
    return true_();
  };
  start(a, "a");
  EXPECT_TRUE(becomes([&] { return a->may_write(); }));
  const ObjectPath lease{"coordination.k8s.io/v1", "leases", ns_, settings.name};
  const auto label = R"({"metadata":{"labels":{"muster.test/kept":"yes"}}})";
  EXPECT_EQ(wait([&](OnWritten on) { writer_->patch(lease, PatchType::kMerge, label, on); }).outcome, WriteOutcome::kDone);
  start(b, "b");
  std::this_thread::sleep_for(seconds(4));
  EXPECT_TRUE(a->may_write());
  EXPECT_FALSE(b->may_write());
  std::promise<void> released;
  client_->loop().run([&] { a->stop([&](bool) { released.set_value(); }); });
  released.get_future().wait();
  EXPECT_TRUE(becomes([&] { return b->may_write(); }));
  EXPECT_NE(client_->get({Method::kGet, lease.text()}).body.find(R"("muster.test/kept":"yes")"), std::string::npos);
  EXPECT_EQ(wait([&](OnWritten on) { writer_->remove(lease, "", on); }).outcome, WriteOutcome::kDone);
  EXPECT_TRUE(becomes([&] { return client_->get({Method::kGet, lease.text()}).status == 200; })) << "the leader makes it again";
  EXPECT_TRUE(becomes([&] { return b->may_write(); }));
  client_->loop().run([&] {
    a.reset();
    b.reset();
  });
}

}  // namespace
}  // namespace muster::kube
