// The shadow against a server on the loopback: whatever it finds, it only reads.

#include "daemon/shadow.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "kube/reading_loop.h"
#include "support/http_server.h"

namespace muster::daemon::shadow {
namespace {

using namespace std::chrono_literals;

std::string list_of(const std::string& items) {
  return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}";
}

constexpr const char* kNode =
    R"({"metadata":{"name":"n1","uid":"u-n1","resourceVersion":"1"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},)"
    R"("capacity":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}})";
constexpr const char* kGroup =
    R"({"metadata":{"name":"g","namespace":"ns","uid":"u-g","resourceVersion":"2"},"spec":{"minMember":1,"queue":"default"}})";
constexpr const char* kPod =
    R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p","resourceVersion":"3","annotations":{"scheduling.k8s.io/group-name":"g"}},)"
    R"("spec":{"schedulerName":"volcano","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Pending"}})";

// A pod that nobody places; queues are missing, which a scheduler would make.
HttpServer::Response serve(const HttpServer::Request& request) {
  const auto has = [&](std::string_view text) { return request.path.find(text) != std::string::npos; };
  if (request.method != "GET") return {500, "{}"};
  if (has("sendInitialEvents")) return {422, R"({"kind":"Status","code":422,"reason":"Invalid"})"};
  if (has("watch=1")) return {200, "", true};
  if (has("/queues"))
    return {200, list_of(R"({"metadata":{"name":"default","uid":"u-q","resourceVersion":"4"},"spec":{"weight":1}})")};
  if (has("/api/v1/nodes")) return {200, list_of(kNode)};
  if (has("/podgroups")) return {200, list_of(kGroup)};
  if (has("/api/v1/pods")) return {200, list_of(kPod)};
  return {200, list_of("")};
}

TEST(Shadow, WhateverItFindsItOnlyReads) {
  HttpServer server(serve);
  const auto kubeconfig = std::filesystem::temp_directory_path() / ("muster-shadow-test-" + std::to_string(getpid()));
  std::ofstream(kubeconfig)
      << "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "users: [{name: u, user: {}}]\nclusters: [{name: c, cluster: {server: \""
      << server.url() << "\"}}]\n";
  ShadowOptions options;
  options.access.kubeconfig = kubeconfig.string();
  options.subject = {"volcano", {"volcano"}};
  options.watch.grace = 300ms;
  const kube::SystemClock clock;
  std::string lines;
  Log log({}, clock, [&](std::string_view line) { lines += line; });
  Shadow shadow(std::move(options), clusters_for_plans({.dialect = "volcano", .exact = true}, log), log);
  std::vector<Finding> found;
  std::jthread patience([&](const std::stop_token& stop) {
    for (int i = 0; i < 3000 && !stop.stop_requested(); ++i) std::this_thread::sleep_for(10ms);
    shadow.stop();
  });
  const auto summary = shadow.run([&](const Finding& finding) {
    found.push_back(finding);
    shadow.stop();
  });
  std::filesystem::remove(kubeconfig);
  ASSERT_TRUE(summary) << summary.error().text();
  ASSERT_EQ(found.size(), 1u) << lines;
  EXPECT_EQ(found[0].verdict, Verdict::kWaitsThere);
  EXPECT_EQ(found[0].here.at("ns/p"), "n1");
  EXPECT_GT(summary->plans, 0u);
  const auto requests = server.requests();
  EXPECT_GT(requests.size(), 10u);
  EXPECT_TRUE(std::ranges::all_of(requests, [](const auto& one) { return one.method == "GET" && one.body.empty(); }));
}

TEST(Shadow, ABadConfigurationIsSaidBeforeAnythingIsAsked) {
  const kube::SystemClock clock;
  Log log({}, clock, [](std::string_view) {});
  ShadowOptions options;
  options.config = "/nonexistent/scheduler.conf";
  Shadow shadow(std::move(options), clusters_for_plans({.dialect = "volcano"}, log), log);
  const auto summary = shadow.run([](const Finding&) {});
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().text(), "/nonexistent/scheduler.conf: cannot be opened: No such file or directory");
}

class NoLoop final : public kube::Loop, public kube::Clock {
 public:
  void post(std::function<void()>) override {}
  kube::CallId send(kube::HttpRequest, std::shared_ptr<kube::HttpHandler>) override { return kube::CallId(++sent); }
  void cancel(kube::CallId) override {}
  void resume(kube::CallId) override {}
  kube::TimerId after(kube::Duration, std::function<void()>) override { return {}; }
  void cancel(kube::TimerId) override {}
  const kube::Clock& clock() const override { return *this; }
  kube::Instant now() const override { return {}; }
  Timestamp wall() const override { return {}; }
  std::uint64_t sent = 0;
};

TEST(ReadingLoopDeathTest, AWriteEndsTheProgram) {
  NoLoop sockets;
  kube::ReadingLoop loop(sockets);
  loop.send({.path = "/api/v1/pods"}, nullptr);
  EXPECT_EQ(sockets.sent, 1u);
  for (const auto method : {kube::Method::kPost, kube::Method::kPut, kube::Method::kPatch, kube::Method::kDelete})
    EXPECT_DEATH(loop.send({.method = method, .path = "/api/v1/namespaces/ns/pods/p/binding"}, nullptr), "");
}

}  // namespace
}  // namespace muster::daemon::shadow
