#include "policy/kai/plugins/predicates.h"

#include <algorithm>

#include "policy/kai/kube_rules.h"
#include "policy/kai/session.h"

namespace muster::kai {
Predicates::Predicates(Session& session) : Plugin(session) {
  auto& rules = session.cluster().kube_rules();
  filters_ = {&rules.node_ports, &rules.taint_toleration, &rules.node_affinity, &rules.inter_pod_affinity, &rules.volume_binding};
  auto& fits = session.cluster().fits();
  over_capacity_ = fits.status(FitCode::kUnschedulable, "the queue has no capacity left for it there");
  wrong_gpu_ = fits.status(FitCode::kUnresolvable, "the node has another kind of GPUs");
  memory_unknown_ = fits.status(FitCode::kUnresolvable, "the memory of the node's GPUs is not known");
  no_slot_ = fits.status(FitCode::kUnschedulable, "the node takes no more pods");
  not_ready_ = fits.status(FitCode::kUnresolvable, "the node is not ready");
  not_worker_ = fits.status(FitCode::kUnresolvable, "the node is not for tasks of this kind");
}

void Predicates::open() {
  const auto& cluster = session().cluster();
  const auto& allocatable = session().books().ledgers().allocatable;
  largest_.assign(allocatable.size(), 0);
  for (std::size_t r = 0; r < allocatable.size(); ++r)
    for (const auto node : cluster.nodes_by_name()) largest_[r] = std::max(largest_[r], allocatable[r][node.index()]);
}

ResourceId Predicates::exceeded(PodId pod) const {
  const auto& cluster = session().cluster();
  const auto gpus = static_cast<double>(largest_[cluster.gpu().index()]) / static_cast<double>(kWholeGpu);
  if (cluster.task(pod).gpu.on_node() > gpus) return cluster.gpu();
  for (const auto& [id, amount] : session().books().shape_of(pod).request)
    if (amount > largest_[id.index()]) return id;
  return ResourceId();
}

std::optional<std::string> Predicates::exceeds_every_node(PodId pod) const {
  const auto resource = exceeded(pod);
  if (!resource) return std::nullopt;
  return "no node has as much " + session().books().resource_name(resource) + " as it asks for";
}

// A filter that has nothing to check for a task is not asked about it again in the cycle, even if that has changed.
std::optional<std::string> Predicates::pre_predicate(PodId pod) {
  session().cluster().kube_rules().relations.begin_cycle();
  std::optional<std::string> refusal = exceeds_every_node(pod);
  std::uint32_t skipped = 0;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (filters_[i]->dependence(pod) == Dependence::kNothing) {
      skipped |= 1u << i;
      continue;
    }
    const auto prepared = filters_[i]->prepare(pod);
    if (prepared.refusal && !refusal) refusal = session().cluster().fits().text(prepared.refusal->reason);
    if (prepared.outcome == NodeFilter::Preparation::kSkip) skipped |= 1u << i;
  }
  if (skipped != 0) skipped_[pod] |= skipped;
  return refusal;
}

std::optional<std::string> Predicates::victim_invariant(PodId pod) {
  if (auto refusal = exceeds_every_node(pod)) return refusal;
  auto& volumes = session().cluster().kube_rules().volume_binding;
  if (volumes.dependence(pod) == Dependence::kNothing) return std::nullopt;
  const auto prepared = volumes.prepare(pod);
  if (prepared.refusal && prepared.refusal->code == FitCode::kUnresolvable)
    return session().cluster().fits().text(prepared.refusal->reason);
  return std::nullopt;
}

FitStatus Predicates::predicate(PodId pod, NodeId node) {
  const auto& cluster = session().cluster();
  const auto& info = cluster.node_info(node);
  if (session().task_over_capacity(cluster.job_of(pod), pod, node)) return over_capacity_;
  if (const auto status = check_gpu_kind(pod, node); !status.ok()) return status;
  if (cluster.task(pod).gpu.memory > 0 && !info.memory_known) return memory_unknown_;
  if (const auto status = check_slots(pod, node); !status.ok()) return status;
  if (!info.ready) return not_ready_;
  const auto found = skipped_.find(pod);
  const auto skipped = found == skipped_.end() ? 0u : found->second;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (((skipped >> i) & 1u) != 0) continue;
    if (const auto status = filters_[i]->check(pod, node); !status.ok()) return status;
  }
  return check_worker(pod, node);
}

FitStatus Predicates::check_gpu_kind(PodId pod, NodeId node) const {
  const auto& gpu = session().cluster().task(pod).gpu;
  const auto& info = session().cluster().node_info(node);
  if (!gpu.any()) return {};
  if (gpu.shared() && info.slice_gpus > 0) return wrong_gpu_;
  if (!info.mig) return gpu.kind == GpuKind::kMig ? wrong_gpu_ : FitStatus{};
  if (info.mig_strategy == MigStrategy::kSingle && gpu.kind != GpuKind::kRegular) return wrong_gpu_;
  if (info.mig_strategy == MigStrategy::kMixed && gpu.kind != GpuKind::kMig) return wrong_gpu_;
  return {};
}

// A task on a shared GPU needs a second slot for the pod that reserves the GPU, even where there is one already: the original takes
// every group whose name is no number for a new one.
FitStatus Predicates::check_slots(PodId pod, NodeId node) {
  const auto slots = session().books().free_later(kPodCount, node);
  const auto needed = session().cluster().task(pod).gpu.shared() ? 2 : 1;
  return slots >= needed ? FitStatus{} : no_slot_;
}

FitStatus Predicates::check_worker(PodId pod, NodeId node) const {
  const auto& cluster = session().cluster();
  if (!cluster.options().restrict_nodes) return {};
  const auto& info = cluster.node_info(node);
  return (cluster.task(pod).gpu.any() ? info.gpu_worker : info.cpu_worker) ? FitStatus{} : not_worker_;
}

}  // namespace muster::kai
