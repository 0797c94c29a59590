// A whole scheduler of Volcano's dialect against a small API server on the loopback, as those see it who look after it: the JSON
// API, the audit, and what follows when the audit finds the same thing twice.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "app/http_client.h"
#include "daemon/daemon.h"
#include "daemon/recorded_cluster.h"
#include "daemon/state_keeper.h"
#include "daemon/volcano_setup.h"
#include "model/json.h"
#include "support/kubeconfig_text.h"
#include "unit/daemon/silent_api_server.h"
#include "unit/daemon/soon.h"
#include "unit/server/raw_client.h"

namespace muster::daemon {
namespace {

// The first of its cycles takes until evictions are stopped, and then evicts.
class LateCluster final : public LiveCluster {
 public:
  LateCluster(std::function<bool()> is_stopped, std::shared_ptr<std::atomic<bool>> has_evicted)
      : is_stopped_(std::move(is_stopped)), has_evicted_(std::move(has_evicted)) {}

  bool wants(const kube::ResourceKind& kind) const override { return kind.kind == "Pod"; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    if (*has_evicted_) return outcome;
    for (int i = 0; i < 4 && !*has_evicted_; ++i) *has_evicted_ = soon(is_stopped_);
    outcome.effects.evictions.push_back({{"ns", "large-0", "u-large-0", ""}});
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }

 private:
  std::function<bool()> is_stopped_;
  std::shared_ptr<std::atomic<bool>> has_evicted_;
};

class WatchedDaemonTest : public testing::Test {
 protected:
  void SetUp() override {
    api_.set("/api/v1/nodes", "n1",
             "{" + open_metadata("n1", 1, false) + R"(},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}})");
    api_.set("/apis/scheduling.volcano.sh/v1beta1/queues", "default",
             "{" + open_metadata("default", 2, false) + R"(},"spec":{"weight":1},"status":{"state":"Open"}})");
    api_.set("/apis/scheduling.volcano.sh/v1beta1/podgroups", "large",
             "{" + open_metadata("large", 3) + R"(},"spec":{"minMember":1,"queue":"default"},"status":{"phase":"Inqueue"}})");
    set_pod(4);
    std::filesystem::create_directories(dumps_);
    kubeconfig_ = std::filesystem::temp_directory_path() / ("muster-watched-test-" + std::to_string(getpid()));
    std::ofstream(kubeconfig_) << kubeconfig_for(api_.port());
  }
  void TearDown() override {
    if (daemon_) daemon_->stop();
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove(kubeconfig_);
    std::filesystem::remove_all(dumps_);
  }
  // A pod that asks for more than the node has.
  void set_pod(int version) {
    api_.set("/api/v1/pods", "large-0",
             "{" + open_metadata("large-0", version) +
                 R"(,"annotations":{"scheduling.k8s.io/group-name":"large"}},"spec":{"schedulerName":"volcano","containers":)"
                 R"([{"name":"c","resources":{"requests":{"cpu":"8"}}}]},"status":{"phase":"Pending"}})");
  }

