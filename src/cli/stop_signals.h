#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <pthread.h>
#include <thread>

namespace muster::cli {

// Waits for the signals that ask to stop; they must be blocked in all threads. Those that ask the original for a dump do nothing.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // Calls back once, on a thread of its own.
  void listen(std::function<void()> on_stop) {
    thread_ = std::thread([this, callback = std::move(on_stop)] {
      for (int signal = 0; !ended_;) {
        sigwait(&set_, &signal);
        if (signal == SIGINT || signal == SIGTERM) return callback();
      }
    });
  }
  // From then on nobody is called back.
  void end() {
    if (!thread_.joinable()) return;
    ended_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR1);  // nothing if it has ended
    thread_.join();
  }
  ~StopSignals() { end(); }

 private:
  sigset_t set_{};
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace muster::cli
