#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/service.h"

namespace muster::server {

struct Limits {
  std::size_t connections = 512;  // one more is told 503
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{1} << 20;

  using Duration = std::chrono::milliseconds;
  Duration idle = std::chrono::seconds(90);       // between two requests
  Duration request = std::chrono::seconds(10);    // from its first byte to its last
  Duration answer = std::chrono::seconds(10);     // until somebody has given an answer that comes later
  Duration write = std::chrono::seconds(30);      // until the client has taken an answer, or a piece of a stream
  Duration heartbeat = std::chrono::seconds(15);  // of streams
  Duration stop = std::chrono::seconds(2);        // for answers that are under way when the server stops
};

struct Settings {
  std::string listen = ":8080";  // see parse_listen_address
  Limits limits = {};
  Guard guard = {};
  Log log = {};  // what went wrong; called on the server's thread
};

// A small HTTP/1.1 server on one thread of its own: keep-alive, pipelining, HEAD, bodies up to a limit, streams. No TLS. Whatever a
// client sends or fails to send costs at most the limits, and never the process. Errors are JSON: {"error": "…"}.
class Server {
 public:
  Server(Settings settings, Router router);
  ~Server();  // stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds the address and begins to answer; fails when the address is none or cannot be bound. Once per server.
  Result<void> start();
  // Takes no more requests, finishes the answers that are being written, ends streams, and returns when the thread has ended: at
  // the latest when the time for it is over. From any thread but the server's own; more than once does nothing.
  void stop();

  // What was bound, once started.
  std::uint16_t port() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace muster::server
