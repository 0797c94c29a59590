// The loop of production over real sockets, plain and with TLS.

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "integration/client.h"
#include "integration/scripted_server.h"
#include "kube/api_writer.h"
#include "kube/text_file.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Access plain(const ScriptedServer& server) {
  Access out;
  out.server = "http://" + server.address();
  return out;
}

bool echo(const ServerRequest& request, ServerConnection& connection) {
  connection.answer(200, request.method + " " + request.path + " " + request.body);
  return true;
}

TEST(Transport, ConnectionsAreKept) {
  ScriptedServer server(echo);
  Client client(plain(server));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(client.get({Method::kGet, "/a?b=" + std::to_string(i)}).body, "GET /a?b=" + std::to_string(i) + " ");
  EXPECT_EQ(client.get({Method::kPut, "/x", "{}"}).body, "PUT /x {}");
  EXPECT_EQ(client.get({Method::kDelete, "/x"}).body, "DELETE /x ");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Transport, HeadersSayWhoWeAre) {
  ScriptedServer server(echo);
  auto access = plain(server);
  access.token = "secret";
  access.impersonate = {"alice", "7", {"dev", "ops"}, {{"a/b", {"x"}}}};
  Client client(access);
  client.get({Method::kPost, "/", "{}"});
  auto headers = server.requests().at(0).headers;
  EXPECT_EQ(headers["user-agent"], "muster");
  EXPECT_EQ(headers["authorization"], "Bearer secret");
  EXPECT_EQ(headers["accept"], "application/json");
  EXPECT_EQ(headers["accept-encoding"], "gzip");
  EXPECT_EQ(headers["content-type"], "application/json");
  EXPECT_EQ(headers["impersonate-user"], "alice");
  EXPECT_EQ(headers["impersonate-uid"], "7");
  EXPECT_EQ(headers["impersonate-group"], "dev,ops");
  EXPECT_EQ(headers["impersonate-extra-a%2fb"], "x");
}

// Plain requests are asked of a proxy by their whole address.
TEST(Transport, AProxyIsAskedInsteadOfTheServer) {
  ScriptedServer proxy(echo);
  Access access;
  access.server = "http://api.example.com:6443";
  access.environment_proxy = "http://" + proxy.address();
  EXPECT_EQ(Client(access).get({Method::kGet, "/a"}).body, "GET http://api.example.com:6443/a ");
  ScriptedServer own([](const ServerRequest&, ServerConnection& connection) {
    connection.answer(200, "of the kubeconfig");
    return true;
  });
  access.proxy = "http://" + own.address();
  EXPECT_EQ(Client(access).get({Method::kGet, "/a"}).body, "of the kubeconfig");
}

TEST(Transport, BoundedNumberOfConnections) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  ScriptedServer server([&](const ServerRequest& request, ServerConnection& connection) {
    const int count = ++now;
    for (int seen = most; count > seen && !most.compare_exchange_weak(seen, count);) {
    }
    connection.wait(milliseconds(10));
    --now;
    return echo(request, connection);
  });
  CurlSettings settings;
  settings.most_exchanges = 3;
  Client client(plain(server), settings);
  std::atomic<int> done = 0;
  client.loop().run([&] {
    for (int i = 0; i < 30; ++i) ask(client.loop(), {Method::kGet, "/"}, 1000, [&](const HttpAnswer&) { ++done; });
  });
  for (int i = 0; i < 1000 && done < 30; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(done, 30);
  EXPECT_LE(most, 3);
  EXPECT_EQ(server.connections(), 3);
}

