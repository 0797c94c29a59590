#include "support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"

namespace muster {
namespace {

constexpr int kPollMillis = 20;

int listen_on_loopback(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MUSTER_ASSERT(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t size = sizeof address;
  MUSTER_ASSERT(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port = ntohs(address.sin_port);
  return listener;
}

// The number after "Content-Length:", in any case.
std::size_t content_length(const std::string& head) {
  std::string lower;
  for (const char c : head) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto at = lower.find("content-length:");
  return at == std::string::npos ? 0 : static_cast<std::size_t>(std::stoul(lower.substr(at + 15)));
}

std::string read_request(int connection) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto end = text.find("\r\n\r\n");
    if (end != std::string::npos && text.size() >= end + 4 + content_length(text.substr(0, end))) return text;
    const auto count = ::recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void send_all(int connection, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const auto count = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)), listener_(listen_on_loopback(port_)) {
  MUSTER_ASSERT(::listen(listener_, 16) == 0);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stopped_ = true;
  thread_.join();
  for (const int connection : silent_) ::close(connection);
  ::close(listener_);
}

std::vector<HttpServer::Request> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string HttpServer::nobody() {
  int port = 0;
  ::close(listen_on_loopback(port));
  return "http://127.0.0.1:" + std::to_string(port);
}

void HttpServer::serve() {
  while (!stopped_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMillis) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) answer(connection);
  }
}

void HttpServer::answer(int connection) {
  const auto text = read_request(connection);
  const auto first = text.find(' ');
  const auto second = first == std::string::npos ? first : text.find(' ', first + 1);
  const auto end = text.find("\r\n\r\n");
  if (second == std::string::npos || end == std::string::npos) {
    ::close(connection);
    return;
  }
  const Request request{text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(end + 4)};
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const auto response = handler_(request);
  if (response.silent) {
    silent_.push_back(connection);
    return;
  }
  send_all(connection, "HTTP/1.1 " + std::to_string(response.status) + " X\r\nConnection: close\r\nContent-Length: " +
                           std::to_string(response.body.size()) + "\r\n\r\n" + response.body);
  ::close(connection);
}

}  // namespace muster
