#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <pthread.h>
#include <thread>

namespace muster::cli {

// Waits for the signals that ask to stop, and for those that ask for a dump; they must be blocked in all threads. SIGHUP, which a
// terminal sends that is closed, asks to stop as well, unless it was ignored before: whoever starts with nohup wants it to go on.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set_, signal);
    if (!is_ignored(SIGHUP)) sigaddset(&set_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // On a thread of its own: calls back once to stop, and until then as often as SIGUSR1 and SIGUSR2 come.
  void listen(std::function<void()> on_stop, std::function<void(int)> on_dump = [](int) {}) {
    thread_ = std::thread([this, stop = std::move(on_stop), dump = std::move(on_dump)] {
      for (int signal = 0;;) {
        sigwait(&set_, &signal);
        if (ended_) return;
        if (signal != SIGUSR1 && signal != SIGUSR2) return stop();
        dump(signal);
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
  static bool is_ignored(int signal) {
    struct sigaction now{};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  }

  sigset_t set_{};
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace muster::cli
