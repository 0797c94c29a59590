// What a cluster does about ids whose owners are gone, so that it does not grow with all that it ever saw.

#include <algorithm>

#include "base/assert.h"
#include "policy/volcano/cluster.h"
#include "policy/volcano/devices/device_books.h"
#include "policy/volcano/kube_rules.h"
#include "policy/volcano/numa/numa_books.h"

namespace muster::volcano {

std::vector<GroupId> Cluster::begin_cycle() {
  recount_attachments();
  books_.recycle_pods();
  kube_rules_->dynamic_resources.forget();
  if (books_.wants_node_sweep() || books_.has_gaps()) sweep_nodes();
  if (books_.wants_sweep()) sweep_rules();
  refresh();
  retire_jobs();
  // Nobody takes them while no session is opened; each is in once for every refresh.
  if (changed_jobs_.size() > 8 * jobs_.size()) {
    Bitset seen(jobs_.size());
    std::erase_if(changed_jobs_, [&](GroupId id) {
      const bool again = seen.test(id.index());
      seen.set(id.index());
      return again;
    });
  }
  return std::exchange(gone_jobs_, {});
}

// Jobs with neither PodGroup nor pods. They count for no queue any more, since refresh().
void Cluster::retire_jobs() {
  if (emptied_.empty()) return;
  auto emptied = std::exchange(emptied_, {});
  std::sort(emptied.begin(), emptied.end());
  emptied.erase(std::unique(emptied.begin(), emptied.end()), emptied.end());
  std::erase_if(emptied, [&](GroupId id) { return jobs_[id].has_pod_group || !books_.group(id).pods.empty(); });
  for (const auto id : emptied) {
    MUSTER_DCHECK(!counted_[id].queue && !jobs_[id].sub_jobs);
    job_names_.erase(books_.group(id).name);
    jobs_[id] = Job();
    jobs_[id].id = id;
    counted_[id] = {};
    books_.remove_group(id);
  }
  std::erase_if(changed_jobs_, [&](GroupId id) { return std::binary_search(emptied.begin(), emptied.end(), id); });
  gone_jobs_.insert(gone_jobs_.end(), emptied.begin(), emptied.end());
}

PodId Cluster::add_shade(PodId of) {
  auto record = books_.pod(of);
  record.group = GroupId();
  record.node = NodeId();
  const auto id = books_.add_pod(std::move(record));
  if (id.index() == tasks_.size())
    tasks_.push_back(Task());
  else
    tasks_[id] = Task();
  return id;
}

// ------------------------------------------------------------------------------------------------------------ nodes

NodeId Cluster::enter_node(const std::string& name) {
  const auto id = books_.intern_node(name);
  const auto last = books_.place_last(id);
  if (last != id) move_extras(id, last);
  return last;
}

void Cluster::move_extras(NodeId from, NodeId to) {
  if (node_extras_.size() <= std::max(from, to).index()) node_extras_.resize(std::max(from, to).index() + 1);
  node_extras_[to] = std::exchange(node_extras_[from], {});
  if (shared_devices_) shared_devices_->move_node(from, to);
  if (numa_) numa_->renumber();
  shards_stale_ = true;
}

void Cluster::sweep_nodes() {
  books_.sweep_nodes(Bitset());
  for (const auto& [from, to] : books_.close_gaps()) move_extras(from, to);
  if (node_extras_.size() > books_.node_count()) node_extras_.resize(books_.node_count());
  shards_stale_ = true;
}

// ------------------------------------------------------------------------------------------------------------ rules

// The rules remember by shapes, label sets, terms and reasons, so they are made anew together with these.
void Cluster::sweep_rules() {
  const auto before = std::move(kube_rules_);
  books_.sweep();
  fits_ = FitTable();
  kube_rules_ = std::make_unique<KubeRules>(books_, fits_, namespaces_, volumes_, devices_);
  kube_rules_->volume_binding.take_over(before->volume_binding);
  kube_rules_->dynamic_resources.take_over(before->dynamic_resources);
  ++rules_version_;
}

}  // namespace muster::volcano
