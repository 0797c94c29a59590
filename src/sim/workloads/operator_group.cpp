#include "sim/workloads/operator_group.h"

#include "grouping/pod_usage.h"
#include "grouping/volcano.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/pod_template.h"

namespace muster::sim {
namespace {

ResourceList amounts_of_container(const Tree& container, LimitsCount limits) {
  const auto* requests = container.at("resources.requests");
  auto out = amounts_of(requests);
  const bool has_requests = requests != nullptr && !requests->is_null();
  if (limits == LimitsCount::kWithoutRequests && has_requests) return out;
  for (const auto& [name, amount] : amounts_of(container.at("resources.limits"))) out.try_emplace(name, amount);
  return out;
}

}  // namespace

Tree OperatorGroup::object_for(const Submitted& workload) const {
  Tree out = Tree::map();
  out["apiVersion"] = Tree(grouping::kVolcanoPodGroup.api_version());
  out["kind"] = Tree(grouping::kVolcanoPodGroup.kind);
  auto& metadata = out["metadata"];
  metadata["name"] = Tree(name);
  metadata["namespace"] = Tree(workload.object.text_at("metadata.namespace"));
  metadata["ownerReferences"].push_back(controller_reference(workload.kind, workload.object));
  auto& spec = out["spec"];
  spec["minMember"] = Tree(min_member);
  if (!queue.empty()) spec["queue"] = Tree(queue);
  if (!priority_class.empty()) spec["priorityClassName"] = Tree(priority_class);
  if (!min_resources.is_null()) spec["minResources"] = min_resources;
  return out;
}

ResourceList container_amounts(const Tree* pod_template, LimitsCount limits) {
  ResourceList out;
  const auto* containers = pod_template == nullptr ? nullptr : pod_template->at("spec.containers");
  if (containers == nullptr || !containers->is_list()) return out;
  for (const auto& one : *containers->as_list()) grouping::add_to(out, amounts_of_container(one, limits));
  return out;
}

void put_into_group(Tree& pod, std::string_view group, NamesScheduler names) {
  pod["metadata"]["annotations"][grouping::kVolcanoGroupName] = Tree(group);
  if (names == NamesScheduler::kOverwrites || pod.text_at("spec.schedulerName").empty())
    pod["spec"]["schedulerName"] = Tree(kVolcanoScheduler);
}

}  // namespace muster::sim
