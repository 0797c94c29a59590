#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "kube/clock.h"

namespace muster::kube {

// How long to wait after each failure in a row: doubling from `first` to `most`, each time a random part of `jitter` longer, so
// that many clients do not come back together. A server that names a time gets at least that.
class Backoff {
 public:
  struct Settings {
    Duration first = std::chrono::milliseconds(800);
    Duration most = std::chrono::seconds(30);
    double jitter = 1.0;
  };
  Backoff(Settings settings, RandomSource random) : settings_(settings), random_(std::move(random)) {}

  Duration next(std::optional<Duration> asked = {}) {
    constexpr int kEnough = 40;  // doublings: more would only overflow
    const auto plain = std::ldexp(static_cast<double>(settings_.first.count()), std::min(failures_++, kEnough));
    const auto bounded = std::min(plain, static_cast<double>(settings_.most.count()));
    const auto jittered = Duration(static_cast<std::int64_t>(bounded * (1.0 + settings_.jitter * random_())));
    return std::max(jittered, asked.value_or(Duration(0)));
  }
  void reset() { failures_ = 0; }

 private:
  Settings settings_;
  RandomSource random_;
  int failures_ = 0;
};

}  // namespace muster::kube
