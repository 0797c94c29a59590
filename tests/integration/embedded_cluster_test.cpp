// The embedded cluster over real sockets, with the client that the scheduler uses: reflectors and writes.

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <thread>

#include "daemon/claim_bodies.h"
#include "integration/client.h"
#include "kube/api_writer.h"
#include "sim/cluster.h"

namespace muster::kube {
namespace {

using std::chrono::seconds;

const ResourceKind& pods() { return resource_kinds().back(); }
const ObjectPath kPods{"v1", "pods", "default"};
ObjectPath pod_path(const std::string& name, const std::string& subresource = {}) {
  return {"v1", "pods", "default", name, subresource};
}

std::string pod(const std::string& name, const std::string& labels = {}) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","labels":{)" + labels +
         R"(}},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})";
}

class EmbeddedCluster : public testing::Test {
 protected:
  EmbeddedCluster() {
    sim::ClusterSettings settings;
    settings.token = "secret";
    cluster_ = std::make_unique<sim::Cluster>(std::move(settings));
    const auto started = cluster_->start();
    if (!started) throw std::runtime_error(started.error().text());
    Access access;
    access.server = cluster_->address();
    client_ = std::make_unique<Client>(access);
    writer_ = std::make_unique<ApiWriter>(client_->loop());
  }
  ~EmbeddedCluster() override {
    client_.reset();
    cluster_.reset();
  }

