#pragma once

// Waiting for libcurl's sockets. Only curl_loop.cpp includes this.

#include <curl/curl.h>
#include <optional>

#include "kube/clock.h"

namespace muster::kube {

// Tells libcurl which of its sockets have something to do, and lets it work on those alone: with dozens of connections that wait
// for answers, looking at each of them for every answer costs more than the answers do. Belongs to one thread, but for wake().
class CurlSockets {
 public:
  CurlSockets(CURLM* multi, const Clock& clock);
  ~CurlSockets();
  CurlSockets(const CurlSockets&) = delete;
  CurlSockets& operator=(const CurlSockets&) = delete;

  // Waits until there is something to do, or for that long, and has libcurl do it.
  void work(Duration longest);
  // From any thread: work() waits no longer, now or the next time.
  void wake() const;

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long millis, void* self);
  void watch(curl_socket_t socket, int what) const;
  void take_wakes() const;
  int wait_millis(Duration longest) const;

  CURLM* const multi_;
  const Clock& clock_;
  int epoll_ = -1;
  int wake_ = -1;
  std::optional<Instant> due_;  // when libcurl wants to be called whatever happens
};

}  // namespace muster::kube
