// A scheduler of KAI's dialect against an API server that takes a request and goes away without an answer.

#include <condition_variable>
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

constexpr const char* kRequests = "/apis/scheduling.run.ai/v1alpha2/namespaces/t/bindrequests";
constexpr const char* kPods = "/api/v1/namespaces/t/pods/";

std::string meta(const std::string& name, const std::string& more = {}) {
  return R"("metadata":{"name":")" + name + R"(","uid":"u-)" + name + R"(","resourceVersion":"1")" + more + "}";
}
std::string group(const std::string& name) {
  return "{" + meta(name, R"(,"namespace":"t")") + R"(,"spec":{"minMember":1,"queue":"team"}})";
}
std::string pod(const std::string& name) {
  return "{" + meta(name, R"(,"namespace":"t","annotations":{"pod-group-name":")" + name + R"("})") +
         R"(,"spec":{"schedulerName":"kai-scheduler","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]},)"
         R"("status":{"phase":"Pending"}})";
}

// Objects by the end of the path of their collection: one node that has room for one of two pods.
std::vector<std::string> objects(const std::string& collection) {
  if (collection == "/api/v1/nodes")
    return {"{" + meta("n1") + R"(,"spec":{},"status":{"allocatable":{"cpu":"1","memory":"8Gi","pods":"9"},"conditions":)" +
            R"([{"type":"Ready","status":"True"}]}})"};
  if (collection == "/apis/scheduling.run.ai/v2/queues") {
    const std::string resources =
        R"("resources":{"cpu":{"quota":-1,"limit":-1,"overQuotaWeight":1},"memory":{"quota":-1,"limit":-1,)"
        R"("overQuotaWeight":1},"gpu":{"quota":-1,"limit":-1,"overQuotaWeight":1}})";
    return {"{" + meta("department") + R"(,"spec":{)" + resources + "}}",
            "{" + meta("team") + R"(,"spec":{"parentQueue":"department",)" + resources + "}}"};
  }
  if (collection == "/apis/scheduling.run.ai/v2alpha2/podgroups") return {group("a"), group("b")};
  if (collection == "/api/v1/pods") return {pod("a"), pod("b")};
  return {};
}

// What the server does with the first request.
enum class First { kTaken, kLost };

class UnansweredOrder : public testing::TestWithParam<First> {
 protected:
  void SetUp() override {
    server_ = std::make_unique<kube::ScriptedServer>(
        [this](const kube::ServerRequest& request, kube::ServerConnection& to) { return serve(request, to); });
    kubeconfig_ = std::filesystem::temp_directory_path() / ("muster-unanswered-" + std::to_string(getpid()));
    std::ofstream(kubeconfig_) << kubeconfig_for(server_->address());
  }
  void TearDown() override { std::filesystem::remove(kubeconfig_); }

  // Whether the connection stays.
  bool serve(const kube::ServerRequest& request, kube::ServerConnection& to) {
    const auto path = request.path.substr(0, request.path.find('?'));
    if (request.method == "POST" && path == kRequests) return take(request.body, to);
    if (request.method == "GET" && path.starts_with(kRequests)) return show(path, to), true;
    if (request.method != "GET") return to.answer(200, "{}"), true;
    if (path.starts_with(kPods)) return to.answer(200, pod(path.substr(path.rfind('/') + 1))), true;
    to.begin_stream();
    for (const auto& object : objects(path)) to.chunk(R"({"type":"ADDED","object":)" + object + "}\n");
    to.chunk(
        R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}})"
        "\n");
    to.wait(1min);
    return false;
  }

  bool take(const std::string& body, kube::ServerConnection& to) {
    const std::lock_guard lock(mutex_);
    const auto json = read_json(body);
    const auto name = text_at(json->find("metadata"), "name");
    ++posted_[name];
    const bool is_first = posted_.size() == 1 && posted_[name] == 1;
    if (!is_first || GetParam() == First::kTaken) requests_[name] = body;
    if (!is_first) to.answer(201, body);
    return !is_first;  // without an answer
  }

  // Late enough for a scheduler that does not wait for it to give the room away.
  void show(const std::string& path, kube::ServerConnection& to) {
    to.wait(300ms);
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(path.substr(path.rfind('/') + 1));
    if (found == requests_.end()) return to.answer(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    ++shown_;
    to.answer(200, found->second);
  }

  std::mutex mutex_;
  std::map<std::string, int> posted_;            // times, by name
  std::map<std::string, std::string> requests_;  // what the server has
  int shown_ = 0;
  std::unique_ptr<kube::ScriptedServer> server_;
  std::filesystem::path kubeconfig_;
};

TEST_P(UnansweredOrder, ItsRoomIsGivenToNobodyElse) {
  kube::SystemClock clock;
  Log log({}, clock, [](std::string_view) {});
  DaemonOptions options;
  options.access.kubeconfig = kubeconfig_.string();
  options.leader_elect = false;
  options.dialect = "kai";
  Daemon daemon(options, kai_clusters({}, log), log);
  std::thread running([&] { EXPECT_TRUE(daemon.run()); });
  const auto settled = [&] {
    const std::lock_guard lock(mutex_);
    return GetParam() == First::kTaken ? shown_ == 1 : requests_.size() == 1;
  };
  for (int i = 0; i < 1000 && !settled(); ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(300ms);  // in which nothing more may happen
  daemon.stop();
  running.join();
  EXPECT_TRUE(settled());
  EXPECT_EQ(requests_.size(), 1u) << "the node has room for one";
  ASSERT_EQ(posted_.size(), 1u);
  EXPECT_EQ(posted_.begin()->second, GetParam() == First::kTaken ? 1 : 2);
}

INSTANTIATE_TEST_SUITE_P(Both, UnansweredOrder, testing::Values(First::kTaken, First::kLost),
                         [](const auto& one) { return one.param == First::kTaken ? "Taken" : "Lost"; });

}  // namespace
}  // namespace muster::daemon
