#include "policy/volcano/plugins/numa_aware.h"

#include <algorithm>

#include "engine/scores/allocation.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
NumaAware::NumaAware(Session& session, const PluginOption& option)
    : Plugin(session), weight_(option.arguments.get_int("weight", 1)) {}

void NumaAware::open() {
  numa_ = session().cluster().numa();
  if (numa_ == nullptr) return;
  numa_->begin_cycle();
  const auto& asked = session().chain(Point::kPredicate);
  assigns_ = std::find(asked.begin(), asked.end(), this) != asked.end();
}

// CPUs of pods that leave this cycle with a node stay theirs until the node's object shows them.
void NumaAware::close() {
  const bool also_planned = session().behaviour().keeps(Quirk::kNumaHoldsPlanned);
  for (auto& [pod, assigned] : assigned_) {
    const bool bound = session().books().pod(pod).state == PodState::kBinding;
    if (bound || also_planned) numa_->keep(assigned.node, pod, assigned.cpus);
  }
  for (const auto& [node, cpus] : available_) session().books().touch_node(node);
}

Dependence NumaAware::predicate_dependence(PodId pod) const {
  return numa_ != nullptr && numa_->request(pod) != nullptr ? Dependence::kNode : Dependence::kNothing;
}

void NumaAware::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  if (up_to < Dependence::kNode || predicate_dependence(pod) == Dependence::kNothing) return;
  const auto answer = assign_cpus(*numa_->request(pod), numa_->node(node), available(node));
  if (answer.code != FitCode::kSuccess) verdict.push_back(session().cluster().fits().status(answer.code, answer.reason));
}

Dependence NumaAware::order_dependence(PodId pod) const {
  if (!assigns_ || numa_->request(pod) == nullptr || !numa_->request(pod)->has_policy()) return Dependence::kNothing;
  return Dependence::kCandidates;
}

// The fewer NUMA nodes the better, in relation to the candidate that takes the most.
void NumaAware::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (order_dependence(pod) == Dependence::kNothing) return;
  std::vector<std::int64_t> counts;
  for (const auto node : nodes) counts.push_back(numa_nodes(pod, node));
  const auto most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto score = most == 0 ? kMaxScore : kMaxScore - kMaxScore * counts[i] / most;
    totals[i] += static_cast<double>(score * weight_);
  }
}

std::int64_t NumaAware::numa_nodes(PodId pod, NodeId node) {
  const auto* known = numa_->node(node);
  if (known == nullptr) return 0;
  auto& counted = counted_[numa_->key(pod) << 32 | node.index()];
  const auto changed = versions_.find(node);
  const auto version = changed == versions_.end() ? 1 : changed->second + 1;
  if (counted.version != version) {
    const auto answer = assign_cpus(*numa_->request(pod), known, available(node));
    counted = {version, answer.cpus ? numa_nodes_of(*answer.cpus, known->topology) : 0};
  }
  return counted.numa_nodes;
}

const CpuSet& NumaAware::available(NodeId node) const {
  const auto changed = available_.find(node);
  return changed == available_.end() ? numa_->available(node) : changed->second;
}

void NumaAware::change(NodeId node) {
  available_.try_emplace(node, numa_->available(node));
  ++versions_[node];
}

bool NumaAware::on_allocate(PodId pod) {
  const auto& record = session().books().pod(pod);
  // A pod that was to be evicted and stays has its CPUs already.
  const bool fresh = record.state == PodState::kAllocated || record.state == PodState::kPipelined;
  if (!assigns_ || !fresh || numa_->request(pod) == nullptr) return true;
  auto answer = assign_cpus(*numa_->request(pod), numa_->node(record.node), available(record.node));
  if (!answer.cpus) return true;
  change(record.node);
  available_[record.node].subtract(*answer.cpus);
  assigned_[pod] = {record.node, std::move(*answer.cpus)};
  return true;
}

void NumaAware::on_deallocate(PodId pod) {
  const auto found = assigned_.find(pod);
  if (found == assigned_.end()) return;
  change(found->second.node);
  available_[found->second.node].add(found->second.cpus);
  assigned_.erase(found);
}

}  // namespace muster::volcano
