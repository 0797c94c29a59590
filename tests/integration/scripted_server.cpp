#include "integration/scripted_server.h"

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"

namespace muster::kube {
namespace {

constexpr int kPollMillis = 10;

std::shared_ptr<void> tls_context(const ServerCertificate& certificate) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  MUSTER_ASSERT(SSL_CTX_use_certificate_chain_file(context, certificate.certificate_file.c_str()) == 1);
  MUSTER_ASSERT(SSL_CTX_use_PrivateKey_file(context, certificate.key_file.c_str(), SSL_FILETYPE_PEM) == 1);
  if (!certificate.client_authority_file.empty()) {
    MUSTER_ASSERT(SSL_CTX_load_verify_locations(context, certificate.client_authority_file.c_str(), nullptr) == 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return {context, [](void* one) { SSL_CTX_free(static_cast<SSL_CTX*>(one)); }};
}

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

ServerRequest parse_head(const std::string& head) {
  ServerRequest out;
  const auto first = head.find(' ');
  const auto second = head.find(' ', first + 1);
  out.method = head.substr(0, first);
  out.path = head.substr(first + 1, second - first - 1);
  for (auto at = head.find("\r\n"); at != std::string::npos && at + 2 < head.size();) {
    const auto end = head.find("\r\n", at + 2);
    const auto line = head.substr(at + 2, end - at - 2);
    if (const auto colon = line.find(": "); colon != std::string::npos) {
      auto& value = out.headers[lower(line.substr(0, colon))];
      value += (value.empty() ? "" : ",") + line.substr(colon + 2);
    }
    at = end;
  }
  return out;
}

}  // namespace

void ServerConnection::answer(int status, std::string_view body, const std::string& more_headers) {
  send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\nContent-Length: " +
       std::to_string(body.size()) + "\r\n" + more_headers + "\r\n" + std::string(body));
}

void ServerConnection::begin_stream() {
  send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool ServerConnection::chunk(std::string_view piece) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
  return send(size + std::string(piece) + "\r\n");
}

void ServerConnection::end_stream() { send("0\r\n\r\n"); }

class ScriptedServer::Link final : public ServerConnection {
 public:
  Link(ScriptedServer& server, int socket) : server_(server), socket_(socket) {}
  ~Link() override {
    if (ssl_ != nullptr) SSL_free(ssl_);
    ::close(socket_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool shake_hands() {
    if (!server_.tls_) return true;
    ssl_ = SSL_new(static_cast<SSL_CTX*>(server_.tls_.get()));
    SSL_set_fd(ssl_, socket_);
    return SSL_accept(ssl_) == 1;
  }
  bool send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto count = ssl_ != nullptr ? static_cast<ssize_t>(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())))
                                         : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void wait(std::chrono::milliseconds time) override {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!stopping() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  bool stopping() const override { return server_.stopping_; }

  // False at the end of the connection.
  bool read_request(ServerRequest& out) {
    std::size_t head = 0;
    while ((head = text_.find("\r\n\r\n")) == std::string::npos)
      if (!read_more()) return false;
    out = parse_head(text_.substr(0, head + 2));
    const auto found = out.headers.find("content-length");
    const auto length = found == out.headers.end() ? 0 : std::stoul(found->second);
    while (text_.size() < head + 4 + length)
      if (!read_more()) return false;
    out.body = text_.substr(head + 4, length);
    text_.erase(0, head + 4 + length);
    return true;
  }

 private:
  bool read_more() {
    char buffer[4096];
    while (ssl_ == nullptr || SSL_pending(ssl_) == 0) {
      pollfd waiting{socket_, POLLIN, 0};
      if (stopping()) return false;
      if (::poll(&waiting, 1, kPollMillis) > 0) break;
    }
    const auto count =
        ssl_ != nullptr ? static_cast<ssize_t>(SSL_read(ssl_, buffer, sizeof buffer)) : ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    text_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  ScriptedServer& server_;
  int socket_;
  SSL* ssl_ = nullptr;
  std::string text_;
};

ScriptedServer::ScriptedServer(Script script, const ServerCertificate* certificate) : script_(std::move(script)) {
  if (certificate != nullptr) tls_ = tls_context(*certificate);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  MUSTER_ASSERT(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(listener_, 64) == 0);
  MUSTER_ASSERT(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  thread_.join();
  for (auto& worker : workers_) worker.join();
  ::close(listener_);
}

std::vector<ServerRequest> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::accept_all() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMillis) <= 0) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    ++connections_;
    workers_.emplace_back([this, socket] { serve(socket); });
  }
}

void ScriptedServer::serve(int socket) {
  sigset_t signals;  // the TLS library writes to closed connections
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Link link(*this, socket);
  if (!link.shake_hands()) return;
  ServerRequest request;
  while (link.read_request(request)) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    if (!script_(request, link)) return;
  }
}

}  // namespace muster::kube
