// A scheduler of KAI's dialect against an API server that refuses what it asks for, over and over: how often it asks.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <unistd.h>

#include "daemon/daemon.h"
#include "daemon/kai_setup.h"
#include "integration/scripted_server.h"
#include "model/json.h"
#include "support/kubeconfig_text.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

constexpr const char* kEviction = "/api/v1/namespaces/t/pods/low/eviction";
constexpr const char* kRequests = "/apis/scheduling.run.ai/v1alpha2/namespaces/t/bindrequests";
constexpr const char* kEvents = "/apis/events.k8s.io/v1/namespaces/t/events";
constexpr const char* kPods = "/api/v1/namespaces/t/pods/";
constexpr const char* kNone = R"({"kind":"Status","code":404,"reason":"NotFound","message":"no such request"})";

std::string meta(const std::string& name, const std::string& more = {}) {
  return R"("metadata":{"name":")" + name + R"(","uid":"u-)" + name + R"(","resourceVersion":"1")" + more + "}";
}
std::string node(const std::string& cpus) {
  return "{" + meta("n1") + R"(,"spec":{},"status":{"allocatable":{"cpu":")" + cpus +
         R"(","memory":"8Gi","pods":"9"},"conditions":[{"type":"Ready","status":"True"}]}})";
}
std::string queue(const std::string& name, const std::string& more) {
  std::string amounts;
  for (const auto* resource : {"cpu", "memory", "gpu"})
    amounts += std::string(amounts.empty() ? "" : ",") + "\"" + resource + R"(":{"quota":-1,"limit":-1,"overQuotaWeight":1})";
  return "{" + meta(name) + R"(,"spec":{)" + more + R"("resources":{)" + amounts + "}}}";
}
std::string priority(const std::string& name, int value) { return "{" + meta(name) + R"(,"value":)" + std::to_string(value) + "}"; }
std::string group(const std::string& name) {
  return "{" + meta(name, R"(,"namespace":"t")") + R"(,"spec":{"minMember":1,"queue":"team","priorityClassName":")" +
         (name == "high" ? "urgent" : "train") + R"("}})";
}
// The one called low runs.
std::string pod(const std::string& name) {
  const bool runs = name == "low";
  return "{" + meta(name, R"(,"namespace":"t","annotations":{"pod-group-name":")" + name + R"("})") +
         R"(,"spec":{"schedulerName":"kai-scheduler",)" + (runs ? R"("nodeName":"n1",)" : "") +
         R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":")" +
         (runs ? "Running" : "Pending") + R"("}})";
}

struct Refusal {
  const char* name;
  int status;
  const char* message;
  std::string text() const {
    return R"({"kind":"Status","status":"Failure","code":)" + std::to_string(status) + R"(,"message":")" + message + R"("})";
  }
};
constexpr const char* kDenied = R"(admission webhook \"w.example\" denied the request: it moves by itself)";

class RefusedWrites : public testing::TestWithParam<Refusal> {
 protected:
  ~RefusedWrites() override { std::filesystem::remove(kubeconfig_); }

  // With a node of so many cores, and pods that want one each.
  void run(const std::string& cpus, const std::vector<std::string>& pods) {
    cpus_ = cpus;
    pods_ = pods;
    server_ = std::make_unique<kube::ScriptedServer>(
        [this](const kube::ServerRequest& request, kube::ServerConnection& to) { return serve(request, to); });
    std::ofstream(kubeconfig_) << kubeconfig_for(server_->address());
    DaemonOptions options;
    options.access.kubeconfig = kubeconfig_.string();
    options.leader_elect = false;
    options.dialect = "kai";
    daemon_ = std::make_unique<Daemon>(options, kai_clusters({}, log_), log_);
    running_ = std::thread([this] { EXPECT_TRUE(daemon_->run()); });
  }
  void TearDown() override {
    daemon_->stop();
    running_.join();
  }

  std::vector<std::string> objects(const std::string& collection) const {
    std::vector<std::string> out;
    if (collection == "/api/v1/nodes") return {node(cpus_)};
    if (collection == "/apis/scheduling.run.ai/v2/queues")
      return {queue("department", ""), queue("team", R"("parentQueue":"department",)")};
    if (collection == "/apis/scheduling.k8s.io/v1/priorityclasses") return {priority("train", 50), priority("urgent", 90)};
    if (collection == "/apis/scheduling.run.ai/v2alpha2/podgroups")
      for (const auto& name : pods_) out.push_back(group(name));
    if (collection == "/api/v1/pods")
      for (const auto& name : pods_) out.push_back(pod(name));
    return out;
  }

