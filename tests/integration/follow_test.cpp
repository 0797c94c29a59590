// Following a kind over real sockets, against a server that behaves as badly as real ones do.

#include <algorithm>
#include <gtest/gtest.h>

#include "integration/client.h"
#include "integration/scripted_server.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string object(const std::string& name, int version) {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u)" + name + R"(","resourceVersion":")" + std::to_string(version) +
         R"("}})";
}
std::string page(const std::string& items, int version, const std::string& next = {}) {
  return R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(version) +
         R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
}
std::string event(const std::string& type, const std::string& what) {
  return R"({"type":")" + type + R"(","object":)" + what + "}\n";
}
std::string bookmark(int version, const std::string& more = {}) {
  return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(")" + more + "}}");
}
bool is_watch(const ServerRequest& request) { return request.path.find("watch=1") != std::string::npos; }
bool has(const ServerRequest& request, const std::string& text) { return request.path.find(text) != std::string::npos; }

// Answers nothing more until the test ends.
bool hang(ServerConnection& connection) {
  connection.wait(seconds(30));
  return false;
}

ReflectorSettings quick() {
  ReflectorSettings out;
  out.streams_lists = false;
  out.backoff = {milliseconds(20), milliseconds(100), 0.5};
  out.install_wait = milliseconds(100);
  return out;
}

class FollowTest : public testing::Test {
 protected:
  void follow(ScriptedServer::Script script, const ReflectorSettings& settings,
              const ResourceKind& kind = resource_kinds().front()) {
    server_ = std::make_unique<ScriptedServer>(std::move(script));
    Access access;
    access.server = "http://" + server_->address();
    client_ = std::make_unique<Client>(access);
    reflector_ = &client_->follow(kind, settings);
  }
  ~FollowTest() override {
    client_.reset();
    server_.reset();
  }

  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Client> client_;
  Reflector* reflector_ = nullptr;
};

TEST_F(FollowTest, PagesThenAWatchThatBreaksInAnObject) {
  follow(
      [](const ServerRequest& request, ServerConnection& connection) {
        if (has(request, "continue=t1")) return connection.answer(200, page(object("b", 2), 5)), true;
        if (!is_watch(request)) return connection.answer(200, page(object("a", 1), 5, "t1")), true;
        connection.begin_stream();
        if (has(request, "resourceVersion=5&")) {
          connection.chunk(event("MODIFIED", object("a", 6)) + event("MODIFIED", object("b", 7)).substr(0, 40));
          return false;
        }
        connection.chunk(event("MODIFIED", object("b", 7)) + bookmark(9) + event("DELETED", object("a", 10)));
        return hang(connection);
      },
      quick());
  EXPECT_EQ(client_->told(6), "+a1 +b2 = *a6 *b7 -a");
  EXPECT_TRUE(reflector_->synced());
  EXPECT_TRUE(has(server_->requests().back(), "resourceVersion=6&"));
}

TEST_F(FollowTest, ExpiredInTheStreamAndInTheList) {
  std::atomic<int> lists = 0;
  follow(
      [&](const ServerRequest& request, ServerConnection& connection) {
        if (has(request, "continue=old")) return connection.answer(410, R"({"kind":"Status","code":410})"), true;
        if (!is_watch(request)) {
          switch (++lists) {
            case 1: connection.answer(200, page(object("a", 1) + "," + object("b", 2), 5)); break;
            case 2: connection.answer(200, page(object("b", 8), 9, "old")); break;
            default: connection.answer(200, page(object("b", 8) + "," + object("c", 10), 11)); break;
          }
          return true;
        }
        connection.begin_stream();
        if (has(request, "resourceVersion=5&")) {
          connection.chunk(event("ERROR", R"({"kind":"Status","code":410,"reason":"Expired"})"));
          connection.end_stream();
          return true;
        }
        return hang(connection);
      },
      quick());
  EXPECT_EQ(client_->told(6), "+a1 +b2 = *b8 +c10 -a");
}

