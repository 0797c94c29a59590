#pragma once

#include <condition_variable>
#include <mutex>

#include "kube/clock.h"

namespace muster::daemon {

// Lets one thread wait for another.
class Latch {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
  }
  bool wait(kube::Duration longest) {
    std::unique_lock lock(mutex_);
    return opened_.wait_for(lock, longest, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

}  // namespace muster::daemon
