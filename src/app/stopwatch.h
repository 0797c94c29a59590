#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

// Measures wall time in whole microseconds from one lap to the next.
class Stopwatch {
 public:
  std::int64_t lap() {
    const auto now = std::chrono::steady_clock::now();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - last_).count();
    last_ = now;
    return micros;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace muster
