#pragma once

// A server on the loopback with a few routes, for tests.

#include <gtest/gtest.h>
#include <mutex>
#include <string>

#include "server/server.h"
#include "unit/server/raw_client.h"

namespace muster::server {

// Of the answer at /large: more than the system keeps for a client that does not read.
constexpr std::size_t kLargeBytes = std::size_t{16} << 20;

class TestServer {
 public:
  explicit TestServer(Limits limits = {}, Stream::Settings streams = {}, Guard guard = {})
      : server_({"127.0.0.1:0", limits, std::move(guard), [this](std::string_view text) { note(text); }},
                routes(std::move(streams))) {
    const auto started = server_.start();
    EXPECT_TRUE(started) << started.error().message;
  }

  Server& server() { return server_; }
  std::uint16_t port() const { return server_.port(); }
  RawClient connect(int receive_bytes = 0) const { return RawClient(server_.port(), receive_bytes); }
  std::string ask(std::string_view text) const {
    auto client = connect();
    client.send(text);
    return client.read_answer();
  }
  Broadcast& live() { return live_; }
  std::string log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  // Until so many look at /live, at most ten seconds.
  bool has_listeners(std::size_t count) const {
    for (int i = 0; i < 1000 && live_.listeners() != count; ++i) ::usleep(10'000);
    return live_.listeners() == count;
  }

 private:
  void note(std::string_view text) {
    const std::lock_guard lock(mutex_);
    log_.append(text).append("\n");
  }

  Router routes(Stream::Settings streams) {
    Router out;
    out.on(Method::kGet, "/hello", [](const Request&) { return Response{.body = "hello\n"}; })
        .on(Method::kPost, "/echo", [](const Request& request) { return Response{.body = request.body}; })
        .on(Method::kGet, "/query",
            [](const Request& request) { return Response{.body = std::string(request.parameter("x").value_or("none"))}; })
        .on(Method::kGet, "/header",
            [](const Request& request) { return Response{.body = std::string(request.headers.find("x-test").value_or("none"))}; })
        .on(Method::kGet, "/large", [](const Request&) { return Response{.body = std::string(kLargeBytes, 'x')}; })
        .on(Method::kDelete, "/empty", [](const Request&) { return Response{.status = 204, .body = "not sent"}; })
        .on(Method::kGet, "/throws", [](const Request&) -> Answer { throw std::runtime_error("on purpose"); })
        .on(Method::kGet, "/short",
            [](const Request&) {
              auto stream = std::make_shared<Stream>();
              stream->send_event("first", "1");
              stream->send_event("", "2");
              stream->close();
              return stream;
            })
        .on(Method::kGet, "/live", [this, streams = std::move(streams)](const Request&) {
          auto stream = std::make_shared<Stream>(streams);
          live_.add(stream);
          return stream;
        });
    return out;
  }

  mutable std::mutex mutex_;
  std::string log_;
  Broadcast live_;
  Server server_;
};

}  // namespace muster::server