  void start(double audit_rate, const std::shared_ptr<StateKeeper>& keeper = nullptr) {
    start(audit_rate,
          keeper ? recorded_clusters({.dialect = "volcano"}, {}, keeper, log_)
                 : volcano_clusters({.exact = false, .lenient = false, .flags = {}}, log_),
          keeper);
  }
  void start(double audit_rate, MakeCluster clusters, const std::shared_ptr<StateKeeper>& keeper) {
    DaemonOptions options;
    options.dialect = "volcano";
    options.access.kubeconfig = kubeconfig_.string();
    options.leader_elect = false;
    options.monitor.listen = "127.0.0.1:0";
    options.audit = {.per_second = audit_rate, .slice = 100};
    options.outlets.dump_folder = dumps_.string();
    options.cycles.check = std::chrono::milliseconds(1);
    options.trust.first = std::chrono::milliseconds(200);
    options.keeper = keeper;
    daemon_ = std::make_unique<Daemon>(std::move(options), std::move(clusters), log_);
    thread_ = std::thread([this] { EXPECT_TRUE(daemon_->run()); });
    ASSERT_TRUE(soon([&] { return port_ != 0; }));
    ASSERT_TRUE(soon([&] { return get("/readyz").status == 200; }));
  }
  HttpResponse ask(HttpRequest::Method method, const std::string& path) {
    HttpClient client;
    HttpRequest request;
    request.method = method;
    request.url = "http://127.0.0.1:" + std::to_string(port_) + path;
    request.timeout_nanos = 20'000'000'000;
    request.largest_answer = std::size_t{1} << 20;
    auto answer = client.send(request);
    return answer ? std::move(*answer) : HttpResponse{.status = 0, .body = answer.error().message};
  }
  HttpResponse get(const std::string& path) { return ask(HttpRequest::Method::kGet, path); }
  // Head and body as they come over the wire.
  std::string raw(const std::string& path, const std::string& more) {
    server::RawClient client(static_cast<std::uint16_t>(port_.load()));
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
    return client.read_answer();
  }
  bool metrics_say(const std::string& line) { return get("/metrics").body.find("\n" + line + "\n") != std::string::npos; }