  // Asks, and waits for what became of it.
  template <class Ask>
  WriteResult wait_for(Ask&& ask) {
    std::promise<WriteResult> promise;
    ask([&](WriteResult result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  WriteOutcome create(const ObjectPath& path, const std::string& body) {
    return wait_for([&](OnWritten done) { writer_->create(path, body, std::move(done)); }).outcome;
  }
  WriteOutcome bind(const std::string& name, const std::string& uid = {}) {
    return wait_for([&](OnWritten done) { writer_->bind({.pod = {"default", name, uid, ""}, .node = "n"}, std::move(done)); })
        .outcome;
  }
  WriteOutcome evict(const std::string& name) {
    return wait_for([&](OnWritten done) { writer_->evict({.pod = {"default", name, "", ""}}, std::move(done)); }).outcome;
  }
  WriteOutcome patch(const ObjectPath& path, PatchType type, const std::string& body) {
    return wait_for([&](OnWritten done) { writer_->patch(path, type, body, std::move(done)); }).outcome;
  }

  std::unique_ptr<sim::Cluster> cluster_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<ApiWriter> writer_;
};

TEST_F(EmbeddedCluster, WritesMeanWhatTheyMeanToARealServer) {
  EXPECT_EQ(create(kPods, pod("p")), WriteOutcome::kDone);
  EXPECT_EQ(create(kPods, pod("p")), WriteOutcome::kAlreadyExists);
  EXPECT_EQ(bind("p", "another"), WriteOutcome::kGone);
  EXPECT_EQ(bind("p"), WriteOutcome::kBound);
  EXPECT_EQ(bind("p"), WriteOutcome::kAlreadyBound);
  EXPECT_EQ(bind("none"), WriteOutcome::kGone);
  EXPECT_EQ(patch(pod_path("p", "status"), PatchType::kStrategic,
                  R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"),
            WriteOutcome::kDone);
  EXPECT_EQ(patch(pod_path("p"), PatchType::kMerge, R"({"metadata":{"resourceVersion":"1"}})"), WriteOutcome::kConflict);
  EXPECT_EQ(patch(pod_path("p"), PatchType::kJson, R"([{"op":"test","path":"/spec/nodeName","value":"other"}])"),
            WriteOutcome::kInvalid);
  EXPECT_EQ(evict("p"), WriteOutcome::kEvicted);
  EXPECT_EQ(evict("none"), WriteOutcome::kGone);
  const auto apply = [&](const std::string& manager, bool force, const std::string& value) {
    return wait_for([&](OnWritten done) {
             writer_->apply({"v1", "configmaps", "default", "c"}, manager, force,
                            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":")" + value + "\"}}",
                            std::move(done));
           })
        .outcome;
  };
  EXPECT_EQ(apply("x", false, "1"), WriteOutcome::kDone);
  EXPECT_EQ(apply("y", false, "2"), WriteOutcome::kManagedByOthers);
  EXPECT_EQ(apply("y", true, "2"), WriteOutcome::kDone);
}

// By the bodies that are sent for pods with claims.
TEST_F(EmbeddedCluster, PodsShareAClaimAndLetItGoOneByOne) {
  EXPECT_EQ(create({daemon::kDeviceApi, "resourceclaims", "default"},
                   R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{}})"),
            WriteOutcome::kDone);
  using daemon::finalizer_body;
  using daemon::reservation_body;
  using daemon::unreserve_body;
  ResourceClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "c";
  const auto written = [&] {
    sim::Tree out;
    cluster_->with([&](sim::Registry& registry) {
      out = (*registry.get(sim::kind_named("resource.k8s.io", "resourceclaims"), {"default", "c"}))->tree();
    });
    return out;
  };
  claim.meta.uid = written().text_at("metadata.uid");
  const auto status = [&](const std::string& body) { return patch(daemon::status_path_of(claim), PatchType::kStrategic, body); };
  const auto reserved = [&] {
    const auto now = written();
    std::string out;
    if (const auto* list = now.at("status.reservedFor"))
      for (const auto& one : *list->as_list()) out += std::string(one.text_at("name")) + " ";
    return out + (now.at("status.allocation") == nullptr ? "of nothing" : "of devices");
  };
  const Identity a{"default", "a", "uid-a", ""};
  const Identity b{"default", "b", "uid-b", ""};
  EXPECT_EQ(patch(daemon::path_of(claim), PatchType::kStrategic, finalizer_body(claim)), WriteOutcome::kDone);
  EXPECT_EQ(written().at("metadata.finalizers")->text(), R"(["resource.kubernetes.io/delete-protection"])");
  EXPECT_EQ(status(reservation_body(claim, a, R"({"devices":{"results":[]}})")), WriteOutcome::kDone);
  EXPECT_EQ(status(reservation_body(claim, b, "")), WriteOutcome::kDone);
  EXPECT_EQ(status(reservation_body(claim, b, "")), WriteOutcome::kDone) << "asked again, it changes nothing";
  EXPECT_EQ(reserved(), "a b of devices");
  EXPECT_EQ(status(unreserve_body(claim, a, daemon::Allocation::kStays)), WriteOutcome::kDone);
  EXPECT_EQ(reserved(), "b of devices");
  EXPECT_EQ(status(unreserve_body(claim, b, daemon::Allocation::kGoes)), WriteOutcome::kDone);
  EXPECT_EQ(reserved(), "of nothing");
}

TEST_F(EmbeddedCluster, BudgetsBlockEvictions) {
  EXPECT_EQ(create({"policy/v1", "poddisruptionbudgets", "default"},
                   R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},)"
                   R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})"),
            WriteOutcome::kDone);
  EXPECT_EQ(create(kPods, pod("p", R"("a":"b")")), WriteOutcome::kDone);
  EXPECT_EQ(bind("p"), WriteOutcome::kBound);
  EXPECT_EQ(patch(pod_path("p", "status"), PatchType::kMerge,
                  R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"),
            WriteOutcome::kDone);
  EXPECT_EQ(evict("p"), WriteOutcome::kBlockedByBudget);
}

TEST_F(EmbeddedCluster, WithoutTheSecretThereIsNothing) {
  Access access;
  access.server = "http://127.0.0.1:" + std::to_string(cluster_->port());
  Client stranger(access);
  EXPECT_EQ(stranger.get({.path = "/api/v1/pods"}).status, 404);
  EXPECT_EQ(client_->get({.path = "/api/v1/pods"}).status, 200);
}

class Followed : public EmbeddedCluster, public testing::WithParamInterface<bool> {};

TEST_P(Followed, FromTheListToTheWatch) {
  ReflectorSettings settings;
  settings.streams_lists = GetParam();
  settings.page = 2;
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(create(kPods, pod(name)), WriteOutcome::kDone);
  auto& reflector = client_->follow(pods(), settings);
  std::string first = client_->told(4);
  first.erase(std::remove_if(first.begin(), first.end(), [](char c) { return c >= '0' && c <= '9'; }), first.end());
  EXPECT_EQ(first, "+a +b +c =");
  EXPECT_TRUE(reflector.synced());
  EXPECT_EQ(bind("b"), WriteOutcome::kBound);
  EXPECT_EQ(wait_for([&](OnWritten done) { writer_->remove(pod_path("a"), "", std::move(done)); }).outcome, WriteOutcome::kDone);
  auto then = client_->told(2);
  then.erase(std::remove_if(then.begin(), then.end(), [](char c) { return c >= '0' && c <= '9'; }), then.end());
  EXPECT_EQ(then, "*b -a");
}
INSTANTIATE_TEST_SUITE_P(PagesAndStreams, Followed, testing::Bool());

// Every one of many watchers gets every one of many objects once. How fast is said, not judged: other work may run beside.
TEST_F(EmbeddedCluster, ManyWatchersLoseNothing) {
  constexpr int kWatchers = 50;
  constexpr int kObjects = 2000;
  for (int i = 0; i < kWatchers; ++i) client_->follow(pods(), {});
  int synced = 0;
  const auto end = std::chrono::steady_clock::now() + seconds(120);
  while (synced < kWatchers && std::chrono::steady_clock::now() < end)
    synced += static_cast<int>(client_->queue().take(1000, std::chrono::milliseconds(100)).size());
  ASSERT_EQ(synced, kWatchers);

  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> made = 0;
  for (int i = 0; i < kObjects; ++i)
    writer_->create(kPods, pod("p" + std::to_string(i)),
                    [&](WriteResult result) { made += result.outcome == WriteOutcome::kDone ? 1 : 0; });
  std::map<std::string, int> seen;
  int events = 0;
  while (events < kWatchers * kObjects && std::chrono::steady_clock::now() < end)
    for (const auto& change : client_->queue().take(10'000, std::chrono::milliseconds(100))) {
      ASSERT_EQ(change.type, ChangeType::kAdded);
      ++seen[change.id.name];
      ++events;
    }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("[          ] %d creates seen by %d watchers in %.2f s: %.0f creates a second\n", kObjects, kWatchers, took.count(),
              kObjects / took.count());
  // A watcher may be told of an object before its creator.
  while (made < kObjects && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(made, kObjects);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kObjects));
  for (const auto& [name, count] : seen) EXPECT_EQ(count, kWatchers) << name;
}

}  // namespace
}  // namespace muster::kube
