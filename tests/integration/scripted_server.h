#pragma once

// A small API server on the loopback for tests: a thread per connection, a script that answers requests as bytes on the wire.

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace muster::kube {

struct ServerRequest {
  std::string method;
  std::string path;                            // with its query
  std::map<std::string, std::string> headers;  // by lower-case name
  std::string body;
};

// The connection as the script sees it.
class ServerConnection {
 public:
  virtual ~ServerConnection() = default;
  // Whether it could be sent.
  virtual bool send(std::string_view bytes) = 0;
  // Nothing is sent for this long, or until the server stops.
  virtual void wait(std::chrono::milliseconds time) = 0;
  virtual bool stopping() const = 0;

  void answer(int status, std::string_view body, const std::string& more_headers = {});
  // A chunked answer, as watches are.
  void begin_stream();
  bool chunk(std::string_view piece);
  void end_stream();
};

struct ServerCertificate {
  std::string certificate_file;
  std::string key_file;
  std::string client_authority_file = {};  // clients must show a certificate of it
};

class ScriptedServer {
 public:
  // Returns whether the connection stays open for another request.
  using Script = std::function<bool(const ServerRequest&, ServerConnection&)>;

  explicit ScriptedServer(Script script, const ServerCertificate* certificate = nullptr);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::vector<ServerRequest> requests() const;
  int connections() const { return connections_; }

 private:
  class Link;
  void accept_all();
  void serve(int socket);

  Script script_;
  std::shared_ptr<void> tls_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<ServerRequest> requests_;
  std::list<std::thread> workers_;
  std::thread thread_;
};

}  // namespace muster::kube
