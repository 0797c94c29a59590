#include "daemon/held_pods.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr const char* kRefusedGate = "muster/bind-refused";  // never written anywhere
constexpr int kMostDoublings = 30;

}  // namespace

bool looks_held(const Pod& pod) {
  return std::ranges::find(pod.spec.scheduling_gates, kRefusedGate) != pod.spec.scheduling_gates.end();
}

void HeldPods::refuse(const kube::Identity& pod, const std::string& group, kube::Instant now) {
  pods_[key_of(pod)] = {.uid = pod.uid, .until = refuse(group.empty() ? key_of(pod) : group, now)};
}

void HeldPods::hold_newcomers(const std::string& group, kube::Instant now) { newcomers_[group] = refuse(group, now); }

// Until when its pods are held.
kube::Instant HeldPods::refuse(const std::string& group, kube::Instant now) {
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
    pods_.insert_or_assign(key_of(pod.meta), Held{pod.meta.uid, held->second});
  const auto found = pods_.find(key_of(pod.meta));
  if (found == pods_.end()) return;
  if (found->second.uid != pod.meta.uid || !pod.spec.node_name.empty()) {
    pods_.erase(found);
    return;
  }
  found->second.pod = pod;
  pod.spec.scheduling_gates.emplace_back(kRefusedGate);
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
  boost::unordered::erase_if(newcomers_, [&](const auto& entry) { return now >= entry.second; });
  boost::unordered::erase_if(pods_, [&](auto& entry) {
    if (now < entry.second.until) return false;
    if (entry.second.pod) free.push_back(std::move(*entry.second.pod));
    return true;
  });
  std::sort(free.begin(), free.end(), [](const Pod& a, const Pod& b) { return key_of(a.meta) < key_of(b.meta); });
  return free;
}

}  // namespace muster::daemon
