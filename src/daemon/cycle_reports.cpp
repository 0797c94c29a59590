// How what a cycle asked for has ended, and what follows from that.

#include <utility>

#include "daemon/cycle_loop.h"
#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kLongestTrouble = std::chrono::minutes(1);

bool succeeded(kube::WriteOutcome outcome) {
  return outcome == kube::WriteOutcome::kBound || outcome == kube::WriteOutcome::kEvicted || outcome == kube::WriteOutcome::kDone;
}

// Whether it was the bind itself that the server did not want. A pod that has changed meanwhile and an answer that was lost say
// nothing of the next attempt.
bool is_refusal(const Bind& bind, kube::WriteOutcome outcome) {
  switch (outcome) {
    case kube::WriteOutcome::kGone: return bind.order.has_value();  // the server does not know such orders
    case kube::WriteOutcome::kNotBindable:
    case kube::WriteOutcome::kConflict:
    case kube::WriteOutcome::kInvalid:
    case kube::WriteOutcome::kForbidden:
    case kube::WriteOutcome::kServerFault: return true;
    default: return false;
  }
}

// Whether another attempt is likely to end in the same way. What the server knows of the pod by now may explain the others.
bool is_for_good(const kube::WriteResult& result) {
  return !result.is_passing && result.outcome != kube::WriteOutcome::kNotBindable &&
         result.outcome != kube::WriteOutcome::kConflict;
}

}  // namespace

void CycleLoop::take_report(const WriteReport& report) {
  if (const auto* deletion = std::get_if<Delete>(&report.write)) return take_deletion(*deletion, report.result);
  if (const auto* creation = std::get_if<Create>(&report.write)) return take_creation(*creation, report.result);
  if (const auto* patch = std::get_if<Patch>(&report.write)) return cluster_->on_not_written(patch->object);
  if (const auto* step = std::get_if<ClaimStep>(&report.write)) {
    claims_.on_step(*step, report.result);
    if (step->kind == ClaimStep::Kind::kUnreserve && report.result.was_sent && !succeeded(report.result.outcome))
      warn_once("devices could not be taken back: " + step->object.text(), decided_of(*step),
                {{"outcome", std::string(kube::text_of(report.result.outcome))}, {"answer", report.result.message}});
    return show_claims();
  }
  const auto* bind = std::get_if<Bind>(&report.write);
  const auto* evict = std::get_if<Evict>(&report.write);
  const auto& pod = bind != nullptr ? bind->pod : evict->pod;
  if (succeeded(report.result.outcome)) {
    if (bind == nullptr) return take_evicted(*evict);
    cluster_->on_bind_taken(*bind, report.took);
    return take_bound(*bind);
  }
  if (bind != nullptr && !report.result.was_sent) return take_unsent(*bind, report.result);
  links_.log.warn(bind != nullptr ? "a bind failed" : "an eviction failed",
                  bind != nullptr ? decided_of(*bind) : decided_of(*evict),
                  {{"pod", pod.ns + "/" + pod.name},
                   {"outcome", std::string(kube::text_of(report.result.outcome))},
                   {"answer", report.result.message}});
  if (bind == nullptr) {
    incomplete_.on_stays(pod.uid);
    return links_.read_pod(pod);
  }
  if (UnsureOrders::is_unsure(*bind, report.result.outcome))
    return links_.read_order(unsure_.begin(*bind, report.result, report.term));
  take_failure(*bind, report.result);
}

// Nobody was asked: that says nothing of the pod, nor of the next attempt. It is read all the same, because it may have been sent
// before, and because what it was before it was decided about is not kept. Gangs of hundreds are dropped at once, and are one line.
void CycleLoop::take_unsent(const Bind& bind, const kube::WriteResult& result) {
  note_unsent(bind, result.message);
  take_failure(bind, result);
}

void CycleLoop::note_unsent(const Bind& bind, const std::string& why) {
  auto& unsent = unsent_[{bind.group.empty() ? key_of(bind.pod) : bind.group, why}];
  ++unsent.binds;
  unsent.by = decided_of(bind);
}

void CycleLoop::tell_not_bound(const Bind& bind, NotBound how, const std::string& why) const {
  if (links_.on_not_bound) links_.on_not_bound(bind, how, why);
}

