// The files of the dashboard, over sockets of the loopback, as they are in web/.

#include "daemon/dashboard.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

#include "daemon/api.h"
#include "daemon/incomplete_gangs.h"
#include "daemon/monitor.h"
#include "daemon/web_files.h"
#include "server/server.h"
#include "unit/server/raw_client.h"

namespace muster::daemon {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(MUSTER_SOURCE_DIR) / "web";

std::string text_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string field_of(const std::string& answer, const std::string& name) {
  const auto at = answer.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const auto from = at + name.size() + 4;
  return answer.substr(from, answer.find("\r\n", from) - from);
}

class DashboardTest : public testing::Test {
 protected:
  DashboardTest() : server_({.listen = "127.0.0.1:0", .limits = {}, .guard = {.bearer_token = "t"}, .log = {}}, routes()) {
    EXPECT_TRUE(server_.start());
  }
  static server::Router routes() {
    server::Router out;
    add_dashboard_routes(out);
    return out;
  }
  // Under a name that is not this machine's: the files are open.
  std::string get(const std::string& path, const std::string& more = {}) const {
    server::RawClient client(server_.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: muster.example\r\n" + more + "\r\n");
    return client.read_answer();
  }

  server::Server server_;
};

TEST_F(DashboardTest, EveryFileIsServedAsItIs) {
  std::set<std::string> served;
  for (const auto& file : web_files()) served.emplace(file.path);
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    const auto ending = entry.path().extension();
    const bool is_of_it = ending == ".html" || ending == ".js" || ending == ".css" || ending == ".svg";
    const auto path = fs::relative(entry.path(), kFolder).string();
    EXPECT_EQ(served.erase(path), is_of_it ? 1U : 0U) << path;
    if (!is_of_it) continue;
    const auto answer = get(path == "index.html" ? "/" : "/" + path);
    EXPECT_EQ(server::status_of(answer), "200") << path;
    EXPECT_TRUE(server::body_of(answer) == text_in(entry.path())) << path;
  }
  EXPECT_TRUE(served.empty()) << *served.begin();
}

TEST_F(DashboardTest, ABrowserIsToldWhatTheyAre) {
  const std::pair<const char*, const char*> types[] = {{"/", "text/html; charset=utf-8"},
                                                       {"/app.js", "text/javascript; charset=utf-8"},
                                                       {"/style/shell.css", "text/css; charset=utf-8"},
                                                       {"/icon.svg", "image/svg+xml"}};
  for (const auto& [path, type] : types) {
    const auto answer = get(path);
    EXPECT_EQ(field_of(answer, "Content-Type"), type) << path;
    EXPECT_EQ(field_of(answer, "Cache-Control"), "no-cache");
    EXPECT_EQ(field_of(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(field_of(answer, "Referrer-Policy"), "no-referrer");
    EXPECT_NE(field_of(answer, "Content-Security-Policy").find("frame-ancestors 'none'"), std::string::npos) << path;
    EXPECT_NE(field_of(answer, "Content-Security-Policy").find("default-src 'none'; script-src 'self';"), std::string::npos)
        << answer;
  }
}

TEST_F(DashboardTest, WhoHasAFileIsNotSentIt) {
  std::set<std::string> tags;
  for (const auto& file : web_files()) {
    EXPECT_TRUE(tags.emplace(file.etag).second) << file.path;
    const auto path = file.path == "index.html" ? std::string("/") : "/" + std::string(file.path);
    const auto again = get(path, "If-None-Match: " + field_of(get(path), "ETag") + "\r\n");
    EXPECT_EQ(server::status_of(again), "304") << path;
    EXPECT_EQ(server::body_of(again), "");
  }
}

TEST_F(DashboardTest, NothingElseIsServed) {
  for (const auto* path : {"/index.html", "/README.md", "/.prettierrc.json", "/style", "/style/", "/core/../app.js", "/app.js/"})
    EXPECT_NE(server::status_of(get(path)), "200") << path;
}

// The monitor hands on what it was given: the token's file, and the names that are allowed.
TEST(Monitor, PrivateRoutesAreForAllowedNames) {
  const kube::SystemClock clock;
  std::atomic<int> port = 0;
  Log log({}, clock, [&](std::string_view line) {
    if (const auto at = line.find("port="); at != std::string_view::npos) port = std::atoi(line.data() + at + 5);
  });
  Monitor monitor({.listen = "127.0.0.1:0", .token_file = {}, .names = {"muster.example"}, .healthz = {}},
                  {.ready = [] { return true; },
                   .leading = [] { return true; },
                   .add_routes =
                       [](server::Router& router) {
                         const auto tell = [](const server::Request&) { return server::json_response("{}\n"); };
                         router.on(server::Method::kGet, "/api/v1/state", tell, server::Access::kPrivate);
                       }},
                  log);
  ASSERT_TRUE(monitor.start());
  const auto status = [&](const std::string& host, const std::string& path) {
    server::RawClient client(static_cast<std::uint16_t>(port.load()));
    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return server::status_of(client.read_answer());
  };
  EXPECT_EQ(status("localhost", "/api/v1/state"), "200");
  EXPECT_EQ(status("muster.example:80", "/api/v1/state"), "200");
  EXPECT_EQ(status("other.example", "/api/v1/state"), "403");
  EXPECT_EQ(status("other.example", "/metrics"), "200");
  EXPECT_EQ(status("other.example", "/healthz"), "200");
  monitor.stop();
}

// When the server has agreed. What gangs that are given up cost is no price of anybody's room.
TEST(Monitor, EvictedPodsAreCountedByWhatTheyAreEvictedFor) {
  const kube::SystemClock clock;
  Log log({}, clock, [](std::string_view) {});
  Monitor monitor({}, {.ready = [] { return true; }, .leading = [] { return true; }}, log);
  CycleOutcome outcome;
  outcome.effects.evictions = {{.pod = {"ns", "a", "u", ""}, .rule = "preempt"},
                               {.pod = {"ns", "b", "v", ""}, .rule = std::string(kIncompleteGangRule)},
                               {.pod = {"ns", "c", "w", ""}, .rule = std::string(kIncompleteGangRule)}};
  const auto shows = [&](const std::string& line) {
    return monitor.registry().text().find("\nmuster_" + line + "\n") != std::string::npos;
  };
  monitor.on_cycle(outcome);
  EXPECT_TRUE(shows("evicted_pods_total 0") && shows("given_up_pods_total 0"));
  for (const auto refused : {kube::WriteOutcome::kBlockedByBudget, kube::WriteOutcome::kForbidden, kube::WriteOutcome::kGone})
    for (const auto& evict : outcome.effects.evictions) monitor.on_outcome("evict", refused, decided_of(evict));
  monitor.on_outcome("create", kube::WriteOutcome::kDone, {});
  EXPECT_TRUE(shows("evicted_pods_total 0") && shows("given_up_pods_total 0"));
  for (const auto& evict : outcome.effects.evictions) monitor.on_outcome("evict", kube::WriteOutcome::kEvicted, decided_of(evict));
  EXPECT_TRUE(shows("evicted_pods_total 1") && shows("given_up_pods_total 2"));
  monitor.on_outcome("evict", kube::WriteOutcome::kDone, decided_of(outcome.effects.evictions[0]));  // --eviction delete
  EXPECT_TRUE(shows("evicted_pods_total 2"));
}

TEST(Api, ABindThatCameToNothingIsToldAsWhatItWas) {
  const kube::SystemClock clock;
  Api api("volcano", {.clock = clock,
                      .post = [](auto) { return false; },
                      .after = [](auto, auto) {},
                      .leading = [] { return true; },
                      .leader = [] { return std::string(); },
                      .evictions_stopped = [] { return false; },
                      .config = [] { return ConfigInForce(); }});
  server::Router router;
  api.add_routes(router);
  const auto get = [&](const std::string& path) {
    server::Request request;
    request.method = server::Method::kGet;
    request.path = path;
    const auto found = router.find(request);
    return std::get<server::Response>(std::get<const server::Router::Route*>(found)->handler(request)).body;
  };
  const Bind bind{.pod = {"ns", "a", "u", ""}, .node = "n1", .group = "ns/g", .rule = "allocate"};
  kube::WriteResult result{
      .outcome = kube::WriteOutcome::kUnknown, .retry_after = {}, .message = "no", .body = {}, .was_sent = false};
  const auto told = [&](const std::string& text) { return get("/api/v1/timelines/ns/g").find(text) != std::string::npos; };
  api.on_written({bind, result});
  EXPECT_TRUE(told("the bind of ns/a to n1 was not sent: no"));
  EXPECT_FALSE(told("failed"));
  result.message = WriteQueue::kGangRefused;
  api.on_written({bind, result});
  EXPECT_TRUE(told("the bind of ns/a to n1 was not sent: the bind of another pod of its gang was refused"));
  result.message = "no";
  result.was_sent = true;
  api.on_written({bind, result});
  EXPECT_TRUE(told("the bind of ns/a to n1 failed: no"));
  api.on_not_bound(bind, NotBound::kNotPrepared, "no volume");
  EXPECT_TRUE(told("the bind of ns/a to n1 could not be prepared: no volume"));
  EXPECT_NE(get("/api/v1/decisions").find("\"process\":\""), std::string::npos);
}

}  // namespace
}  // namespace muster::daemon
