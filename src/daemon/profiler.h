#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/log.h"
#include "server/router.h"

namespace muster::daemon {

// Answers GET /debug/pprof/profile?seconds=N with where the process spent processor time meanwhile. A thread of its own waits and
// puts the answer together: neither the scheduler nor the server does. One at a time; who leaves before it is done ends it.
class Profiler {
 public:
  explicit Profiler(Log& log) : log_(log) {}
  ~Profiler();  // after the server has stopped
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  // For this machine, and for those who have the token.
  void add_routes(server::Router& router);

 private:
  server::Answer begin(const server::Request& request);
  void take(std::chrono::seconds length, server::Stream& stream);
  void wait(std::chrono::seconds length, const server::Stream& stream);

  Log& log_;
  std::atomic<bool> is_busy_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by the mutex
  std::thread thread_;     // on the server's thread only
};

}  // namespace muster::daemon