void CycleLoop::log_unsent() {
  for (const auto& [of, unsent] : std::exchange(unsent_, {}))
    links_.log.info("binds were not sent", unsent.by,
                    {{"gang", of.first}, {"pods", std::to_string(unsent.binds)}, {"why", of.second}});
}

void CycleLoop::take_evicted(const Evict& evict) { told_.events.insert(told_.events.end(), evict.told.begin(), evict.told.end()); }

void CycleLoop::take_bound(const Bind& bind) {
  in_the_way_.erase(bind.pod.uid);
  troubled_.erase(bind.pod.uid);
  unsure_.forget(bind.pod.uid);
  claims_.on_bound(bind.pod.uid);
  if (!bind.order) incomplete_.on_bound(bind.pod.uid, links_.clock.now());  // others may fail to carry it out
  Effects told;
  cluster_->on_bound(bind, told);
  told.note_cycle(bind.cycle);
  told_.add(std::move(told));
}

void CycleLoop::take_failure(const Bind& bind, const kube::WriteResult& result) {
  unsure_.forget(bind.pod.uid);
  if (is_refusal(bind, result.outcome) || stays_in_the_way(bind, result.outcome)) {
    take_refusal(bind, result.message);
    if (is_for_good(result) || lasts_too_long(bind, result))
      hold_up_gang(bind, why_not_bound(bind.pod, bind.node, "was refused", result.message));
  }
  links_.read_pod(bind.pod);
}

// Until now the pod counted as decided about.
void CycleLoop::take_order(const OrderReading& reading) {
  const auto& bind = reading.asked.bind;
  if (!unsure_.contains(reading.asked)) return;  // something else has told
  if (reading.order && cluster_->stands(bind, *reading.order)) return take_bound(bind);
  const auto& result = reading.asked.result;
  const bool is_lost = !reading.order && result.outcome == kube::WriteOutcome::kUnknown;
  if (is_lost && assumed_.holds(bind.pod) && reading.asked.term == term_ && links_.may_decide()) {
    if (unsure_.may_come_again(reading.asked)) return send_again(bind);
    take_refusal(bind, "no answer comes: " + result.message);
  }
  take_failure(bind, result);
}

// For the same node: if the server takes the earlier one after all, there is still only one of that name.
void CycleLoop::send_again(Bind bind) {
  bind.comes_again = true;
  Effects effects;
  effects.binds.push_back(std::move(bind));
  hand_out(std::move(effects));
}

// An object of the name that an order was to get may go before the next attempt. When it is there again, that has not helped.
bool CycleLoop::stays_in_the_way(const Bind& bind, kube::WriteOutcome outcome) {
  return outcome == kube::WriteOutcome::kAlreadyExists && !in_the_way_.insert(bind.pod.uid).second;
}

void CycleLoop::take_refusal(const Bind& bind, const std::string& answer) {
  held_.refuse(bind.pod, bind.group, links_.clock.now(), why_not_bound(bind.pod, bind.node, "was refused", answer));
  Effects effects;
  cluster_->on_refused(bind, answer, links_.clock.wall(), effects);
  effects.note_cycle(bind.cycle);
  hand_out(std::move(effects));
}

// What is only of the moment passes. It may last for this pod alone, and the others of its gang are not to wait for that for ever.
bool CycleLoop::lasts_too_long(const Bind& bind, const kube::WriteResult& result) {
  if (!result.is_passing) return false;
  const auto now = links_.clock.now();
  return now - troubled_.try_emplace(bind.pod.uid, now).first->second > kLongestTrouble;
}

// The pods of its gang that have their nodes wait for it. Those that have none yet are not to join them.
void CycleLoop::hold_up_gang(const Bind& bind, const std::string& what) {
  if (!incomplete_.on_refused(bind, what, links_.clock.now())) return;
  if (links_.drop_binds) links_.drop_binds(bind.group);
  for (const auto& other : claims_.give_back([&](const Bind& one) { return one.group == bind.group; }))
    keep_back(other, "another pod of its gang cannot be bound: " + what);
  show_claims();
}

