#pragma once

#include <functional>

#include "daemon/cycle_loop.h"
#include "kube/backoff.h"
#include "kube/loop.h"

namespace muster::daemon {

// Reads single pods from the server, for when what we believe of one may be wrong. Asks until there is an answer. Callable from any
// thread; readings come on the loop's thread.
class PodReader {
 public:
  PodReader(kube::Loop& loop, kube::RandomSource random, std::function<void(PodReading)> on_read)
      : loop_(loop), random_(std::move(random)), on_read_(std::move(on_read)) {}

  void read(const kube::Identity& pod);

 private:
  void ask(const kube::Identity& pod, std::shared_ptr<kube::Backoff> backoff);
  bool take(const kube::Identity& pod, const kube::HttpAnswer& answer);

  kube::Loop& loop_;
  kube::RandomSource random_;
  std::function<void(PodReading)> on_read_;
};

}  // namespace muster::daemon
