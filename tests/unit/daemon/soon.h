#pragma once

#include <chrono>
#include <thread>

namespace muster::daemon {

// Whether something that another thread brings about holds within five seconds.
template <class F>
bool soon(F holds) {
  for (int i = 0; i < 5000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace muster::daemon
