#include "daemon/assumed_pods.h"

#include <algorithm>

#include "daemon/object_version.h"

namespace muster::daemon {

AssumedPods::Assumption& AssumedPods::of(const kube::Identity& pod) {
  auto& assumption = pods_[key_of(pod)];
  if (assumption.uid != pod.uid) assumption = {.uid = pod.uid, .node = {}, .leaves = {}};
  return assumption;
}

void AssumedPods::bind(const kube::Identity& pod, std::string node) { of(pod).node = std::move(node); }

void AssumedPods::order(const kube::Identity& pod) { of(pod).ordered = true; }

void AssumedPods::evict(const kube::Identity& pod, const Timestamp& now) { of(pod).leaves = now; }

bool AssumedPods::complete(Pod& pod) {
  const auto found = pods_.find(pod.meta.ns + "/" + pod.meta.name);
  if (found == pods_.end()) return true;
  auto& assumption = found->second;
  if (assumption.uid != pod.meta.uid) {  // another pod of the same name
    pods_.erase(found);
    return true;
  }
  const auto version = version_of(pod.meta.resource_version);
  if (assumption.not_before != 0) {
    if (version != 0 && version < assumption.not_before) return false;
    assumption.not_before = 0;
  }
  assumption.told = std::max(assumption.told, version);
  if (!pod.spec.node_name.empty()) {
    assumption.node.clear();
    assumption.ordered = false;
  } else {
    pod.spec.node_name = assumption.node;
  }
  if (pod.meta.deleted)
    assumption.leaves.reset();
  else
    pod.meta.deleted = assumption.leaves;
  if (!assumption.holds()) pods_.erase(found);
  return true;
}

bool AssumedPods::is_older(const kube::Identity& read) const {
  const auto found = pods_.find(key_of(read));
  const auto version = version_of(read.resource_version);
  return found != pods_.end() && found->second.uid == read.uid && version != 0 && version < found->second.told;
}

void AssumedPods::read_anew(const kube::Identity& pod) {
  auto& assumption = of(pod);
  assumption = {.uid = pod.uid, .node = {}, .leaves = {}, .not_before = version_of(pod.resource_version)};
  if (!assumption.holds()) pods_.erase(key_of(pod));
}

void AssumedPods::forget(const kube::Identity& pod) {
  const auto found = pods_.find(key_of(pod));
  if (found != pods_.end() && found->second.uid == pod.uid) pods_.erase(found);
}

bool AssumedPods::binds(const kube::Identity& pod) const {
  const auto found = pods_.find(key_of(pod));
  return found != pods_.end() && found->second.uid == pod.uid && !found->second.node.empty();
}

bool AssumedPods::is_confirmed_by(const Pod& pod) const {
  const auto found = pods_.find(pod.meta.ns + "/" + pod.meta.name);
  if (found == pods_.end() || found->second.uid != pod.meta.uid || found->second.node.empty()) return false;
  const bool leaves_as_assumed = pod.meta.deleted.has_value() == found->second.leaves.has_value();
  return found->second.node == pod.spec.node_name && leaves_as_assumed &&
         (pod.status.phase.empty() || pod.status.phase == "Pending");
}

bool AssumedPods::holds(const kube::Identity& pod) const {
  const auto found = pods_.find(key_of(pod));
  return found != pods_.end() && found->second.uid == pod.uid;
}

}  // namespace muster::daemon
