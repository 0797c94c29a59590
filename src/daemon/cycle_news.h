#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "kube/clock.h"
#include "model/time.h"
#include "server/stream.h"

namespace muster::daemon {

// Tells whoever listens that cycles have brought something new to see, at once but at most once a second: the lists are not made
// more often. What comes in between is told together, when the second is over. From any thread.
class CycleNews {
 public:
  // Has something done later, on any thread; or never, when the process is about to end.
  using After = std::function<void(kube::Duration, std::function<void()>)>;
  CycleNews(const kube::Clock& clock, After after) : clock_(clock), after_(std::move(after)) {}

  // One more who listens. Nothing: there are enough.
  std::shared_ptr<server::Stream> listen();

  struct News {
    std::uint64_t cycle = 0;  // the last one
    Timestamp time;           // of its end
    std::size_t binds = 0;    // since the last news
    std::size_t evictions = 0;
  };
  void tell(const News& news);

 private:
  void send();

  const kube::Clock& clock_;
  const After after_;
  server::Broadcast listeners_;
  std::mutex mutex_;
  kube::Instant next_{};  // not before; guarded by the mutex
  bool is_waiting_ = false;
  News news_;
};

}  // namespace muster::daemon
