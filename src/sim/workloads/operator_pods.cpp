#include "sim/workloads/operator_pods.h"

#include <fmt/format.h>

#include "sim/workloads/pod_template.h"

namespace muster::sim {

Result<void> refuse_if_not_run(const Submitted& workload, std::string_view suspend, std::string_view managed_by,
                               std::string_view own_controller) {
  if (workload.object.true_at(suspend))
    return fail(refused_workload(workload, std::string(suspend), "it is suspended: nobody makes its pods"));
  const auto controller = workload.object.text_at(managed_by);
  if (!controller.empty() && controller != own_controller)
    return fail(refused_workload(workload, std::string(managed_by),
                                 fmt::format("{} looks after it: what pods that makes is not known here", controller)));
  return {};
}

Submitted owned_object(const Submitted& workload, const grouping::ObjectKind& kind, std::string_view name, const Submitted& owner) {
  Submitted out{kind, Tree::map()};
  auto& metadata = out.object["metadata"];
  metadata["name"] = Tree(name);
  metadata["namespace"] = Tree(workload.object.text_at("metadata.namespace"));
  metadata["uid"] = Tree(made_uid(workload, fmt::format("{}-{}", name, kind.kind)));
  metadata["ownerReferences"].push_back(controller_reference(owner.kind, owner.object));
  return out;
}

Tree named_pod(const Tree* pod_template, const Submitted& owner, std::string_view name) {
  auto pod = pod_from(pod_template, owner.kind, owner.object);
  pod["metadata"]["name"] = Tree(name);
  return pod;
}

void add_labels(Tree& object, std::initializer_list<std::pair<std::string_view, std::string>> labels) {
  auto& all = object["metadata"]["labels"];
  for (const auto& [key, value] : labels) all[key] = Tree(value);
}

}  // namespace muster::sim
