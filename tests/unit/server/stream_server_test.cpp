// Streams, and how a server stops, over sockets of the loopback.

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "unit/server/test_server.h"

namespace muster::server {
namespace {

using std::chrono::milliseconds;

TEST(StreamServer, EventsThenTheEnd) {
  const TestServer server;
  auto client = server.connect();
  client.send(request_text("GET /short"));
  const auto answer = client.read_all();
  EXPECT_NE(answer.find("Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"), std::string::npos) << answer;
  EXPECT_NE(answer.find("Cache-Control: no-cache\r\n"), std::string::npos) << answer;
  EXPECT_EQ(body_of(answer), "1f\r\nevent: first\ndata: 1\n\ndata: 2\n\n\r\n0\r\n\r\n");

  auto old = server.connect();
  old.send("GET /short HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(old.read_all()), "event: first\ndata: 1\n\ndata: 2\n\n");
  auto head = server.connect();
  head.send(request_text("HEAD /short"));
  EXPECT_EQ(body_of(head.read_all()), "");
}

TEST(StreamServer, FedByOtherThreads) {
  TestServer server;
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(server.connect());
    clients.back().send("GET /live HTTP/1.0\r\n\r\n");
  }
  ASSERT_TRUE(server.has_listeners(20));
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) server.live().send_event("tick", std::to_string(i));
    });
  for (auto& thread : threads) thread.join();
  server.live().send_event("last", "");
  for (auto& client : clients) {
    const auto answer = body_of(client.read_until("event: last\ndata: \n\n"));
    std::size_t events = 0;
    for (std::size_t at = 0; (at = answer.find("event: tick\n", at)) != std::string::npos; ++at) ++events;
    EXPECT_EQ(events, 1000U);
  }
}

TEST(StreamServer, AClientThatGoesIsForgotten) {
  TestServer server;
  auto stays = server.connect();
  stays.send(request_text("GET /live"));
  {
    auto goes = server.connect();
    goes.send(request_text("GET /live"));
    ASSERT_TRUE(server.has_listeners(2));
  }
  EXPECT_TRUE(server.has_listeners(1));
  stays.finish();
  EXPECT_TRUE(server.has_listeners(0));
}

TEST(StreamServer, AClientThatIsTooSlowIsDropped) {
  TestServer server({}, {.most_bytes = 100'000});
  auto slow = server.connect(4096);
  slow.send(request_text("GET /live"));
  auto quick = server.connect();
  quick.send("GET /live HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(server.has_listeners(2));
  quick.read_until("\r\n\r\n");
  const std::string data(50'000, 'x');
  const auto event = event_text("", data);
  for (int i = 0; i < 500 && server.live().listeners() == 2; ++i) {
    server.live().send(event);
    EXPECT_EQ(quick.read_bytes(event.size()), event);
  }
  EXPECT_EQ(server.live().listeners(), 1U);
  server.live().send("end");
  EXPECT_EQ(quick.read_bytes(3), "end");
}

TEST(StreamServer, AClientThatTakesNothingRunsOutOfTime) {
  Limits limits;
  limits.write = milliseconds(200);
  TestServer server(limits, {.most_bytes = std::size_t{64} << 20});
  auto slow = server.connect(4096);
  slow.send(request_text("GET /live"));
  ASSERT_TRUE(server.has_listeners(1));
  server.live().send(std::string(std::size_t{32} << 20, 'x'));
  EXPECT_TRUE(server.has_listeners(0));
}

TEST(StreamServer, Heartbeats) {
  Limits limits;
  limits.heartbeat = milliseconds(50);
  const TestServer server(limits);
  auto client = server.connect();
  client.send("GET /live HTTP/1.0\r\n\r\n");
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_bytes(9), ":\n\n:\n\n:\n\n");
}

TEST(StreamServer, WhatAListenerSendsIsIgnored) {
  TestServer server;
  auto client = server.connect();
  client.send("GET /live HTTP/1.0\r\n\r\nGET /hello HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(server.has_listeners(1));
  client.send(std::string(100'000, 'x'));
  server.live().send("here");
  EXPECT_EQ(body_of(client.read_until("here")), "here");
}

TEST(Stop, AtOnceWhenNothingIsUnderWay) {
  Limits limits;
  limits.stop = milliseconds(20'000);
  TestServer server(limits);
  auto idle = server.connect();
  idle.send(request_text("GET /hello"));
  idle.read_answer();
  auto halfway = server.connect();
  halfway.send("GET /hel");
  auto listening = server.connect();
  listening.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(server.has_listeners(1));
  const auto before = std::chrono::steady_clock::now();
  server.server().stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(10'000));
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_EQ(halfway.read_all(), "");
  EXPECT_EQ(body_of(listening.read_all()), "0\r\n\r\n");
  EXPECT_FALSE(server.connect().connected());
  server.live().send("nobody");
  EXPECT_EQ(server.live().listeners(), 0U);
  server.server().stop();
}

TEST(Stop, ClientsThatHangDoNotHoldItUp) {
  Limits limits;
  limits.stop = milliseconds(200);
  TestServer server(limits, {.most_bytes = std::size_t{64} << 20});
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(server.connect(4096));
    clients.back().send(request_text(i % 2 == 0 ? "GET /large" : "GET /live"));
  }
  ASSERT_TRUE(server.has_listeners(5));
  server.live().send(std::string(std::size_t{16} << 20, 'x'));
  const auto before = std::chrono::steady_clock::now();
  server.server().stop();
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, milliseconds(150));
  EXPECT_LT(took, milliseconds(10'000));
}

TEST(Stop, AnAnswerUnderWayIsFinished) {
  Limits limits;
  limits.stop = milliseconds(10'000);
  TestServer server(limits);
  auto client = server.connect();
  client.send(request_text("GET /large"));
  std::thread stopping([&] {
    ::usleep(50'000);
    server.server().stop();
  });
  ::usleep(100'000);
  EXPECT_EQ(body_of(client.read_answer()).size(), kLargeBytes);
  stopping.join();
}

TEST(Stop, StreamsOutliveTheServer) {
  Broadcast live;
  std::shared_ptr<Stream> kept;
  {
    Router router;
    router.on(Method::kGet, "/live", [&](const Request&) {
      kept = std::make_shared<Stream>();
      live.add(kept);
      return kept;
    });
    Server server({.listen = "127.0.0.1:0"}, std::move(router));
    ASSERT_TRUE(server.start());
    RawClient client(server.port());
    client.send(request_text("GET /live"));
    client.read_until("\r\n\r\n");
    std::atomic<bool> stopped = false;
    std::thread feeding([&] {
      while (!stopped) live.send("x");
    });
    ::usleep(20'000);
    server.stop();
    stopped = true;
    feeding.join();
  }
  EXPECT_FALSE(kept->send("x"));
}

TEST(Stop, NeverStartedOrTwice) {
  Server server({.listen = "127.0.0.1:0"}, {});
  server.stop();
  ASSERT_TRUE(server.start());
  std::thread other([&] { server.stop(); });
  server.stop();
  other.join();
}

}  // namespace
}  // namespace muster::server