  SilentApiServer api_;
  std::filesystem::path kubeconfig_;
  const std::filesystem::path dumps_ = std::filesystem::temp_directory_path() / ("muster-watched-" + std::to_string(getpid()));
  kube::SystemClock clock_;
  std::atomic<int> port_ = 0;
  std::mutex mutex_;
  std::string lines_;
  Log log_{{}, clock_, [this](std::string_view line) {
             if (const auto at = line.find("port="); at != std::string_view::npos) port_ = std::atoi(line.data() + at + 5);
             const std::lock_guard lock(mutex_);
             lines_ += line;
           }};
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
};

TEST_F(WatchedDaemonTest, TheApiTellsWhatThereIs) {
  start(0);
  const auto state = get("/api/v1/state");
  EXPECT_EQ(state.status, 200);
  EXPECT_NE(state.body.find(R"({"dialect":"volcano","synced":true,)"), std::string::npos) << state.body;
  EXPECT_NE(state.body.find(R"("leading":true)"), std::string::npos) << state.body;
  EXPECT_NE(state.body.find(R"("nodes":1,"pods":1,"jobs":1,)"), std::string::npos) << state.body;
  EXPECT_NE(get("/api/v1/jobs").body.find(R"({"job":"ns/large","queue":"default","state":"waiting")"), std::string::npos)
      << get("/api/v1/jobs").body;
  EXPECT_NE(get("/api/v1/queues").body.find(R"({"queue":"default")"), std::string::npos);
  EXPECT_NE(get("/api/v1/nodes").body.find(R"("cpu":{"allocatable":4,"used":0,"idle":4,"releasing":0})"), std::string::npos)
      << get("/api/v1/nodes").body;
  for (const char* path : {"/api/v1/decisions", "/api/v1/decisions?before=7&limit=3"})
    EXPECT_TRUE(get(path).body.starts_with(R"({"decisions":[],"process":")")) << path;
  for (const char* path : {"/api/v1/decisions?before=x", "/api/v1/decisions?limit=-1"}) EXPECT_EQ(get(path).status, 400) << path;
  const auto job = get("/api/v1/jobs/ns/large");
  EXPECT_EQ(job.status, 200);
  EXPECT_NE(job.body.find(R"("reason":{"code":)"), std::string::npos) << job.body;
}

TEST_F(WatchedDaemonTest, ShowsWhatItWorksOnWhenAsked) {
  start(0);
  daemon_->dump(DumpTo::kLog);
  const auto says = [&](const std::string& text) {
    const std::lock_guard lock(mutex_);
    return lines_.find(text) != std::string::npos;
  };
  EXPECT_TRUE(soon([&] { return says(R"("dump" node="{\"node\":\"n1\")") && says(R"("dump" job="{\"job\":\"ns/large\")"); }))
      << lines_;
  daemon_->dump(DumpTo::kFile);
  ASSERT_TRUE(soon([&] { return says("a dump was written"); })) << lines_;
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(dumps_)) {
    ++files;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    EXPECT_TRUE(text.str().starts_with(R"({"n1":{"Name":"n1","Node":{)")) << text.str();
    EXPECT_NE(text.str().find(R"({"ns/large":{"UID":"ns/large","Name":"large","Namespace":"ns","Queue":"default")"),
              std::string::npos);
  }
  EXPECT_EQ(files, 1u);
}

// It takes time, so it is only looked for when somebody wants to know.
TEST_F(WatchedDaemonTest, AJobThatWaitsSaysWhatWouldMakeItFit) {
  start(0, std::make_shared<StateKeeper>(log_));
  EXPECT_EQ(get("/api/v1/jobs/ns/large").body.find("fits_if"), std::string::npos);
  const auto told = get("/api/v1/jobs/ns/large?fits_if");
  EXPECT_EQ(told.status, 200);
  const auto json = read_json(told.body);
  ASSERT_TRUE(json) << told.body;
  EXPECT_EQ(text_at(&*json, "state"), "waiting");
  const auto* tried = json->find("whatif");
  ASSERT_NE(tried, nullptr) << told.body;
  EXPECT_EQ(text_at(tried, "verdict"), "waits");
  EXPECT_NE(tried->find("notes"), nullptr);
  const auto* changes = json->find("fits_if");
  ASSERT_NE(changes, nullptr) << told.body;
  ASSERT_EQ(changes->items.size(), 1u) << told.body;
  EXPECT_EQ(text_at(&changes->items.front(), "text"), "no container asked for more than 4 of cpu (now 8)");
  const auto by_pod = get("/api/v1/jobs/ns/large-0?fits_if");  // the question is about its job
  EXPECT_NE(by_pod.body.find("no container asked for more than 4 of cpu (now 8)"), std::string::npos) << by_pod.body;
  EXPECT_NE(get("/api/v1/state").body.find(R"("timelines","whatif","fits_if"])"), std::string::npos) << get("/api/v1/state").body;
}

TEST_F(WatchedDaemonTest, ListsAreTaggedAndPacked) {
  start(0);
  for (const std::string path : {"/api/v1/jobs", "/api/v1/nodes", "/api/v1/queues"}) {
    // Until the answer is made anew it is that of the first one who asked.
    const auto whole = raw(path, "");
    EXPECT_EQ(server::status_of(whole), "200");
    const auto at = whole.find("ETag: ");
    ASSERT_NE(at, std::string::npos) << whole;
    const auto tag = whole.substr(at + 6, whole.find("\r\n", at) - at - 6);
    EXPECT_EQ(server::status_of(raw(path, "If-None-Match: " + tag + "\r\n")), "304") << path;
  }
  // One of a second ago was not kept for others, but is the same.
  const auto before = get("/api/v1/queues").body;
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(get("/api/v1/queues").body, before);
}

TEST_F(WatchedDaemonTest, CyclesAreTold) {
  start(0);
  ASSERT_TRUE(soon([&] { return get("/api/v1/cycles").body.find(R"({"cycle":1,"time":")") != std::string::npos; }));
  EXPECT_NE(get("/api/v1/cycles").body.find(R"("phases":{)"), std::string::npos);
  EXPECT_NE(get("/api/v1/state").body.find(R"("tells":["configuration","cycles","events","node","timelines"])"), std::string::npos)
      << get("/api/v1/state").body;
}

TEST_F(WatchedDaemonTest, ConfigurationNodesAndTimelinesAreTold) {
  start(0);
  const auto config = get("/api/v1/configuration").body;
  EXPECT_NE(config.find(R"("source":"built in","text":"","sections":[{"name":"actions",)"), std::string::npos) << config;
  EXPECT_NE(config.find(R"({"name":"gang",)"), std::string::npos) << config;
  EXPECT_NE(get("/api/v1/nodes/n1").body.find(R"("pod_names":[]})"), std::string::npos) << get("/api/v1/nodes/n1").body;
  EXPECT_EQ(get("/api/v1/nodes/n7").status, 404);
  EXPECT_EQ(get("/api/v1/nodes/a/b").status, 404);
  EXPECT_EQ(get("/api/v1/timelines/ns/large").body, "{\"events\":[]}\n");
  EXPECT_EQ(get("/api/v1/jobs/ns/large").status, 200);
  EXPECT_NE(get("/api/v1/timelines/ns/large").body.find(R"("kind":"reason","text":"waits: )"), std::string::npos)
      << "why it waits, since somebody has looked: " << get("/api/v1/timelines/ns/large").body;
  EXPECT_EQ(get("/api/v1/timelines/large").status, 404);
}

TEST_F(WatchedDaemonTest, NewsAreStreamed) {
  start(10'000);
  server::RawClient client(static_cast<std::uint16_t>(port_.load()));
  client.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(client.read_until(": alive\n\n").find("Content-Type: text/event-stream"), std::string::npos);
  set_pod(5);  // which the audit finds
  const auto event = client.read_until("}\n\n");
  EXPECT_NE(event.find("event: cycle\ndata: {\"cycle\":"), std::string::npos) << event;
  EXPECT_EQ(server::status_of(raw("/api/v1/events", "X: y\r\n").substr(0, 12)), "200");
}

TEST_F(WatchedDaemonTest, TheApiSaysWhatThereIsNot) {
  start(0);
  for (const char* path : {"/api/v1/jobs/ns/nobody", "/api/v1/jobs/ns", "/api/v1/jobs/a/b/c", "/api/v1/", "/api/v2/state"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body.rfind("{\"error\": ", 0), 0U) << answer.body;
  }
  EXPECT_EQ(ask(HttpRequest::Method::kPost, "/api/v1/jobs").status, 405);
}

TEST_F(WatchedDaemonTest, ALostChangeIsFoundAndASecondOneEndsEvictionsForAWhile) {
  start(10'000);
  ASSERT_TRUE(soon([&] { return get("/metrics").body.find("\nmuster_audit_checked_total 0\n") == std::string::npos; }));
  EXPECT_EQ(get("/metrics").body.find("muster_audit_mismatches_total{"), std::string::npos);
  set_pod(5);  // no watch tells of it
  ASSERT_TRUE(soon([&] { return metrics_say(R"(muster_audit_mismatches_total{kind="Pod"} 1)"); }));
  EXPECT_TRUE(metrics_say("muster_evictions_stopped 0"));
  set_pod(6);
  ASSERT_TRUE(soon([&] { return metrics_say(R"(muster_broken_invariants_total{invariant="audit"} 1)"); }));
  // Everything is listed anew, and is in order.
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return lines_.find("evictions are allowed again") != std::string::npos;
  }));
  EXPECT_TRUE(soon([&] { return metrics_say("muster_evictions_stopped 0"); }));
  EXPECT_TRUE(soon([&] { return get("/readyz").status == 200; }));
}

// The audit finds it on the thread of the loop, while another thread decides.
TEST_F(WatchedDaemonTest, WhoIsChosenByACycleThatWasUnderWayWhenEvictionsStoppedStays) {
  const auto has_evicted = std::make_shared<std::atomic<bool>>(false);
  start(
      10'000,
      [&](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> {
        return std::make_unique<LateCluster>([this] { return metrics_say("muster_evictions_stopped 1"); }, has_evicted);
      },
      nullptr);
  set_pod(5);
  ASSERT_TRUE(soon([&] { return metrics_say(R"(muster_audit_mismatches_total{kind="Pod"} 1)"); }));
  set_pod(6);
  ASSERT_TRUE(soon([&] { return has_evicted->load(); }));
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return lines_.find("evictions are allowed again") != std::string::npos;
  }));
  EXPECT_FALSE(api_.is_written("/api/v1/namespaces/ns/pods/large-0/eviction"));
}

}  // namespace
}  // namespace muster::daemon
