#pragma once

// A client that sends and reads bytes over a socket of the loopback, right or wrong ones.

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace muster::server {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_bytes = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), read_(std::move(other.read_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;

  bool connected() const { return connected_; }

  // Whether all of it was taken.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Nothing more will be sent; answers are still read.
  void finish() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  // What comes up to and with `end`; less when the server closes or ten seconds pass.
  std::string read_until(std::string_view end) {
    for (;;) {
      if (const auto at = read_.find(end); at != std::string::npos) return taken(at + end.size());
      if (!read_more()) return taken(read_.size());
    }
  }
  std::string read_bytes(std::size_t count) {
    while (read_.size() < count && read_more()) continue;
    return taken(std::min(count, read_.size()));
  }
  std::string read_all() {
    while (read_more()) continue;
    return taken(read_.size());
  }
  // Head and body of one answer with a Content-Length.
  std::string read_answer() {
    auto head = read_until("\r\n\r\n");
    const auto at = head.find("Content-Length: ");
    return at == std::string::npos ? head : head + read_bytes(std::stoul(head.substr(at + 16)));
  }

 private:
  bool read_more() {
    char bytes[4096];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    read_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::string taken(std::size_t count) {
    auto out = read_.substr(0, count);
    read_.erase(0, count);
    return out;
  }

  int socket_;
  bool connected_ = false;
  std::string read_;
};

inline std::string status_of(const std::string& answer) { return answer.size() < 12 ? answer : answer.substr(9, 3); }
inline std::string body_of(const std::string& answer) {
  const auto at = answer.find("\r\n\r\n");
  return at == std::string::npos ? "" : answer.substr(at + 4);
}
inline std::string request_text(std::string_view line, std::string_view more = {}) {
  return std::string(line) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more) + "\r\n";
}

}  // namespace muster::server