// What waits for its turn may not be sent any more when it comes.
TEST(Transport, WhoHasNoTimeLeftIsNotSent) {
  ScriptedServer server([](const ServerRequest& request, ServerConnection& connection) {
    connection.wait(milliseconds(request.path == "/slow" ? 20'000 : 50));
    return echo(request, connection);
  });
  CurlSettings settings;
  settings.most_exchanges = 1;
  Client client(plain(server), settings);
  std::atomic<Duration> left{seconds(30)};
  const auto time_left = std::make_shared<const std::function<Duration()>>([&] { return left.load(); });
  std::vector<HttpAnswer> answers;
  std::promise<void> all;
  client.loop().run([&] {
    for (int i = 0; i < 3; ++i) {
      HttpRequest request{Method::kPost, "/" + std::to_string(i), "{}"};
      request.time_left = time_left;
      ask(client.loop(), std::move(request), 1000, [&](HttpAnswer answer) {
        answers.push_back(std::move(answer));
        left = Duration(0);
        if (answers.size() == 3) all.set_value();
      });
    }
  });
  all.get_future().wait();
  EXPECT_EQ(answers[0].status, 200);
  for (const auto* answer : {&answers[1], &answers[2]}) {
    EXPECT_EQ(answer->status, 0);
    EXPECT_FALSE(answer->was_sent);
  }
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(client.get({Method::kGet, "/after"}).status, 200) << "their turns are free again";
  left = milliseconds(200);
  HttpRequest slow{Method::kPost, "/slow", "{}"};
  slow.time_left = time_left;
  const auto late = client.get(slow);
  EXPECT_NE(late.failure, "");
  EXPECT_TRUE(late.was_sent);
}

// A connection may take seconds to come about; what was right when the request got its turn may be wrong when it stands.
TEST(Transport, WhoHasNoTimeLeftWhenTheConnectionStandsIsNotSent) {
  ScriptedServer server(echo);
  Client client(plain(server));
  std::atomic<int> asked = 0;
  HttpRequest request{Method::kPost, "/late", "{}"};
  request.time_left =
      std::make_shared<const std::function<Duration()>>([&] { return Duration(++asked == 1 ? seconds(30) : seconds(0)); });
  const auto late = client.get(request);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(late.failure, "not sent: it came too late");
  EXPECT_FALSE(late.was_sent);
  EXPECT_EQ(client.get({Method::kGet, "/after"}).status, 200);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/after");
}

// libcurl sends it again by another connection when the kept one ends without an answer.
TEST(Transport, WhatWasWrittenOnceMayHaveArrivedThoughItDoesNotComeAgain) {
  std::atomic<Duration> left{seconds(30)};
  ScriptedServer server([&](const ServerRequest& request, ServerConnection& connection) {
    if (request.path != "/unanswered") return echo(request, connection);
    left = Duration(0);
    return false;
  });
  Client client(plain(server));
  ASSERT_EQ(client.get({Method::kGet, "/first"}).status, 200);
  HttpRequest request{Method::kPost, "/unanswered", "{}"};
  request.time_left = std::make_shared<const std::function<Duration()>>([&] { return left.load(); });
  const auto answer = client.get(request);
  EXPECT_NE(answer.failure, "");
  EXPECT_TRUE(answer.was_sent);
  EXPECT_EQ(server.requests().size(), 2u) << "not a third time";
}

TEST(Transport, TimesAndSizesAreBounded) {
  ScriptedServer server([](const ServerRequest& request, ServerConnection& connection) {
    if (request.path == "/slow") connection.wait(seconds(20));
    connection.answer(200, std::string(1000, 'x'));
    return true;
  });
  Client client(plain(server));
  HttpRequest slow{Method::kGet, "/slow"};
  slow.timeout = milliseconds(200);
  const auto late = client.get(slow);
  EXPECT_EQ(late.status, 0);
  EXPECT_NE(late.failure, "");
  std::promise<HttpAnswer> answer;
  client.loop().post(
      [&] { ask(client.loop(), {Method::kGet, "/"}, 10, [&](HttpAnswer one) { answer.set_value(std::move(one)); }); });
  EXPECT_EQ(answer.get_future().get().failure, "the answer has more than 10 bytes");
}

TEST(Transport, Nobody) {
  Access access;
  {
    const ScriptedServer gone(echo);
    access = plain(gone);
  }
  Client client(access);
  const auto answer = client.get({Method::kGet, "/"});
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.failure.find("onnect"), std::string::npos) << answer.failure;
}

TEST(Transport, CancelledCallsAreSilent) {
  ScriptedServer server([](const ServerRequest&, ServerConnection& connection) {
    connection.wait(milliseconds(100));
    connection.answer(200, "late");
    return true;
  });
  Client client(plain(server));
  std::atomic<bool> heard = false;
  client.loop().run([&] {
    const auto id = ask(client.loop(), {Method::kGet, "/"}, 1000, [&](const HttpAnswer&) { heard = true; });
    client.loop().after(milliseconds(30), [&client, id] { client.loop().cancel(id); });
  });
  EXPECT_EQ(client.get({Method::kGet, "/"}).body, "late");
  EXPECT_FALSE(heard);
}

TEST(Transport, RetryAfterAndOutcomes) {
  ScriptedServer server([](const ServerRequest&, ServerConnection& connection) {
    connection.answer(429, R"({"kind":"Status","code":429,"details":{"causes":[{"reason":"DisruptionBudget"}]}})",
                      "Retry-After: 10\r\n");
    return true;
  });
  Client client(plain(server));
  ApiWriter writer(client.loop());
  std::promise<WriteResult> result;
  writer.evict({{"ns", "p", "u", ""}}, [&](WriteResult one) { result.set_value(std::move(one)); });
  const auto written = result.get_future().get();
  EXPECT_EQ(written.outcome, WriteOutcome::kBlockedByBudget);
  EXPECT_EQ(written.retry_after, seconds(10));
}

// ---------------------------------------------------------------------------------------------------------- TLS

class TlsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "muster-tls-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    const auto make = [](const std::string& name, const std::string& more) {
      const auto command = "cd " + folder_ + " && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout " + name +
                           ".key -out " + name + ".pem -subj /CN=" + name + " " + more + " >/dev/null 2>&1";
      ASSERT_EQ(std::system(command.c_str()), 0);
    };
    make("server", "-addext subjectAltName=DNS:kubernetes.default,IP:127.0.0.1");
    make("named", "-addext subjectAltName=DNS:kubernetes.default");
    make("client", "-addext extendedKeyUsage=clientAuth");
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static std::string file(const std::string& name) { return folder_ + "/" + name; }
  static Access secure(const ScriptedServer& server) {
    Access out;
    out.server = "https://" + server.address();
    return out;
  }
  static inline std::string folder_;
};