  // Whether the connection stays.
  bool serve(const kube::ServerRequest& request, kube::ServerConnection& to) {
    const auto path = request.path.substr(0, request.path.find('?'));
    if (request.method == "POST") return take(path, request.body, to), true;
    if (request.method != "GET") return to.answer(200, "{}"), true;
    if (path.starts_with(kRequests + std::string("/"))) return to.answer(404, kNone), true;
    if (path.starts_with(kPods)) return to.answer(200, pod(path.substr(path.rfind('/') + 1))), true;
    to.begin_stream();
    for (const auto& object : objects(path)) to.chunk(R"({"type":"ADDED","object":)" + object + "}\n");
    to.chunk(
        R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}})"
        "\n");
    to.wait(1min);
    return false;
  }

  void take(const std::string& path, const std::string& body, kube::ServerConnection& to) {
    const std::lock_guard lock(mutex_);
    const auto json = read_json(body);
    const auto name = text_at(json->find("metadata"), "name");
    if (path == kEvents) {
      told_[text_at(json->find("regarding"), "name") + " " + text_at(&*json, "reason")] += text_at(&*json, "note");
      return to.answer(201, body);
    }
    const bool is_refused = path == kEviction || (path == kRequests && name == "refused");
    asked_[path == kEviction ? "eviction" : name].push_back(std::chrono::steady_clock::now());
    is_refused ? to.answer(GetParam().status, GetParam().text()) : to.answer(201, body);
  }

  std::size_t asked(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return asked_[name].size();
  }
  std::string told(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return told_[what];
  }
  // How long after the first of these requests the last one came, of so many, and no more in the moment after it.
  std::chrono::milliseconds time_of(const std::string& name, std::size_t times) {
    for (int i = 0; i < 1000 && asked(name) < times; ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(asked(name), times) << name;
    const std::lock_guard lock(mutex_);
    const auto& all = asked_[name];
    return std::chrono::duration_cast<std::chrono::milliseconds>(all.empty() ? 0s : all.back() - all.front());
  }

  std::string cpus_;
  std::vector<std::string> pods_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::chrono::steady_clock::time_point>> asked_;  // evictions; orders to bind, by pod
  std::map<std::string, std::string> told_;                                          // notes of all events, by object and reason
  kube::SystemClock clock_;
  Log log_{{}, clock_, [](std::string_view) {}};
  std::unique_ptr<kube::ScriptedServer> server_;
  std::unique_ptr<Daemon> daemon_;
  std::thread running_;
  const std::filesystem::path kubeconfig_ = std::filesystem::temp_directory_path() / ("muster-refused-" + std::to_string(getpid()));
};

TEST_P(RefusedWrites, AnEvictionIsAskedForLaterEachTimeAndTold) {
  run("1", {"low", "high"});
  EXPECT_GE(time_of("eviction", 3), 2900ms) << "a second, and two";
  EXPECT_EQ(asked("high"), 0u);
  const auto note = told("low EvictionBlocked");
  const std::string words = GetParam().status == 403 ? "no right" : "it moves by itself";
  EXPECT_NE(note.find("for t/high"), std::string::npos) << note;
  EXPECT_NE(note.find(words), std::string::npos) << note;
  EXPECT_EQ(note.find(words), note.rfind(words)) << "once: " << note;
}

// A refused pod is held for a second, and then for two. Nobody else waits for it.
TEST_P(RefusedWrites, ABindIsAskedForLaterEachTimeAndKeepsNothingBack) {
  run("2", {"refused", "fine"});
  EXPECT_GE(time_of("refused", 2), 950ms);
  EXPECT_EQ(asked("fine"), 1u);
  const auto note = told("refused FailedBinding");
  EXPECT_NE(note.find(GetParam().status == 403 ? "no right" : "it moves by itself"), std::string::npos) << note;
  EXPECT_NE(told("fine Scheduled"), "");
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedWrites,
                         testing::Values(Refusal{"Right", 403, "no right"}, Refusal{"Webhook", 422, kDenied},
                                         Refusal{"FailingWebhook", 500, kDenied}, Refusal{"BusyWebhook", 429, kDenied}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace muster::daemon
