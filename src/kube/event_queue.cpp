#include "kube/event_queue.h"

#include <algorithm>

namespace muster::kube {

std::vector<Change> EventQueue::take(std::size_t most, Duration wait) {
  std::vector<Change> out;
  bool room = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return nudged_ || !changes_.empty(); });
    nudged_ = false;
    const auto count = std::min(most, changes_.size());
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(std::move(changes_.front()));
      changes_.pop_front();
    }
    room = was_full_ && changes_.size() <= capacity_ / 2;
    if (room) was_full_ = false;
  }
  if (room && tell_) tell_();
  return out;
}

void EventQueue::nudge() {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  changed_.notify_one();
}

std::size_t EventQueue::size() const {
  const std::lock_guard lock(mutex_);
  return changes_.size();
}

void EventQueue::push(Change change) {
  {
    const std::lock_guard lock(mutex_);
    changes_.push_back(std::move(change));
    was_full_ = was_full_ || changes_.size() >= capacity_;
  }
  changed_.notify_one();
}

}  // namespace muster::kube
