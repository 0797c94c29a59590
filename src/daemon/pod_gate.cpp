#include "daemon/pod_gate.h"

#include <algorithm>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr const char* kNeedGate = "muster/cannot-be-done";  // never written anywhere

}  // namespace

void PodGate::look_at(Pod& pod) {
  if (!refusal_) return;
  const auto key = key_of(pod.meta);
  auto why = pod.spec.node_name.empty() ? refusal_(pod) : std::string();
  if (why.empty()) {
    kept_.erase(key);
    untold_.erase(key);
    return;
  }
  auto& kept = kept_[key];
  if (kept.why != why || kept.pod.uid != pod.meta.uid) untold_.insert(key);
  kept = {kube::identity_of(pod.meta), std::move(why)};
  pod.spec.scheduling_gates.emplace_back(kNeedGate);
}

void PodGate::forget(const kube::Identity& pod) {
  kept_.erase(key_of(pod));
  untold_.erase(key_of(pod));
}

std::vector<PodGate::KeptBack> PodGate::news() {
  std::vector<KeptBack> news;
  for (const auto& key : untold_)
    if (const auto found = kept_.find(key); found != kept_.end()) news.push_back(found->second);
  untold_.clear();
  std::sort(news.begin(), news.end(), [](const KeptBack& a, const KeptBack& b) { return key_of(a.pod) < key_of(b.pod); });
  return news;
}

}  // namespace muster::daemon
