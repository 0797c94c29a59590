// How what was decided has ended, and what follows from that.

#include <utility>

#include "daemon/object_key.h"
#include "daemon/open_decisions.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kLongestTrouble = std::chrono::minutes(1);
// From one attempt to the next, in which the pod may have been held for two minutes. What comes later is another trouble.
constexpr kube::Duration kLongestBetween = std::chrono::minutes(3);

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
    case kube::WriteOutcome::kDenied:
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

void OpenDecisions::take_bind(const Bind& bind, const WriteReport& report) {
  const auto& result = report.result;
  if (succeeded(result.outcome)) {
    cluster_.on_bind_taken(bind, report.took);
    return take_bound(bind);
  }
  // Nobody was asked: that says nothing of the pod, nor of the next attempt. It is read all the same, because it may have been sent
  // before, and because what it was before it was decided about is not kept.
  if (!result.was_sent) {
    note_unsent(bind, result.message);
    return take_failure(bind, result);
  }
  links_.log.warn("a bind failed", decided_of(bind),
                  {{"pod", bind.pod.ns + "/" + bind.pod.name},
                   {"outcome", std::string(kube::text_of(result.outcome))},
                   {"answer", result.message}});
  if (UnsureOrders::is_unsure(bind, result.outcome)) return links_.read_order(unsure_.begin(bind, result, report.term));
  take_failure(bind, result);
}

void OpenDecisions::take_eviction(const Evict& evict, const kube::WriteResult& result) {
  if (succeeded(result.outcome)) {
    told_.events.insert(told_.events.end(), evict.told.begin(), evict.told.end());
    return;
  }
  links_.log.warn(result.was_sent ? "an eviction failed" : "an eviction was not sent", decided_of(evict),
                  {{"pod", evict.pod.ns + "/" + evict.pod.name},
                   {"outcome", std::string(kube::text_of(result.outcome))},
                   {"answer", result.message}});
  incomplete_.on_stays(evict.pod.uid);
  links_.read_pod(evict.pod);
}

void OpenDecisions::take_step(const ClaimStep& step, const kube::WriteResult& result) {
  claims_.on_step(step, result);
  if (step.kind == ClaimStep::Kind::kUnreserve && result.was_sent && !succeeded(result.outcome))
    warnings_.once("devices could not be taken back: " + step.object.text(), decided_of(step),
                   {{"outcome", std::string(kube::text_of(result.outcome))}, {"answer", result.message}});
  show_claims();
}

void OpenDecisions::take_bound(const Bind& bind) {
  in_the_way_.erase(bind.pod.uid);
  troubled_.erase(bind.pod.uid);
  unsure_.forget(bind.pod.uid);
  claims_.on_bound(bind.pod.uid);
  if (!bind.order) incomplete_.on_bound(bind.pod.uid, now());  // others may fail to carry it out
  Effects told;
  cluster_.on_bound(bind, told);
  told.note_cycle(bind.cycle);
  told_.add(std::move(told));
}

void OpenDecisions::take_failure(const Bind& bind, const kube::WriteResult& result) {
  unsure_.forget(bind.pod.uid);
  note_trouble(bind, result);
  if (is_refusal(bind, result.outcome) || stays_in_the_way(bind, result.outcome)) {
    take_refusal(bind, result.message);
    if (is_for_good(result) || lasts_too_long(bind))
      hold_up_gangs({{bind.group, bind.pod, why_not_bound(bind.pod, bind.node, "was refused", result.message)}});
  }
  links_.read_pod(bind.pod);
}

// Until now the pod counted as decided about.
void OpenDecisions::take_order(const OrderReading& reading) {
  const auto& bind = reading.asked.bind;
  if (!unsure_.contains(reading.asked)) return;  // something else has told
  if (reading.order && cluster_.stands(bind, *reading.order)) return take_bound(bind);
  const auto& result = reading.asked.result;
  const bool is_lost = !reading.order && result.outcome == kube::WriteOutcome::kUnknown;
  if (is_lost && assumed_.holds(bind.pod) && reading.asked.term == term_ && links_.may_decide()) {
    if (unsure_.may_come_again(reading.asked)) return send_again(bind);
    take_refusal(bind, "no answer comes: " + result.message);
  }
  take_failure(bind, result);
}

// For the same node: if the server takes the earlier one after all, there is still only one of that name.
void OpenDecisions::send_again(Bind bind) {
  bind.comes_again = true;
  Effects effects;
  effects.binds.push_back(std::move(bind));
  hand_out(std::move(effects));
}