// It was decided, and is not sent after all.
void CycleLoop::keep_back(const Bind& bind, const std::string& why) {
  note_unsent(bind, why);
  tell_not_bound(bind, NotBound::kNotSent, why);
  links_.read_pod(bind.pod);
}

// As long as evictions are stopped, gangs hold on to what they have; and nothing is due that cannot be done.
bool CycleLoop::may_give_up() const { return !is_doubted_ && !is_on_trial_ && awaited_ == 0 && links_.may_decide(); }

void CycleLoop::give_up_gangs() {
  const auto now = links_.clock.now();
  for (auto& gang : incomplete_.due(now)) {
    links_.log.warn("a gang gives back its room", {cycles_ + 1, std::string(kIncompleteGangRule)},
                    {{"gang", gang.gang}, {"pods", std::to_string(gang.pods.size())}, {"why", gang.why}});
    held_.hold_newcomers(gang.gang, now, gang.why);
    cluster_->give_up(std::move(gang));
  }
}

void CycleLoop::take_deletion(const Delete& deletion, const kube::WriteResult& result) {
  if (succeeded(result.outcome) || result.outcome == kube::WriteOutcome::kGone) return;
  warn_once("could not delete " + deletion.object.text(), decided_of(deletion),
            {{"outcome", std::string(kube::text_of(result.outcome))}, {"answer", result.message}});
  cluster_->on_not_deleted(deletion);
}

void CycleLoop::take_creation(const Create& creation, const kube::WriteResult& result) {
  if (succeeded(result.outcome) || result.outcome == kube::WriteOutcome::kAlreadyExists) return;
  if (result.was_sent)
    warn_once("could not create " + creation.collection.text() + "/" + creation.name, decided_of(creation),
              {{"outcome", std::string(kube::text_of(result.outcome))}, {"answer", result.message}});
  cluster_->on_not_created(creation);
}

// Where others bind, a failure is told by what was asked of them, which does not say who decided it.
Decided CycleLoop::decided(const Bind& bind) const {
  if (!bind.rule.empty()) return {bind.cycle != 0 ? bind.cycle : cycles_.load(), bind.rule};  // 0: nobody was asked, just now
  const auto order = orders_.find(bind.pod.uid);
  return order == orders_.end() ? Decided() : order->second;
}

// Whoever was asked to bind could not. Only who leads does something about it.
void CycleLoop::take_failures() {
  if (!links_.may_decide()) return;
  for (const auto& [bind, why] : cluster_->take_failed_binds()) {
    links_.log.warn("a bind failed", decided(bind),
                    {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}, {"answer", why}});
    const auto what = why_not_bound(bind.pod, bind.node, "failed", why);
    held_.refuse(bind.pod, bind.group, links_.clock.now(), what);
    hold_up_gang(bind, what);
    tell_not_bound(bind, NotBound::kFailed, why);
    assumed_.order(bind.pod);  // until it has been read
    unsure_.forget(bind.pod.uid);
    links_.read_pod(bind.pod);
  }
}

// What we had assumed is not so, or may not be: what the server has counts.
void CycleLoop::take_reading(PodReading reading) {
  if (!assumed_.holds(reading.id)) return;  // a later object, or its end, has come by the watch
  if (reading.pod && assumed_.is_older(kube::identity_of(std::get<Pod>(*reading.pod).meta))) return links_.read_pod(reading.id);
  dirty_ = true;
  unsure_.forget(reading.id.uid);
  const bool has_node = reading.pod && !std::get<Pod>(*reading.pod).spec.node_name.empty();
  has_node ? claims_.on_bound(reading.id.uid) : claims_.on_not_bound(reading.id.uid);
  show_claims();
  if (!reading.pod) {
    assumed_.forget(reading.id);
    return;  // its deletion is told by the watch
  }
  auto& pod = std::get<Pod>(*reading.pod);
  if (has_node) incomplete_.on_bound(reading.id.uid, links_.clock.now());
  assumed_.read_anew(kube::identity_of(pod.meta));  // what is older is passed over from now on
  hold_if_refused(pod);
  cluster_->take_back(reading.id);
  cluster_->apply(std::move(*reading.pod));
}

}  // namespace muster::daemon
