// What becomes of writes that failed, and of those that wait behind them.

#include <algorithm>

#include "daemon/write_queue.h"

namespace muster::daemon {
namespace {

using kube::WriteOutcome;

// Whether it is nothing about the write that made it fail.
bool fails_all(WriteOutcome outcome) {
  return outcome == WriteOutcome::kThrottled || outcome == WriteOutcome::kUnauthenticated || outcome == WriteOutcome::kUnknown;
}

// Whether the same write may succeed later without anybody deciding anew.
bool is_passing(const kube::WriteResult& result) {
  const auto outcome = result.outcome;
  return result.is_passing || outcome == WriteOutcome::kServerFault || outcome == WriteOutcome::kUnknown ||
         outcome == WriteOutcome::kUnauthenticated || outcome == WriteOutcome::kConflict;
}

}  // namespace

// What the answer says of the server. A pause that is asked for holds for all; without an answer, one write at a time is tried.
void WriteQueue::note_answer(const kube::WriteResult& result) {
  is_unanswered_ = result.outcome == WriteOutcome::kUnknown;
  if (!is_unanswered_) unanswered_.reset();
  if (!fails_all(result.outcome)) return backoff_.reset();
  back_off(is_unanswered_ ? unanswered_ : backoff_, result.retry_after);
}

// An event that has not reached the server may be said again. Nobody waits for that.
void WriteQueue::take_event_back(const Event& event, const kube::WriteResult& result) {
  if (is_passing(result) || result.outcome == WriteOutcome::kThrottled) event_filter_.take_back(event);
}

// Whether the server has answered that a pod which was to be evicted stays where it is.
bool WriteQueue::is_kept(const Waiting& waiting, const kube::WriteResult& result) {
  if (!std::holds_alternative<Evict>(waiting.write)) return false;
  switch (result.outcome) {
    case WriteOutcome::kBlockedByBudget:
    case WriteOutcome::kNotBindable:
    case WriteOutcome::kAlreadyExists:
    case WriteOutcome::kConflict:
    case WriteOutcome::kManagedByOthers:
    case WriteOutcome::kInvalid:
    case WriteOutcome::kForbidden:
    case WriteOutcome::kDenied:
    case WriteOutcome::kServerFault: return true;
    case WriteOutcome::kUnauthenticated:  // nobody has looked at it
    case WriteOutcome::kThrottled:
    case WriteOutcome::kUnknown:
    case WriteOutcome::kDone:
    case WriteOutcome::kBound:
    case WriteOutcome::kAlreadyBound:
    case WriteOutcome::kEvicted:
    case WriteOutcome::kGone: return false;
  }
  return false;
}

// Whether a patch was not wanted just now. Who announces something does not wait for that: what follows is decided.
bool WriteQueue::is_denied(const Waiting& waiting, const kube::WriteResult& result) {
  return result.outcome == WriteOutcome::kDenied && std::holds_alternative<Patch>(waiting.write) && !waiting.announces;
}

// Whether it waits to be sent again.
bool WriteQueue::comes_again(Waiting& waiting, const kube::WriteResult& result) {
  if (std::holds_alternative<Event>(waiting.write) || waiting.term != term_) return false;
  if (evicts(waiting) && !may_evict(waiting.stops)) return false;
  if (is_kept(waiting, result)) {
    const bool by_budget = result.outcome == WriteOutcome::kBlockedByBudget;
    if (waiting.attempts >= (by_budget ? settings_.most_evictions : settings_.most_refused_evictions)) return false;
    const auto pause = by_budget ? settings_.budget_wait : pause_after(waiting.attempts, settings_.refused);
    send_later(std::move(waiting), std::max(pause, result.retry_after.value_or(kube::Duration(0))));
    return true;
  }
  if (result.outcome == WriteOutcome::kThrottled && waiting.attempts < settings_.most_unanswered) {
    put_back(std::move(waiting));
    return true;
  }
  // Who decided a bind or an eviction looks at the pod again; of the others nobody would.
  const bool is_step = std::holds_alternative<ClaimStep>(waiting.write);
  const bool is_ours = std::holds_alternative<Patch>(waiting.write) || std::holds_alternative<Delete>(waiting.write) || is_step;
  if (is_step && result.outcome == WriteOutcome::kConflict) return false;  // it rested on what has changed
  if (!is_ours || !(is_passing(result) || is_denied(waiting, result))) return false;
  if (waiting.attempts >= (is_unanswered_ ? settings_.most_unanswered : settings_.most_attempts)) {
    if (callbacks_.on_problem)
      callbacks_.on_problem("gave up writing " + waiting.key + ": " + result.message, decided_by(waiting.write));
    return false;
  }
  if (fails_all(result.outcome)) {
    put_back(std::move(waiting));
  } else if (is_denied(waiting, result)) {
    note_denied(waiting, result);
    put_back_later(std::move(waiting), settings_.refused);
  } else {
    put_back_later(std::move(waiting), settings_.backoff);
  }
  return true;
}

// At once: it may go on for long.
void WriteQueue::note_denied(const Waiting& waiting, const kube::WriteResult& result) {
  if (waiting.attempts == 1 && callbacks_.on_problem)
    callbacks_.on_problem("could not write " + waiting.key + ", which is tried again: " + result.message,
                          decided_by(waiting.write));
}

void WriteQueue::put_back(Waiting waiting) {
  if (std::holds_alternative<Patch>(waiting.write) && !waiting.announces) {
    const auto part = waiting.patch;
    waiting.is_in_order = true;
    if (patches_.try_emplace(part, std::move(waiting)).second) patch_order_.push_front(part);  // unless there is a later one
  } else {
    auto& queue = behind_[waiting.key];
    queue.push_front(std::move(waiting));  // what followed it goes on following
  }
}

kube::Duration WriteQueue::pause_after(int attempts, const kube::Backoff::Settings& pauses) const {
  kube::Backoff backoff(pauses, random_);
  auto pause = backoff.next();
  for (int attempt = 1; attempt < attempts; ++attempt) pause = backoff.next();
  return pause;
}

// A patch waits where a later one takes its place; whatever else it is keeps its object busy.
void WriteQueue::put_back_later(Waiting waiting, const kube::Backoff::Settings& pauses) {
  const auto delay = pause_after(waiting.attempts, pauses);
  if (!std::holds_alternative<Patch>(waiting.write) || waiting.announces) return send_later(std::move(waiting), delay);
  const auto part = waiting.patch;
  waiting.is_in_order = false;
  if (!patches_.try_emplace(part, std::move(waiting)).second) return;
  loop_.after(delay, [this, alive = std::weak_ptr<int>(alive_), part] {
    if (alive.expired()) return;
    if (const auto found = patches_.find(part); found != patches_.end()) put_in_order(found->second);
    pump();
  });
}

// The object stays busy meanwhile, so that nothing else overtakes it.
void WriteQueue::send_later(Waiting waiting, kube::Duration delay) {
  const auto key = waiting.key;
  busy_.insert(key);
  const auto timer = loop_.after(delay, [this, alive = std::weak_ptr<int>(alive_), key] {
    if (alive.expired()) return;
    const auto found = postponed_.find(key);
    auto due = std::move(found->second.waiting);
    postponed_.erase(found);
    busy_.erase(key);
    auto& lane = lane_of(due.write);
    lane.push_front(std::move(due));
    pump();
  });
  postponed_.insert_or_assign(key, Postponed{std::move(waiting), timer});
}

}  // namespace muster::daemon
