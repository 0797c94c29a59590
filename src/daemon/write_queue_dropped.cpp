// What becomes of writes that are not to be sent any more.

#include "daemon/write_queue.h"

namespace muster::daemon {
namespace {

constexpr const char* kNoEvictions = "not sent: nobody is evicted for now";

}  // namespace

// Requests may wait inside the loop for much longer than here.
void WriteQueue::begin_term() {
  sender_.set_time_left(std::make_shared<const std::function<kube::Duration()>>(
      [this, alive = std::weak_ptr<int>(alive_), term = term_.load()]() -> kube::Duration {
        if (alive.expired() || stopping_ || term != term_ || !callbacks_.may_write()) return kube::Duration(0);
        return callbacks_.time_left ? callbacks_.time_left() : kube::Duration::max();
      }));
}

void WriteQueue::drop_unsent() {
  ++term_;
  begin_term();
  drop_all(kNotLeading);
}

// Whoever leads now decides. What we had decided and not sent is over.
void WriteQueue::drop_all(const char* why) {
  const auto drop_lane = [&](Lane& lane) {
    for (auto& waiting : std::exchange(lane, {})) drop(std::move(waiting), why);
  };
  for (auto& [key, lane] : std::exchange(behind_, {})) drop_lane(lane);
  for (auto& [key, postponed] : std::exchange(postponed_, {})) {
    loop_.cancel(postponed.timer);
    busy_.erase(key);
    drop(std::move(postponed.waiting), why);
  }
  drop_lane(again_);
  drop_lane(urgent_);
  drop_lane(ordinary_);
  for (auto& [part, patch] : std::exchange(patches_, {})) drop(std::move(patch), why);
  patch_order_.clear();
  held_.clear();
  events_.clear();
  held_events_.clear();
  held_event_order_.clear();
  complete_.clear();
}

void WriteQueue::drop_evictions() {
  const auto evicts = [](const Waiting& waiting) { return std::holds_alternative<Evict>(waiting.write) || waiting.announces; };
  const auto drop_from = [&](Lane& lane) {
    for (auto& waiting : std::exchange(lane, {}))
      evicts(waiting) ? drop(std::move(waiting), kNoEvictions) : lane.push_back(std::move(waiting));
  };
  drop_from(ordinary_);
  for (auto& [key, lane] : behind_) drop_from(lane);
  boost::unordered::erase_if(behind_, [](const auto& one) { return one.second.empty(); });
  for (auto& [key, postponed] : std::exchange(postponed_, {})) {
    if (!evicts(postponed.waiting)) {
      postponed_.emplace(key, std::move(postponed));
      continue;
    }
    loop_.cancel(postponed.timer);
    busy_.erase(key);
    drop(std::move(postponed.waiting), kNoEvictions);
    release_behind(key);
  }
  pump();
}

void WriteQueue::drop(Waiting waiting, const char* why) {
  std::visit(
      [&]<class One>(One& write) {
        if constexpr (!std::is_same_v<One, Event>)
          if (!waiting.announces) report_unsent(std::move(write), why);
      },
      waiting.write);
}

void WriteQueue::drop(Effects effects, const char* why) {
  const auto drop_each = [&](auto& writes) {
    for (auto& write : writes) report_unsent(std::move(write), why);
  };
  drop_each(effects.deletions);
  drop_each(effects.steps);
  drop_each(effects.binds);
  drop_each(effects.evictions);
  drop_each(effects.creations);
  drop_each(effects.patches);
}

template <class One>
void WriteQueue::report_unsent(One write, const char* why) {
  callbacks_.on_report({std::move(write),
                        {.outcome = kube::WriteOutcome::kUnknown, .retry_after = {}, .message = why, .body = {}, .was_sent = false},
                        {},
                        term_});
}

}  // namespace muster::daemon
