#include "daemon/held_pods.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr const char* kRefusedGate = "muster/bind-refused";  // never written anywhere
constexpr int kMostDoublings = 30;

}  // namespace

void HeldPods::refuse(const kube::Identity& pod, const std::string& group, kube::Instant now) {
  forget_old_refusals(now);
  auto& refusals = groups_[group.empty() ? key_of(pod) : group];
  if (refusals.in_a_row == 0 || now >= refusals.until) {
    const auto doublings = std::min(refusals.in_a_row++, kMostDoublings);
    refusals.until = now + std::min(settings_.most, settings_.first * (std::int64_t{1} << doublings));
  }
  pods_[key_of(pod)] = {.uid = pod.uid, .until = refusals.until};
}

// Whoever was not refused again for the longest time of a hold has been forgiven.
void HeldPods::forget_old_refusals(kube::Instant now) {
  boost::unordered::erase_if(groups_, [&](const auto& entry) { return now >= entry.second.until + settings_.most; });
}

void HeldPods::complete(Pod& pod) {
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
  boost::unordered::erase_if(pods_, [&](auto& entry) {
    if (now < entry.second.until) return false;
    if (entry.second.pod) free.push_back(std::move(*entry.second.pod));
    return true;
  });
  std::sort(free.begin(), free.end(), [](const Pod& a, const Pod& b) { return key_of(a.meta) < key_of(b.meta); });
  return free;
}

}  // namespace muster::daemon
