// What a cluster does about ids whose owners are gone, so that it does not grow with all that it ever saw.

#include <algorithm>

#include "policy/kai/cluster.h"
#include "policy/kai/domain_rooms.h"
#include "policy/kai/kube_rules.h"

namespace muster::kai {

void Cluster::recycle() {
  retire_jobs();
  books_.recycle_pods();
  if (books_.wants_node_sweep()) sweep_nodes();
  if (books_.wants_sweep()) sweep_rules();
}

// Jobs with neither PodGroup nor pods.
void Cluster::retire_jobs() {
  if (emptied_.empty()) return;
  auto emptied = std::exchange(emptied_, {});
  std::sort(emptied.begin(), emptied.end());
  emptied.erase(std::unique(emptied.begin(), emptied.end()), emptied.end());
  std::erase_if(emptied, [&](GroupId id) { return jobs_[id].has_group || !books_.group(id).pods.empty(); });
  for (const auto id : emptied) {
    job_names_.erase(jobs_[id].key);
    jobs_[id] = Job();
    jobs_[id].id = id;
    amounts_[id] = {};
    listings_[id] = Listing::kNot;
    watch_.forget(id);
    books_.remove_group(id);
  }
  std::erase_if(changed_, [&](GroupId id) { return std::binary_search(emptied.begin(), emptied.end(), id); });
  gone_jobs_.insert(gone_jobs_.end(), emptied.begin(), emptied.end());
}

// Nodes are ordered by their names, so another one may take any id that is free.
void Cluster::sweep_nodes() {
  Bitset named(books_.node_count());
  const auto name = [&](NodeId node) {
    if (node) named.set(node.index());
  };
  for (const auto pod : IdRange<PodId>(books_.pod_count())) {
    if (books_.removed(pod)) continue;
    const auto& task = tasks_[pod];
    name(task.facts.node);
    name(task.node);
    if (task.bind) name(task.bind->node);
    for (const auto& place : task.places) name(place.node);
  }
  for (const auto& [node, zones] : numa_nodes_) name(node);
  books_.sweep_nodes(named);
}

// The rules remember by shapes, label sets, terms and reasons, so they are made anew together with these.
void Cluster::sweep_rules() {
  const auto before = std::move(kube_rules_);
  books_.sweep();
  fits_ = FitTable();
  kube_rules_ = std::make_unique<KubeRules>(books_, fits_, namespaces_, volumes_, devices_);
  kube_rules_->volume_binding.take_over(before->volume_binding);
  claims_ = std::make_unique<ClaimBook>(devices_, kube_rules_->devices);
}

}  // namespace muster::kai