TEST_F(TlsTest, OnlyTheClustersAuthorityIsTrusted) {
  const ServerCertificate certificate{file("server.pem"), file("server.key")};
  ScriptedServer server(echo, &certificate);
  auto access = secure(server);
  EXPECT_EQ(Client(access).get({Method::kGet, "/"}).status, 0);
  access.authority.file = file("client.pem");
  EXPECT_EQ(Client(access).get({Method::kGet, "/"}).status, 0);
  access.authority.file = file("server.pem");
  EXPECT_EQ(Client(access).get({Method::kGet, "/a"}).body, "GET /a ");
  access.authority = {};
  access.check_certificate = false;
  EXPECT_EQ(Client(access).get({Method::kGet, "/a"}).status, 200);
}

TEST_F(TlsTest, CertificateForAnotherName) {
  const ServerCertificate certificate{file("named.pem"), file("named.key")};
  ScriptedServer server(echo, &certificate);
  auto access = secure(server);
  access.authority.file = file("named.pem");
  EXPECT_EQ(Client(access).get({Method::kGet, "/"}).status, 0);
  access.tls_server_name = "kubernetes.default";
  const auto answer = Client(access).get({Method::kGet, "/"});
  EXPECT_EQ(answer.status, 200) << answer.failure;
  EXPECT_EQ(server.requests().back().headers["host"], server.address());
}

TEST_F(TlsTest, ClientCertificateFromMemory) {
  const ServerCertificate certificate{file("server.pem"), file("server.key"), file("client.pem")};
  ScriptedServer server(echo, &certificate);
  auto access = secure(server);
  access.authority.text = read_text_file(file("server.pem")).value();
  EXPECT_EQ(Client(access).get({Method::kGet, "/"}).status, 0);
  access.client_certificate.text = read_text_file(file("client.pem")).value();
  access.client_key.text = read_text_file(file("client.key")).value();
  const auto answer = Client(access).get({Method::kGet, "/"});
  EXPECT_EQ(answer.status, 200) << answer.failure;
}

}  // namespace
}  // namespace muster::kube
