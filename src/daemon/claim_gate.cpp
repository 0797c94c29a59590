#include "daemon/claim_gate.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr const char* kClaimGate = "muster/claims";  // never written anywhere

// The volume claims of a pod, by namespace/name.
std::vector<std::string> volume_claims(const Pod& pod) {
  std::vector<std::string> claims;
  for (const auto& volume : pod.spec.volumes) {
    if (!volume.claim.empty()) claims.push_back(pod.meta.ns + "/" + volume.claim);
    if (volume.ephemeral) claims.push_back(key_of(pod.meta) + "-" + volume.name);
  }
  return claims;
}

}  // namespace

std::string ClaimGate::why_not(const Pod& pod) const {
  if (!pod.spec.resource_claims.empty()) return "this version of muster does not allocate resource claims";
  if (refusal_)
    if (auto why = refusal_(pod); !why.empty()) return why;
  if (volumes_ == Volumes::kBoundByOthers) return {};
  for (const auto& claim : volume_claims(pod))
    if (!bound_.contains(claim))
      return "persistentvolumeclaim \"" + claim.substr(claim.find('/') + 1) +
             "\" is not bound, and this version of muster does not choose nodes for claims";
  return {};
}

void ClaimGate::look_at(Pod& pod) {
  if (pod.spec.resource_claims.empty() && pod.spec.volumes.empty() && !refusal_) return;
  const auto key = key_of(pod.meta);
  auto why = pod.spec.node_name.empty() ? why_not(pod) : std::string();
  if (why.empty()) {
    waiting_.erase(key);
    untold_.erase(key);
    return;
  }
  const auto [place, is_new] = waiting_.try_emplace(key);
  if (is_new)
    for (const auto& claim : volume_claims(pod)) by_claim_[claim].push_back(key);
  if (place->second.why != why || place->second.pod.meta.uid != pod.meta.uid) untold_.insert(key);
  place->second = {pod, std::move(why)};
  pod.spec.scheduling_gates.emplace_back(kClaimGate);
}

std::vector<Pod> ClaimGate::take(const PersistentVolumeClaim& claim) {
  const auto key = key_of(claim.meta);
  if (claim.phase != "Bound") {
    bound_.erase(key);
    return {};
  }
  bound_.insert(key);
  std::vector<Pod> free;
  const auto pods = by_claim_.find(key);
  if (pods == by_claim_.end()) return free;
  for (const auto& name : pods->second) {
    const auto found = waiting_.find(name);
    if (found == waiting_.end() || !why_not(found->second.pod).empty()) continue;
    free.push_back(std::move(found->second.pod));
    waiting_.erase(found);
    untold_.erase(name);
  }
  by_claim_.erase(pods);
  std::sort(free.begin(), free.end(), [](const Pod& a, const Pod& b) { return key_of(a.meta) < key_of(b.meta); });
  return free;
}

void ClaimGate::forget_claim(const kube::Identity& claim) { bound_.erase(key_of(claim)); }

void ClaimGate::forget_pod(const kube::Identity& pod) {
  const auto key = key_of(pod);
  const auto found = waiting_.find(key);
  if (found == waiting_.end()) return;
  for (const auto& claim : volume_claims(found->second.pod))
    if (const auto pods = by_claim_.find(claim); pods != by_claim_.end()) {
      std::erase(pods->second, key);
      if (pods->second.empty()) by_claim_.erase(pods);
    }
  waiting_.erase(found);
  untold_.erase(key);
}

std::vector<ClaimGate::KeptBack> ClaimGate::news() {
  std::vector<KeptBack> news;
  for (const auto& key : untold_)
    if (const auto found = waiting_.find(key); found != waiting_.end())
      news.push_back({kube::identity_of(found->second.pod.meta), found->second.why});
  untold_.clear();
  std::sort(news.begin(), news.end(), [](const KeptBack& a, const KeptBack& b) { return key_of(a.pod) < key_of(b.pod); });
  return news;
}

}  // namespace muster::daemon
