#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace muster {

// A small HTTP service on the loopback, in a thread of its own, for as long as it lives. One connection at a time, one request
// each.
class HttpServer {
 public:
  struct Request {
    std::string method;
    std::string path;
    std::string body;
  };
  struct Response {
    int status = 200;
    std::string body;
    bool silent = false;  // reads the request and never answers
  };
  using Handler = std::function<Response(const Request&)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // What it was asked so far.
  std::vector<Request> requests() const;

  // A URL at which nobody listens.
  static std::string nobody();

 private:
  void serve();
  void answer(int connection);

  Handler handler_;
  int port_ = 0;
  int listener_;  // after the port, which it sets
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::vector<int> silent_;  // connections that wait for ever
  std::thread thread_;
};

}  // namespace muster
