#include "app/http_client.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "support/http_server.h"

namespace muster {
namespace {

HttpRequest a_request(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.timeout_nanos = 2'000'000'000;
  request.largest_answer = 1000;
  return request;
}

TEST(HttpClient, GetsAndPosts) {
  HttpServer server([](const HttpServer::Request& request) {
    return HttpServer::Response{request.path == "/missing" ? 404 : 200, request.method + " " + request.body};
  });
  HttpClient client;
  auto request = a_request(server.url() + "/a?b=c");
  EXPECT_EQ(client.send(request)->body, "GET ");
  request.method = HttpRequest::Method::kPost;
  request.body = std::string("one\0two", 7);
  request.content_type = "text/plain";
  EXPECT_EQ(client.send(request)->body, "POST " + request.body);
  EXPECT_EQ(server.requests()[0].path, "/a?b=c");
  request.url = server.url() + "/missing";
  EXPECT_EQ(client.send(request)->status, 404);
}

TEST(HttpClient, SaysWhenNobodyListens) {
  HttpClient client;
  const auto response = client.send(a_request(HttpServer::nobody() + "/x"));
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().unreachable);
  EXPECT_FALSE(response.error().message.empty());
}

TEST(HttpClient, WaitsNoLongerThanItsTimeout) {
  HttpServer server([](const HttpServer::Request&) { return HttpServer::Response{200, "", true}; });
  HttpClient client;
  auto request = a_request(server.url());
  request.timeout_nanos = 50'000'000;
  const auto response = client.send(request);
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().unreachable);
}

TEST(HttpClient, CanBeStopped) {
  HttpServer server([](const HttpServer::Request&) { return HttpServer::Response{200, "", true}; });
  HttpClient client;
  auto request = a_request(server.url());
  request.timeout_nanos = 60'000'000'000;
  std::stop_source stop;
  request.stop = stop.get_token();
  const auto begin = std::chrono::steady_clock::now();
  std::thread stopper([&] {
    while (server.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  EXPECT_FALSE(client.send(request));
  stopper.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(HttpClient, TakesNoMoreThanItWants) {
  HttpServer server([](const HttpServer::Request& request) {
    return HttpServer::Response{200, std::string(request.path == "/long" ? 1'000'000 : 1000, 'x')};
  });
  HttpClient client;
  EXPECT_EQ(client.send(a_request(server.url() + "/short"))->body.size(), 1000u);
  const auto response = client.send(a_request(server.url() + "/long"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "the answer has more than 1000 bytes");
  EXPECT_FALSE(response.error().unreachable);
}

TEST(HttpClient, SpeaksHttpOnly) {
  HttpClient client;
  EXPECT_FALSE(client.send(a_request("file:///etc/hostname")));
  EXPECT_FALSE(client.send(a_request("")));
  EXPECT_FALSE(client.send(a_request("http://")));
}

}  // namespace
}  // namespace muster
