// What becomes of writes that are not to be sent any more.

#include "daemon/write_queue.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kMostStoppedGangs = 10'000;

const std::string* gang_of(const Write& write) {
  const auto* bind = std::get_if<Bind>(&write);
  return bind == nullptr || bind->group.empty() || bind->comes_again ? nullptr : &bind->group;
}

}  // namespace

// Requests may wait inside the loop for much longer than here.
void WriteQueue::begin_term() {
  time_left_ = std::make_shared<const std::function<kube::Duration()>>(
      [this, alive = std::weak_ptr<int>(alive_), term = term_.load()]() -> kube::Duration {
        if (alive.expired() || stopping_ || term != term_ || !callbacks_.may_write()) return kube::Duration(0);
        return callbacks_.time_left ? callbacks_.time_left() : kube::Duration::max();
      });
  begin_evictions();
}

void WriteQueue::begin_evictions() {
  time_to_evict_ = std::make_shared<const std::function<kube::Duration()>>(
      [this, alive = std::weak_ptr<int>(alive_), of_all = time_left_, stops = stops_]() -> kube::Duration {
        return alive.expired() || !may_evict(stops) ? kube::Duration(0) : (*of_all)();
      });
}

void WriteQueue::drop_unsent(const char* why) {
  ++term_;
  why_over_ = why;
  begin_term();
  drop_all(why);
}

// Whoever leads now decides, and says what holds. What we had decided and not sent is over.
void WriteQueue::drop_all(const char* why) {
  event_filter_.clear();
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
  ++stops_;
  begin_evictions();
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

void WriteQueue::drop_binds(const std::string& gang) {
  if (gang_stops_.size() > kMostStoppedGangs) gang_stops_.clear();
  ++gang_stops_[gang];
  const auto drop_from = [&](Lane& lane) {
    for (auto& waiting : std::exchange(lane, {})) {
      const auto* of = gang_of(waiting.write);
      of != nullptr && *of == gang ? drop(std::move(waiting), kGangRefused) : lane.push_back(std::move(waiting));
    }
  };
  drop_from(urgent_);
  for (auto& [key, lane] : behind_) drop_from(lane);
  boost::unordered::erase_if(behind_, [](const auto& one) { return one.second.empty(); });
  pump();
}

// How often what this is was dropped until now.
std::uint64_t WriteQueue::stops_of(const Waiting& waiting) const {
  const auto* gang = gang_of(waiting.write);
  if (gang == nullptr) return stops_;
  const auto found = gang_stops_.find(*gang);
  return found == gang_stops_.end() ? 0 : found->second;
}

// Asked at the last moment.
kube::TimeLeft WriteQueue::time_for(const Waiting& waiting) const {
  if (evicts(waiting)) return time_to_evict_;
  if (gang_of(waiting.write) == nullptr) return time_left_;
  return std::make_shared<const std::function<kube::Duration()>>([this, alive = std::weak_ptr<int>(alive_), of_all = time_left_,
                                                                  gang = *gang_of(waiting.write),
                                                                  stops = waiting.stops]() -> kube::Duration {
    if (alive.expired()) return kube::Duration(0);
    const auto found = gang_stops_.find(gang);
    return (found == gang_stops_.end() ? 0 : found->second) == stops ? (*of_all)() : kube::Duration(0);
  });
}

const char* WriteQueue::why_unsent(const Waiting& waiting) const {
  if (waiting.term != term_) return why_over_;
  if (evicts(waiting)) return may_evict(waiting.stops) ? kNotLeading : kNoEvictions;
  return gang_of(waiting.write) != nullptr && stops_of(waiting) != waiting.stops ? kGangRefused : kNotLeading;
}

void WriteQueue::withhold_evictions(Effects& effects) {
  for (auto& eviction : std::exchange(effects.evictions, {})) report_unsent(std::move(eviction), kNoEvictions);
  std::erase_if(effects.events, [](const Event& event) { return event.tells_of_eviction; });
}

void WriteQueue::drop(Waiting waiting, const char* why) {
  std::visit(
      [&]<class One>(One& write) {
        if constexpr (std::is_same_v<One, Event>)
          event_filter_.take_back(write);
        else if (!waiting.announces)
          report_unsent(std::move(write), why);
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
