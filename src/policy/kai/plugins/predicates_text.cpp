#include <array>
#include <fmt/format.h>

#include "policy/kai/kube_rules.h"
#include "policy/kai/original_text.h"
#include "policy/kai/plugins/predicates.h"
#include "policy/kai/session.h"
#include "policy/kai/status_text.h"

// What the predicates refuse, in the original's words.

namespace muster::kai {
namespace {

// As the original names the filters, in the order of filters_.
constexpr std::array<std::string_view, 5> kFilterNames = {"PodFitsHostPorts", "PodToleratesNodeTaints", "NodeAffinity",
                                                          "PodAffinity", "VolumeBinding"};
const std::string kPods = "pods";

bool is_stored(std::string_view resource) { return resource == "ephemeral-storage" || resource == "storage"; }

}  // namespace

// "GPU: 1, CPU: 2 (cores), memory: 4 (GB), pods: 1"
std::string Predicates::tell_request(PodId pod) const {
  const auto& cluster = session().cluster();
  const auto& books = session().books();
  const auto& request = books.shape_of(pod).request;
  auto text = fmt::format("GPU: {}, CPU: {} (cores), memory: {} (GB)", cut_number(cluster.task(pod).gpu.quota()),
                          cut_number(static_cast<double>(request.get(kCpu)) / kMilliPerCore),
                          cut_number(static_cast<double>(request.get(kMemory)) / kBytesPerGb));
  std::string instances;
  for (const auto& [id, amount] : request) {
    if (id == kCpu || id == kMemory || id == cluster.gpu() || amount == 0) continue;
    const auto& name = id == kPodCount ? kPods : books.resource_name(id);
    if (is_mig(name))
      instances += fmt::format(", mig {}: {}", name, amount);
    else if (is_stored(name))
      text += fmt::format(", {}: {} (GB)", name, cut_number(static_cast<double>(amount) / kBytesPerGb));
    else
      text += fmt::format(", {}: {}", name, cut_number(static_cast<double>(amount / books_per_unit(name))));
  }
  return text + instances;
}

// Of what is neither a GPU, nor a core, memory or storage the original does not tell how much there is.
std::string Predicates::tell_exceeded(PodId pod, ResourceId resource) const {
  const auto& cluster = session().cluster();
  const auto most = static_cast<double>(largest_[resource.index()]);
  const auto pool = cluster.options().node_pool.empty() ? "default" : cluster.options().node_pool;
  struct Told {
    std::string_view name;
    double most = 0;
    std::string_view unit = "";
  };
  const auto told = [&]() -> Told {
    if (resource == cluster.gpu()) return {"GPU", most / static_cast<double>(kWholeGpu)};
    if (resource == kCpu) return {"CPU", most / kMilliPerCore, " cores"};
    if (resource == kMemory) return {"memory", most / kBytesPerGb, " GB"};
    if (resource == kPodCount) return {kPods};
    const auto& name = session().books().resource_name(resource);
    return is_stored(name) ? Told{name, most / kBytesPerGb, " GB"} : Told{name};
  }();
  const auto who = fmt::format("The pod {} requires {}. ", session().books().pod_key(pod), tell_request(pod));
  if (told.most == 0) return who + fmt::format("No node in the {} node-pool has {} resources", pool, told.name);
  return who + fmt::format("Max {} resources available in a single node in the {} node-pool is topped at {}{}", told.name, pool,
                           cut_number(told.most), told.unit);
}

std::string Predicates::tell_pre_predicate(PodId pod, const std::string&) {
  auto text = "Scheduling conditions were not met for pod " + session().books().pod_key(pod) + ":\n";
  if (const auto resource = exceeded(pod)) text += "MaxNodePoolResources: " + tell_exceeded(pod, resource) + ".\n";
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (filters_[i]->dependence(pod) == Dependence::kNothing) continue;
    if (const auto refusal = filters_[i]->prepare(pod).refusal)
      text.append(kFilterNames[i]).append(": ").append(session().cluster().fits().text(refusal->reason)).append(".\n");
  }
  return text;
}

std::string Predicates::tell_victim_invariant(PodId pod, const std::string& refusal) {
  const auto resource = exceeded(pod);
  return resource ? tell_exceeded(pod, resource) : refusal;
}

std::string_view Predicates::tell_gpu_kind(PodId pod, NodeId node) const {
  const auto& gpu = session().cluster().task(pod).gpu;
  const auto& info = session().cluster().node_info(node);
  if (gpu.shared() && info.slice_gpus > 0) return "fractional/shared GPU pods are not yet supported on DRA-only nodes";
  if (!info.mig) return "MIG job cannot be scheduled on non-MIG node";
  if (info.mig_strategy == MigStrategy::kSingle) return "only whole gpu jobs can run on a node with MigStrategy='single'";
  return "non MIG jobs cant run on a node with MigStrategy='mixed'";
}

void Predicates::tell_named(std::string_view before, PodId pod, std::string_view between, NodeId node, FitTally& out) {
  if (!out.keeps_names()) return out.add_unnamed();
  const auto& books = session().books();
  out.add_named(
      session().fit_errors().told(fmt::format("{}<{}>{}<{}>", before, books.pod_key(pod), between, books.node(node).name)));
}

void Predicates::tell_predicate(PodId pod, NodeId node, FitStatus status, FitTally& out) {
  auto& errors = session().fit_errors();
  const auto& cluster = session().cluster();
  if (status == over_capacity_) {
    const auto refusal = session().task_over_capacity(cluster.job_of(pod), pod, node);
    if (!refusal) return out.add_silent();
    const auto note = session().tell_capacity(cluster.job_of(pod), *refusal);
    return out.add(errors.told(fmt::format("node does not have enough capacity. Reason: {}, Details: {}", name_of(refusal->reason),
                                           shortage_text(cluster.queues(), refusal->reason, *note.shortage))));
  }
  if (status == wrong_gpu_) return out.add(errors.told(tell_gpu_kind(pod, node)));
  if (status == memory_unknown_)
    return tell_named("node is not a gpu node or the gpu memory count on the node was not synced yet, task: ", pod,
                      ", node: ", node, out);
  if (status == no_slot_) return out.add(errors.told("node(s) pod number exceeded"));
  if (status == not_ready_) {
    for (const auto fault : cluster.node_info(node).faults) out.add(errors.told(text_of(fault)));
    return;
  }
  if (status == not_worker_) {
    const bool gpu = cluster.task(pod).gpu.any();
    return tell_named(gpu ? "gpu task: " : "cpu task: ", pod,
                      gpu ? " can't run on non gpu nodes, node: " : " can't run on non cpu nodes, node: ", node, out);
  }
  Plugin::tell_predicate(pod, node, status, out);
}

}  // namespace muster::kai
