#include "kube/clock.h"

#include <random>

namespace muster::kube {

Timestamp SystemClock::wall() const {
  const auto since = std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count();
  return {since / kNanosPerSecond, static_cast<std::int32_t>(since % kNanosPerSecond)};
}

RandomSource system_random() {
  return [engine = std::mt19937_64(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  };
}

std::string micro_time(const Timestamp& time) {
  auto text = Timestamp{time.seconds, 0}.rfc3339();
  const auto micros = std::to_string(1'000'000 + time.nanos / 1000).substr(1);
  return text.replace(text.size() - 1, 1, "." + micros + "Z");
}

}  // namespace muster::kube
