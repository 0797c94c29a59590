#include "daemon/write_queue.h"

#include <algorithm>

namespace muster::daemon {
namespace {

using kube::WriteOutcome;

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;  // for compilers that do not find it by themselves

std::string pod_key(const kube::Identity& pod) { return "pods/" + pod.ns + "/" + pod.name; }

std::string object_key(const kube::ObjectPath& object, const std::string& name) {
  return object.plural + "/" + object.ns + "/" + name;
}

constexpr std::size_t kMostGangs = 10'000;  // whose first bind has not been sent

kube::Duration duration_of(double seconds) {
  return std::chrono::duration_cast<kube::Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

WriteQueue::WriteQueue(kube::Loop& loop, WriteSettings settings, kube::RandomSource random, Callbacks callbacks)
    : loop_(loop),
      settings_(std::move(settings)),
      sender_(loop, {settings_.evict_by_delete, settings_.scheduler_name, settings_.instance}),
      random_(std::move(random)),
      backoff_(settings_.backoff, random_),
      unanswered_(settings_.unanswered, random_),
      callbacks_(std::move(callbacks)),
      tokens_(settings_.burst),
      event_tokens_(settings_.events_per_second),
      filled_at_(loop.clock().now()) {
  begin_term();
}

WriteQueue::~WriteQueue() {
  if (timer_) loop_.cancel(*timer_);
  if (held_timer_) loop_.cancel(*held_timer_);
  if (event_timer_) loop_.cancel(*event_timer_);
}

void WriteQueue::submit(Effects effects) {
  loop_.post([this, alive = std::weak_ptr<int>(alive_), moved = std::move(effects)]() mutable {
    if (alive.expired()) return;
    take(std::move(moved));
    pump();
  });
}

void WriteQueue::take(Effects effects) {
  if (stopping_) return;
  for (const auto& uid : effects.gone) event_filter_.forget(uid);
  if (effects.term != term_) return drop(std::move(effects), why_over_);
  if (!may_evict(stops_)) withhold_evictions(effects);
  if (complete_.size() > kMostGangs) complete_.clear();  // whose claims were never had
  for (auto& gang : effects.complete) complete_.insert_or_assign(std::move(gang.first_pod), gang.since);
  for (auto& deletion : effects.deletions) {
    auto key = object_key(deletion.object, deletion.object.name);
    urgent_.push_back({std::move(deletion), std::move(key)});
  }
  for (auto& step : effects.steps) {
    auto key = object_key(step.object, step.object.name);
    urgent_.push_back({std::move(step), std::move(key)});
  }
  for (auto& bind : effects.binds) take_bind(std::move(bind));
  for (auto& eviction : effects.evictions) {
    auto key = pod_key(eviction.pod);
    if (eviction.announced) {
      auto part = key + "/" + eviction.announced->object.subresource;
      patches_.erase(part);  // older
      ordinary_.push_back({.write = std::move(*eviction.announced), .key = key, .patch = std::move(part), .announces = true});
      eviction.announced.reset();
    }
    ordinary_.push_back({std::move(eviction), std::move(key)});
  }
  for (auto& creation : effects.creations) {
    auto key = object_key(creation.collection, creation.name);
    ordinary_.push_back({std::move(creation), std::move(key)});
  }
  for (auto& patch : effects.patches) take_patch(std::move(patch));
  for (auto& event : effects.events) event.can_wait ? hold_event(std::move(event)) : take_event(std::move(event));
}

void WriteQueue::take_bind(Bind bind) {
  auto pod = pod_key(bind.pod);
  patches_.erase(pod + "/status");  // what is said of a waiting pod is over
  held_events_.erase(bind.pod.uid);
  auto key = bind.order ? object_key(bind.order->collection, bind.order->name) : std::move(pod);
  auto& lane = lane_of(bind);
  lane.push_back({std::move(bind), std::move(key)});
}

void WriteQueue::take_patch(Patch patch) {
  auto key = object_key(patch.object, patch.object.name);
  auto part = key + "/" + patch.object.subresource;
  const auto [place, is_new] = patches_.try_emplace(part);
  const bool can_wait = patch.can_wait;
  if (is_new && can_wait) held_.emplace_back(loop_.clock().now() + settings_.settling, part);
  const bool is_in_order = place->second.is_in_order;
  place->second = {.write = std::move(patch), .key = std::move(key), .patch = std::move(part), .is_in_order = is_in_order};
  if (!can_wait) put_in_order(place->second);
}

// Once, however often it is replaced before its turn comes.
void WriteQueue::put_in_order(Waiting& patch) {
  if (!std::exchange(patch.is_in_order, true)) patch_order_.push_back(patch.patch);
}

// What can wait has waited long enough.
void WriteQueue::release_held() {
  const auto now = loop_.clock().now();
  for (; !held_.empty() && held_.front().first <= now; held_.pop_front())
    if (const auto found = patches_.find(held_.front().second); found != patches_.end()) put_in_order(found->second);
  for (; !held_event_order_.empty() && held_event_order_.front().first <= now; held_event_order_.pop_front()) {
    const auto held = held_events_.find(held_event_order_.front().second);
    if (held == held_events_.end()) continue;
    for (auto& event : held->second) take_event(std::move(event));
    held_events_.erase(held);
  }
  if (held_timer_ || (held_.empty() && held_event_order_.empty())) return;
  auto next = held_.empty() ? held_event_order_.front().first : held_.front().first;
  if (!held_event_order_.empty()) next = std::min(next, held_event_order_.front().first);
  held_timer_ = loop_.after(next - now, [this] {
    held_timer_.reset();
    pump();
  });
}

// One of each reason; whatever else happens to the object makes them obsolete. Whether one is news shows when its time has come:
// what was to be said between may never have been.
void WriteQueue::hold_event(Event event) {
  const auto [place, is_new] = held_events_.try_emplace(event.about.uid);
  if (is_new) held_event_order_.emplace_back(loop_.clock().now() + settings_.settling, event.about.uid);
  auto& events = place->second;
  const auto same = std::find_if(events.begin(), events.end(), [&](const Event& one) { return one.reason == event.reason; });
  if (same == events.end())
    events.push_back(std::move(event));
  else
    *same = std::move(event);
}

void WriteQueue::take_event(Event event) {
  if (!event.is_news && !event_filter_.is_news(event)) return;
  if (!event.can_wait) held_events_.erase(event.about.uid);
  if (events_.size() >= settings_.most_events) {
    event_filter_.take_back(std::get<Event>(events_.front().write));
    events_.pop_front();
    ++counts_.events_dropped;
  }
  events_.push_back({std::move(event), {}});
}

WriteQueue::Counts WriteQueue::counts() const {
  auto counts = counts_;
  counts.waiting = again_.size() + urgent_.size() + ordinary_.size() + patches_.size() + postponed_.size();
  for (const auto& [key, lane] : behind_) counts.waiting += lane.size();
  return counts;
}

void WriteQueue::refill() {
  const auto now = loop_.clock().now();
  const auto seconds = std::chrono::duration<double>(now - filled_at_).count();
  filled_at_ = now;
  tokens_ = std::min(settings_.burst, tokens_ + seconds * settings_.per_second);
  event_tokens_ = std::min(settings_.events_per_second, event_tokens_ + seconds * settings_.events_per_second);
}

bool WriteQueue::take_token(double& tokens) {
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

// Nothing is sent for a while.
void WriteQueue::pause(kube::Duration duration) {
  if (timer_) loop_.cancel(*timer_);
  timer_ = loop_.after(duration, [this] {
    timer_.reset();
    backing_off_ = false;
    pump();
  });
}

// Of writes that were under way together and failed together, only the first makes the next pause longer.
void WriteQueue::back_off(kube::Backoff& backoff, std::optional<kube::Duration> asked) {
  if (!std::exchange(backing_off_, true)) pause(backoff.next(asked));
}

void WriteQueue::pump() {
  if (timer_ || stopping_) return;
  if (!callbacks_.may_write()) {
    drop_all(kNotLeading);
    return;
  }
  refill();
  release_held();
  while (counts_.in_flight < most_in_flight()) {
    if (settings_.per_second > 0 && tokens_ < 1) {
      pause(duration_of(1 / settings_.per_second));
      return;
    }
    if (send_first_of(again_) || send_first_of(urgent_) || send_first_of(ordinary_) || send_patch()) {
      tokens_ -= 1;
      continue;
    }
    break;
  }
  send_events();
}

// Events are for people, who read later: binds and all that cycles rest on go first, and never wait for events, nor for their rate.
// What could not be sent by now waits for its object; for how long is no reason to tell nothing.
void WriteQueue::send_events() {
  const bool others_wait = busy_.size() > postponed_.size();
  while (!event_timer_ && !others_wait && !events_.empty() && counts_.in_flight < most_in_flight()) {
    if (!take_token(event_tokens_)) {
      event_timer_ = loop_.after(duration_of(1 / settings_.events_per_second), [this] {
        event_timer_.reset();
        pump();
      });
      return;
    }
    auto event = std::move(events_.front());
    events_.pop_front();
    send(std::move(event));
  }
}

bool WriteQueue::send_first_of(Lane& lane) {
  while (!lane.empty()) {
    auto waiting = std::move(lane.front());
    lane.pop_front();
    if (!busy_.contains(waiting.key)) {
      send(std::move(waiting));
      return true;
    }
    auto& queue = behind_[waiting.key];
    queue.push_back(std::move(waiting));
  }
  return false;
}

bool WriteQueue::send_patch() {
  for (auto left = patch_order_.size(); left > 0; --left) {
    auto part = std::move(patch_order_.front());
    patch_order_.pop_front();
    const auto found = patches_.find(part);
    if (found == patches_.end()) continue;
    if (busy_.contains(found->second.key)) {
      patch_order_.push_back(std::move(part));
      continue;
    }
    auto waiting = std::move(found->second);
    patches_.erase(found);
    send(std::move(waiting));
    return true;
  }
  return false;
}

void WriteQueue::send(Waiting waiting) {
  const bool is_event = std::holds_alternative<Event>(waiting.write);
  ++(is_event ? counts_.events_sent : counts_.sent);
  ++counts_.in_flight;
  if (!is_event) busy_.insert(waiting.key);
  ++waiting.attempts;
  waiting.sent = loop_.clock().now();
  waiting.term = term_;
  waiting.stops = stops_of(waiting);
  if (const auto* bind = std::get_if<Bind>(&waiting.write)) measure(*bind);
  auto shared = std::make_shared<Waiting>(std::move(waiting));
  sender_.send(shared->write, counts_.events_sent, time_for(*shared),
               [this, alive = std::weak_ptr<int>(alive_), shared](kube::WriteResult result) {
                 if (!alive.expired()) answered(std::move(*shared), std::move(result));
               });
}

void WriteQueue::measure(const Bind& bind) {
  const auto gang = complete_.find(bind.pod.uid);
  if (gang == complete_.end()) return;
  if (callbacks_.on_first_bind) callbacks_.on_first_bind(loop_.clock().now() - gang->second);
  complete_.erase(gang);
}

WriteQueue::Lane& WriteQueue::lane_of(const Write& write) {
  if (const auto* bind = std::get_if<Bind>(&write); bind != nullptr && bind->comes_again) return again_;
  return std::holds_alternative<Bind>(write) || std::holds_alternative<Delete>(write) || std::holds_alternative<ClaimStep>(write)
             ? urgent_
             : ordinary_;
}

void WriteQueue::answered(Waiting waiting, kube::WriteResult result) {
  --counts_.in_flight;
  const auto key = waiting.key;
  busy_.erase(key);
  if (!result.was_sent) {
    const auto* why = why_unsent(waiting);
    drop(std::move(waiting), why);
  } else {
    if (callbacks_.on_outcome) callbacks_.on_outcome(kind_of(waiting.write), key, result.outcome, decided_by(waiting.write));
    note_answer(result);
    if (is_kept(waiting, result) && !result.is_passing && callbacks_.on_blocked)
      callbacks_.on_blocked(std::get<Evict>(waiting.write), result.message);
    if (!comes_again(waiting, result)) tell_end(std::move(waiting), std::move(result));
  }
  release_behind(key);
  if (stopping_ && counts_.in_flight == 0 && on_idle_) std::exchange(on_idle_, {})();
  pump();
}

void WriteQueue::tell_end(Waiting waiting, kube::WriteResult result) {
  std::visit(Overload{
                 [&](Patch& patch) {
                   if (result.outcome == WriteOutcome::kDone) return;
                   if (result.outcome == WriteOutcome::kGone && !result.is_passing) return;
                   if (callbacks_.on_problem)
                     callbacks_.on_problem("could not write " + patch.object.text() + ": " + result.message, decided_of(patch));
                   const bool is_wanted = result.outcome != WriteOutcome::kInvalid && result.outcome != WriteOutcome::kForbidden;
                   if (is_wanted && !waiting.announces)
                     callbacks_.on_report({std::move(patch), std::move(result), {}, waiting.term});
                 },
                 [&](Event& event) {
                   note_refused_event(result);
                   take_event_back(event, result);
                 },
                 [&](auto& write) {
                   callbacks_.on_report({std::move(write), std::move(result), loop_.clock().now() - waiting.sent, waiting.term});
                 },
             },
             waiting.write);
}

// Once for each way: there are many of them, and nobody waits for one.
void WriteQueue::note_refused_event(const kube::WriteResult& result) {
  const auto outcome = result.outcome;
  if (outcome != WriteOutcome::kForbidden && outcome != WriteOutcome::kDenied && outcome != WriteOutcome::kInvalid) return;
  const auto bit = 1U << static_cast<unsigned>(outcome);
  if ((std::exchange(refused_events_, refused_events_ | bit) & bit) == 0 && callbacks_.on_problem)
    callbacks_.on_problem("events are refused, which is not said again: " + result.message, {});
}

void WriteQueue::release_behind(const std::string& key) {
  const auto next = behind_.find(key);
  if (next == behind_.end() || busy_.contains(key)) return;
  auto first = std::move(next->second.front());
  next->second.pop_front();
  if (next->second.empty()) behind_.erase(next);
  auto& lane = lane_of(first.write);
  lane.push_front(std::move(first));
}

void WriteQueue::stop(std::function<void()> on_idle) {
  stopping_ = true;
  drop_all(kNotLeading);
  if (counts_.in_flight == 0)
    on_idle();
  else
    on_idle_ = std::move(on_idle);
}

}  // namespace muster::daemon