// An object of the name that an order was to get may go before the next attempt. When it is there again, that has not helped.
bool OpenDecisions::stays_in_the_way(const Bind& bind, kube::WriteOutcome outcome) {
  return outcome == kube::WriteOutcome::kAlreadyExists && !in_the_way_.insert(bind.pod.uid).second;
}

void OpenDecisions::take_refusal(const Bind& bind, const std::string& answer) {
  held_.refuse(bind.pod, bind.group, now(), why_not_bound(bind.pod, bind.node, "was refused", answer));
  Effects effects;
  cluster_.on_refused(bind, answer, links_.clock.wall(), effects);
  effects.note_cycle(bind.cycle);
  hand_out(std::move(effects));
}

// Whoever was not asked, or has not answered, says neither that it lasts nor that it is over.
void OpenDecisions::note_trouble(const Bind& bind, const kube::WriteResult& result) {
  if (result.outcome == kube::WriteOutcome::kUnknown) return;
  if (!result.is_passing) {
    troubled_.erase(bind.pod.uid);
    return;
  }
  const auto at = now();
  auto& trouble = troubled_.try_emplace(bind.pod.uid, Trouble{at, at}).first->second;
  if (at - std::exchange(trouble.last, at) > kLongestBetween) trouble.since = at;
}

// What is only of the moment passes. It may last for this pod alone, and the others of its gang are not to wait for that for ever.
bool OpenDecisions::lasts_too_long(const Bind& bind) const {
  const auto trouble = troubled_.find(bind.pod.uid);
  return trouble != troubled_.end() && trouble->second.last - trouble->second.since > kLongestTrouble;
}

// Where others bind, a failure is told by what was asked of them, which does not say who decided it.
Decided OpenDecisions::decided(const Bind& bind, std::uint64_t cycle) const {
  if (!bind.rule.empty()) return {bind.cycle != 0 ? bind.cycle : cycle, bind.rule};  // 0: nobody was asked, just now
  const auto order = orders_.find(bind.pod.uid);
  return order == orders_.end() ? Decided() : order->second;
}

// Whoever was asked to bind could not. Only who leads does something about it.
void OpenDecisions::take_failed_binds(std::uint64_t cycle) {
  if (!links_.may_decide()) return;
  const auto failed = cluster_.take_failed_binds();
  std::vector<IncompleteGangs::Refused> refused;
  for (const auto& [bind, why] : failed)
    refused.push_back({bind.group, bind.pod, why_not_bound(bind.pod, bind.node, "failed", why)});
  hold_up_gangs(refused);
  for (const auto& [bind, why] : failed) {
    links_.log.warn("a bind failed", decided(bind, cycle),
                    {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}, {"answer", why}});
    held_.refuse(bind.pod, bind.group, now(), why_not_bound(bind.pod, bind.node, "failed", why));
    tell_not_bound(bind, NotBound::kFailed, why);
    assumed_.order(bind.pod);  // until it has been read
    unsure_.forget(bind.pod.uid);
    links_.read_pod(bind.pod);
  }
}

// What we had assumed is not so, or may not be: what the server has counts.
void OpenDecisions::take_reading(PodReading reading) {
  if (!assumed_.holds(reading.id)) return;  // a later object, or its end, has come by the watch
  if (reading.pod && assumed_.is_older(kube::identity_of(std::get<Pod>(*reading.pod).meta))) return links_.read_pod(reading.id);
  wants_cycle_();
  unsure_.forget(reading.id.uid);
  const bool has_node = reading.pod && !std::get<Pod>(*reading.pod).spec.node_name.empty();
  has_node ? claims_.on_bound(reading.id.uid) : claims_.on_not_bound(reading.id.uid);
  show_claims();
  if (!reading.pod) {
    assumed_.forget(reading.id);
    return;  // its deletion is told by the watch
  }
  auto& pod = std::get<Pod>(*reading.pod);
  has_node ? incomplete_.on_bound(reading.id.uid, now()) : incomplete_.on_not_bound(reading.id.uid, kLongestTrouble);
  assumed_.read_anew(kube::identity_of(pod.meta));  // what is older is passed over from now on
  hold_if_refused(pod);
  cluster_.take_back(reading.id);
  cluster_.apply(std::move(*reading.pod));
}

}  // namespace muster::daemon
