// Requests and answers over sockets of the loopback.

#include <atomic>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "unit/server/test_server.h"

namespace muster::server {
namespace {

using std::chrono::milliseconds;

TEST(Server, Answers) {
  const TestServer server;
  const auto answer = server.ask(request_text("GET /hello"));
  EXPECT_EQ(answer.rfind("HTTP/1.1 200 OK\r\nDate: ", 0), 0U) << answer;
  EXPECT_NE(answer.find("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n"), std::string::npos) << answer;
  EXPECT_EQ(body_of(answer), "hello\n");
  EXPECT_EQ(body_of(server.ask(request_text("GET /query?y=1&x=a%20b+c"))), "a b c");
  EXPECT_EQ(body_of(server.ask(request_text("GET http://test/query?x=1"))), "1");
  EXPECT_EQ(body_of(server.ask(request_text("GET /header", "X-TEST:  some thing \r\n"))), "some thing");
  EXPECT_EQ(body_of(server.ask(request_text("POST /echo", "Content-Length: 5\r\n") + "12345")), "12345");
  EXPECT_EQ(body_of(server.ask(request_text("POST /echo", "Transfer-Encoding: chunked\r\n") +
                               "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n")),
            "abcde");
}

TEST(Server, ErrorsAreJson) {
  const TestServer server;
  const auto nowhere = server.ask(request_text("GET /nowhere"));
  EXPECT_EQ(status_of(nowhere), "404");
  EXPECT_NE(nowhere.find("\r\nContent-Type: application/json\r\n"), std::string::npos);
  EXPECT_EQ(body_of(nowhere), "{\"error\": \"there is nothing at /nowhere\"}\n");
  const auto wrong = server.ask(request_text("GET /echo"));
  EXPECT_EQ(status_of(wrong), "405");
  EXPECT_NE(wrong.find("\r\nAllow: POST\r\n"), std::string::npos);
  EXPECT_EQ(status_of(server.ask(request_text("BREW /hello"))), "405");
}

TEST(Server, AThrowingHandlerIsLoggedAndSurvived) {
  const TestServer server;
  EXPECT_EQ(status_of(server.ask(request_text("GET /throws"))), "500");
  EXPECT_EQ(server.log(), "GET /throws: on purpose\n");
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello"))), "200");
}

TEST(Server, NoBodyWhereNoneBelongs) {
  const TestServer server;
  auto client = server.connect();
  client.send(request_text("HEAD /hello") + request_text("DELETE /empty") + request_text("GET /hello", "Connection: close\r\n"));
  const auto head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 6\r\n"), std::string::npos);
  const auto empty = client.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(empty), "204");
  EXPECT_EQ(empty.find("Content-Length"), std::string::npos);
  EXPECT_EQ(body_of(client.read_all()), "hello\n");
}

TEST(Server, ConnectionsAreKeptUntilSomebodyWantsToClose) {
  const TestServer server;
  auto client = server.connect();
  for (int i = 0; i < 5; ++i) {
    client.send(request_text("GET /query?x=" + std::to_string(i)));
    const auto answer = client.read_answer();
    EXPECT_EQ(body_of(answer), std::to_string(i));
    EXPECT_NE(answer.find("Connection: keep-alive\r\n"), std::string::npos);
  }
  client.send(request_text("GET /hello", "Connection: close\r\n"));
  const auto last = client.read_all();
  EXPECT_NE(last.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(body_of(last), "hello\n");

  auto old = server.connect();
  old.send("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(old.read_all()), "hello\n");
  auto kept = server.connect();
  kept.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  kept.read_answer();
  kept.send("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(kept.read_all()), "hello\n");
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
  const TestServer server;
  auto client = server.connect();
  std::string all;
  for (int i = 0; i < 200; ++i) {
    if (i % 3 == 0) all += "\r\n";  // some clients do
    all += i % 2 == 0 ? request_text("GET /query?x=" + std::to_string(i))
                      : request_text("POST /echo", "Content-Length: " + std::to_string(std::to_string(i).size()) + "\r\n") +
                            std::to_string(i);
  }
  client.send(all);
  client.finish();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(body_of(client.read_answer()), std::to_string(i));
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, ByteByByte) {
  const TestServer server;
  auto client = server.connect();
  for (const char c : request_text("POST /echo", "Content-Length: 3\r\n") + "abc") {
    client.send({&c, 1});
    ::usleep(200);
  }
  EXPECT_EQ(body_of(client.read_answer()), "abc");
}

TEST(Server, BadRequests) {
  const TestServer server;
  const struct {
    std::string text;
    const char* status;
  } cases[] = {
      {"nonsense\r\n\r\n", "400"},
      {"GET\r\n\r\n", "400"},
      {"GET /hello\r\n\r\n", "400"},
      {"GET /hello HTTP/2.0\r\nHost: x\r\n\r\n", "505"},
      {"GET /hello HTTP/1.1\r\n\r\n", "400"},
      {"GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
      {"GET /hello HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n", "400"},
      {"GET /hello HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\n", "400"},
      {std::string("GET /hello HTTP/1.1\r\nHost: a\0b\r\n\r\n", 35), "400"},
      {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET /../secret HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {request_text("POST /echo", "Content-Length: x\r\n"), "400"},
      {request_text("POST /echo", "Content-Length: -1\r\n"), "400"},
      {request_text("POST /echo", "Content-Length: 1\r\nContent-Length: 2\r\n"), "400"},
      {request_text("POST /echo", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", "400"},
      {request_text("POST /echo", "Transfer-Encoding: chunked\r\n") + "zz\r\n", "400"},
      {request_text("POST /echo", "Content-Length: 1\r\nExpect: wonders\r\n"), "417"},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a client that speaks TLS", "400"},
  };
  for (const auto& one : cases) {
    auto client = server.connect();
    client.send(one.text);
    client.finish();
    EXPECT_EQ(status_of(client.read_all()), one.status) << one.text;
  }
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello"))), "200");
}

TEST(Server, TooMuch) {
  Limits limits;
  limits.header_bytes = 1000;
  limits.body_bytes = 100;
  const TestServer server(limits);
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello", "X: " + std::string(2000, 'x') + "\r\n"))), "431");
  EXPECT_EQ(status_of(server.ask(request_text("GET /" + std::string(200'000, 'x')))), "431");
  EXPECT_EQ(status_of(server.ask(request_text("POST /echo", "Content-Length: 101\r\n"))), "413");
  EXPECT_EQ(status_of(server.ask(request_text("POST /echo", "Content-Length: 99999999999999999\r\n"))), "413");
  EXPECT_EQ(status_of(server.ask(request_text("POST /echo", "Content-Length: 2000000\r\n") + std::string(2'000'000, 'x'))), "413");
  EXPECT_EQ(status_of(server.ask(request_text("POST /echo", "Transfer-Encoding: chunked\r\n") + "65\r\n" + std::string(101, 'x') +
                                 "\r\n0\r\n\r\n")),
            "413");
  EXPECT_EQ(status_of(server.ask(request_text("POST /echo", "Transfer-Encoding: chunked\r\n") + "1;" + std::string(200'000, 'x'))),
            "431");
  EXPECT_EQ(body_of(server.ask(request_text("POST /echo", "Content-Length: 100\r\n") + std::string(100, 'y'))),
            std::string(100, 'y'));
}

TEST(Server, ABodyMayWaitUntilItIsAskedFor) {
  const TestServer server;
  auto client = server.connect();
  client.send(request_text("POST /echo", "Content-Length: 3\r\nExpect: 100-Continue\r\n"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(body_of(client.read_answer()), "abc");
  client.send(request_text("GET /hello"));
  EXPECT_EQ(body_of(client.read_answer()), "hello\n");

  auto large = server.connect();
  large.send(request_text("POST /echo", "Content-Length: 99999999\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(status_of(large.read_all()), "413");
}

TEST(Server, IdleConnectionsAreClosed) {
  Limits limits;
  limits.idle = milliseconds(50);
  const TestServer server(limits);
  EXPECT_EQ(server.connect().read_all(), "");
}

TEST(Server, ARequestThatTakesTooLong) {
  Limits limits;
  limits.request = milliseconds(50);
  const TestServer server(limits);
  auto halfway = server.connect();
  halfway.send("GET /hello HTTP/1.1\r\nHos");
  EXPECT_EQ(status_of(halfway.read_all()), "408");
  auto promising = server.connect();
  promising.send(request_text("POST /echo", "Content-Length: 10\r\n") + "12");
  EXPECT_EQ(status_of(promising.read_all()), "408");
  auto waited_for = server.connect();
  waited_for.send(request_text("POST /echo", "Content-Length: 10\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(waited_for.read_all().substr(0, 37), "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 408");
}

TEST(Server, AnAnswerThatNobodyTakes) {
  Limits limits;
  limits.write = milliseconds(50);
  limits.connections = 1;
  const TestServer server(limits);
  auto not_reading = server.connect(4096);
  not_reading.send(request_text("GET /large"));
  std::string status;
  for (int i = 0; i < 500 && status != "200"; ++i, ::usleep(10'000)) status = status_of(server.ask(request_text("GET /hello")));
  EXPECT_EQ(status, "200");
  EXPECT_LT(not_reading.read_all().size(), kLargeBytes);
}

TEST(Server, ALargeAnswerArrivesWhole) {
  const TestServer server;
  EXPECT_EQ(body_of(server.ask(request_text("GET /large"))).size(), kLargeBytes);
}

TEST(Server, ClientsThatGoInTheMiddle) {
  const TestServer server;
  for (int i = 0; i < 50; ++i) {
    auto client = server.connect(4096);
    client.send(i % 2 == 0 ? request_text("GET /large") : std::string("POST /echo HTTP/1.1\r\nContent-"));
    if (i % 3 == 0) client.finish();
  }
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello"))), "200");
}

TEST(Server, ManyAtATime) {
  const TestServer server;
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(server.connect());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round) {
        for (std::size_t i = t; i < clients.size(); i += 4) clients[i].send(request_text("GET /query?x=" + std::to_string(i)));
        for (std::size_t i = t; i < clients.size(); i += 4)
          if (body_of(clients[i].read_answer()) == std::to_string(i)) ++right;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 1000);
}

TEST(Server, TooManyAreTurnedAway) {
  Limits limits;
  limits.connections = 3;
  const TestServer server(limits);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.connect());
    clients.back().send(request_text("GET /hello"));
    EXPECT_EQ(status_of(clients.back().read_answer()), "200");
  }
  EXPECT_EQ(status_of(server.connect().read_all()), "503");
  clients.clear();
  std::string status = "503";
  for (int i = 0; i < 500 && status != "200"; ++i, ::usleep(10'000)) status = status_of(server.ask(request_text("GET /hello")));
  EXPECT_EQ(status, "200");
}

TEST(Server, SurvivesWithoutFileDescriptors) {
  const TestServer server;
  // The sanitizer looks at the kind of an error when it meets the first one, and needs descriptors for that.
  ASSERT_FALSE(Server({.listen = "127.0.0.1:" + std::to_string(server.port())}, {}).start());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  auto few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  auto client = server.connect();  // has the last one
  client.send(request_text("GET /hello"));
  for (int i = 0; i < 1000 && server.log().empty(); ++i) ::usleep(10'000);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(status_of(client.read_answer()), "200");
  EXPECT_EQ(server.log(), "HTTP server: cannot accept a connection: Too many open files\n");
}

TEST(Server, TheTokenIsAsked) {
  const TestServer server({}, {}, {.bearer_token = "s3cret", .trusts_loopback = false});
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello"))), "401");
  EXPECT_EQ(status_of(server.ask(request_text("GET /hello", "Authorization: Bearer s3cret\r\n"))), "200");
  const TestServer trusting({}, {}, {.bearer_token = "s3cret"});
  EXPECT_EQ(status_of(trusting.ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")), "200");
}

TEST(Server, AddressesThatCannotBeBound) {
  const auto why = [](const std::string& listen) {
    const auto started = Server({.listen = listen}, {}).start();
    return started ? std::string() : started.error().message;
  };
  const auto freed = "127.0.0.1:" + std::to_string(TestServer().port());
  EXPECT_EQ(why(freed), "");
  const TestServer server;
  const auto used = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(why(used), "cannot listen on \"" + used + "\": Address already in use");
  EXPECT_EQ(why("192.0.2.1:0"), "cannot listen on \"192.0.2.1:0\": Cannot assign requested address");
  EXPECT_EQ(why("nowhere").rfind("cannot listen on \"nowhere\": there is no port", 0), 0U);
  EXPECT_EQ(why("localhost:0"), "");
  EXPECT_EQ(why(":0"), "");
}

}  // namespace
}  // namespace muster::server
