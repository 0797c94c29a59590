#include "daemon/held_pods.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

// What follows it says why. No object has a gate like that: spaces are not allowed in their names.
constexpr std::string_view kRefusedGate = "muster/bind-refused";
constexpr int kMostDoublings = 30;

bool is_mark(const std::string& gate) { return gate.starts_with(kRefusedGate); }

}  // namespace

bool looks_held(const Pod& pod) { return std::ranges::any_of(pod.spec.scheduling_gates, is_mark); }

void unmark_held(Pod& pod) { std::erase_if(pod.spec.scheduling_gates, is_mark); }

std::string why_not_bound(const kube::Identity& pod, const std::string& node, std::string_view what, const std::string& answer) {
  return "the bind of " + key_of(pod) + " to " + node + " " + std::string(what) + ": " + answer;
}

void HeldMarks::note(const Pod& pod) {
  const auto& gates = pod.spec.scheduling_gates;
  const auto mark = std::ranges::find_if(gates, is_mark);
  if (mark == gates.end()) {
    if (!why_.empty()) why_.erase(key_of(pod.meta));
    return;
  }
  const bool says_why = mark->size() > kRefusedGate.size() + 1;  // older recordings do not
  why_.insert_or_assign(key_of(pod.meta), says_why ? mark->substr(kRefusedGate.size() + 1) : "its bind was refused");
}

void HeldMarks::forget(const kube::Identity& pod) { why_.erase(key_of(pod)); }

void HeldPods::refuse(const kube::Identity& pod, const std::string& group, kube::Instant now, std::string why) {
  pods_[key_of(pod)] = {.uid = pod.uid, .until = hold(group.empty() ? key_of(pod) : group, now), .why = std::move(why)};
}

void HeldPods::hold_newcomers(const std::string& group, kube::Instant now, std::string why) {
  newcomers_[group] = {hold(group, now), std::move(why)};
}

// Until when its pods are held.
kube::Instant HeldPods::hold(const std::string& group, kube::Instant now) {
  forget_old_refusals(now);
  auto& refusals = groups_[group];
  if (refusals.in_a_row == 0 || now >= refusals.until) {
    const auto doublings = std::min(refusals.in_a_row++, kMostDoublings);
    refusals.until = now + std::min(settings_.most, settings_.first * (std::int64_t{1} << doublings));
  }
  return refusals.until;
}

// Whoever was not refused again for the longest time of a hold has been forgiven.
void HeldPods::forget_old_refusals(kube::Instant now) {
  boost::unordered::erase_if(groups_, [&](const auto& entry) { return now >= entry.second.until + settings_.most; });
}

void HeldPods::complete(Pod& pod, const std::string& group) {
  const auto held = newcomers_.find(group);
  if (held != newcomers_.end() && pod.spec.node_name.empty())
    pods_.insert_or_assign(key_of(pod.meta), Held{pod.meta.uid, held->second.until, held->second.why});
  const auto found = pods_.find(key_of(pod.meta));
  if (found == pods_.end()) return;
  if (found->second.uid != pod.meta.uid || !pod.spec.node_name.empty()) {
    pods_.erase(found);
    return;
  }
  found->second.pod = pod;
  pod.spec.scheduling_gates.push_back(std::string(kRefusedGate) + " " + found->second.why);
}

void HeldPods::forget(const kube::Identity& pod) {
  const auto found = pods_.find(key_of(pod));
  if (found != pods_.end() && found->second.uid == pod.uid) pods_.erase(found);
}

std::optional<kube::Instant> HeldPods::next() const {
  std::optional<kube::Instant> first;
  for (const auto& [key, held] : pods_)
    if (!first || held.until < *first) first = held.until;
  return first;
}

std::vector<Pod> HeldPods::let_go(kube::Instant now) {
  std::vector<Pod> free;
  boost::unordered::erase_if(newcomers_, [&](const auto& entry) { return now >= entry.second.until; });
  boost::unordered::erase_if(pods_, [&](auto& entry) {
    if (now < entry.second.until) return false;
    if (entry.second.pod) free.push_back(std::move(*entry.second.pod));
    return true;
  });
  std::sort(free.begin(), free.end(), [](const Pod& a, const Pod& b) { return key_of(a.meta) < key_of(b.meta); });
  return free;
}

}  // namespace muster::daemon
