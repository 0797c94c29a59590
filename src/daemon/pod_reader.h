#pragma once

#include <functional>

#include "daemon/cycle_loop.h"
#include "daemon/object_reader.h"

namespace muster::daemon {

// Reads pods, and orders to bind them, for when what we believe of them may be wrong. Callable from any thread; readings come on
// the loop's thread.
class PodReader {
 public:
  struct Callbacks {
    std::function<void(PodReading)> on_pod;
    std::function<void(OrderReading)> on_order;
    ObjectReader::OnProblem on_problem = {};
  };
  PodReader(kube::Loop& loop, kube::RandomSource random, Callbacks callbacks)
      : reader_(loop, std::move(random), callbacks.on_problem), callbacks_(std::move(callbacks)) {}

  void read(const kube::Identity& pod);
  void read(UnsureOrder order);

 private:
  ObjectReader reader_;
  Callbacks callbacks_;
};

}  // namespace muster::daemon