TEST_F(FollowTest, ThrottledAndFaulty) {
  std::atomic<int> count = 0;
  follow(
      [&](const ServerRequest& request, ServerConnection& connection) {
        if (is_watch(request)) return connection.begin_stream(), hang(connection);
        switch (++count) {
          case 1: return connection.answer(429, "Too many requests", "Retry-After: 1\r\n"), true;
          case 2: return connection.answer(500, "{}"), true;
          case 3: return false;
          default: return connection.answer(200, page(object("a", 1), 5)), true;
        }
      },
      quick());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(client_->told(2), "+a1 =");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(950)) << "as asked";
}

TEST_F(FollowTest, InstalledLater) {
  std::atomic<bool> installed = false;
  follow(
      [&](const ServerRequest& request, ServerConnection& connection) {
        if (!installed) return connection.answer(404, "404 page not found"), true;
        if (is_watch(request)) return connection.begin_stream(), hang(connection);
        return connection.answer(200, page(object("a", 1), 5)), true;
      },
      quick(), *std::ranges::find(resource_kinds(), "PriorityClass", &ResourceKind::kind));
  EXPECT_EQ(client_->told(1), "=");
  EXPECT_EQ(reflector_->state(), ReflectorState::kNotInstalled);
  installed = true;
  EXPECT_EQ(client_->told(1), "+a1");
}

TEST_F(FollowTest, HalfDeadConnectionIsNoticed) {
  auto settings = quick();
  settings.longest_silence = seconds(1);
  std::atomic<int> watches = 0;
  follow(
      [&](const ServerRequest& request, ServerConnection& connection) {
        if (!is_watch(request)) return connection.answer(200, page(object("a", 1), 5)), true;
        connection.begin_stream();
        if (++watches == 1) return hang(connection);
        connection.chunk(event("MODIFIED", object("a", 6)));
        return hang(connection);
      },
      settings);
  EXPECT_EQ(client_->told(3), "+a1 = *a6");
}

TEST_F(FollowTest, StreamedListAndItsFallback) {
  auto settings = quick();
  settings.streams_lists = true;
  follow(
      [](const ServerRequest&, ServerConnection& connection) {
        connection.begin_stream();
        connection.chunk(event("ADDED", object("a", 1)));
        connection.chunk(bookmark(5, R"(,"annotations":{"k8s.io/initial-events-end":"true"})"));
        connection.chunk(event("ADDED", object("b", 6)));
        return hang(connection);
      },
      settings);
  EXPECT_EQ(client_->told(3), "+a1 = +b6");
  client_.reset();
  follow(
      [](const ServerRequest& request, ServerConnection& connection) {
        if (has(request, "sendInitialEvents")) return connection.answer(422, "{}"), true;
        if (is_watch(request)) return connection.begin_stream(), hang(connection);
        return connection.answer(200, page(object("a", 1), 5)), true;
      },
      settings);
  EXPECT_EQ(client_->told(2), "+a1 =");
}

TEST_F(FollowTest, SlowConsumersHoldBackTheServer) {
  constexpr int kEvents = 50'000;
  std::atomic<int> sent = 0;
  follow(
      [&](const ServerRequest& request, ServerConnection& connection) {
        if (!is_watch(request)) return connection.answer(200, page(object("a", 1), 1)), true;
        connection.begin_stream();
        for (int i = 2; i < kEvents && connection.chunk(event("MODIFIED", object("a" + std::string(250, 'x'), i))); ++i) sent = i;
        return hang(connection);
      },
      quick());
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_LT(sent, kEvents - 1) << "nobody reads";
  EXPECT_LT(client_->queue().size(), 1100u);
  int last = 0;
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (last < kEvents - 1 && std::chrono::steady_clock::now() < end)
    for (const auto& change : client_->queue().take(200, milliseconds(100))) {
      if (change.type == ChangeType::kSynced || change.id.name == "a") continue;
      ASSERT_EQ(std::stoi(change.id.resource_version), last == 0 ? 2 : last + 1) << "in order, none lost";
      last = std::stoi(change.id.resource_version);
    }
  EXPECT_EQ(last, kEvents - 1);
}

}  // namespace
}  // namespace muster::kube
