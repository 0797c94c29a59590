#include "sim/subresources.h"

#include <fmt/format.h>

#include "sim/conditions.h"
#include "sim/disruption.h"
#include "sim/selectors.h"

namespace muster::sim {
namespace {

ApiError not_bindable(const std::string& pod, const std::string& why) {
  auto out = conflict({"", "pods/binding", "Binding", pod}, why);
  return out;
}

void merge_texts(Tree& into, const Tree* from) {
  for (const auto& [key, value] : texts_of(from)) into[key] = Tree(value);
}

Answered<Tree> bound(Tree pod, const Tree& binding, const std::string& now) {
  const std::string name(pod.text_at("metadata.name"));
  const auto uid = binding.text_at("metadata.uid");
  if (!uid.empty() && uid != pod.text_at("metadata.uid"))
    return refuse(not_bindable(name, fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                                                 pod.text_at("metadata.uid"))));
  const auto version = binding.text_at("metadata.resourceVersion");
  if (!version.empty() && version != pod.text_at("metadata.resourceVersion"))
    return refuse(not_bindable(
        name, fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}", version,
                          pod.text_at("metadata.resourceVersion"))));
  if (pod.at("metadata.deletionTimestamp") != nullptr)
    return refuse(not_bindable(name, fmt::format("pod {} is being deleted, cannot be assigned to a host", name)));
  if (const auto node = pod.text_at("spec.nodeName"); !node.empty())
    return refuse(not_bindable(name, fmt::format("pod {} is already assigned to node \"{}\"", name, node)));
  if (const auto* gates = pod.at("spec.schedulingGates"); gates != nullptr && gates->is_list() && !gates->as_list()->empty())
    return refuse(not_bindable(name, fmt::format("pod {} has non-empty .spec.schedulingGates", name)));
  pod["spec"]["nodeName"] = Tree(binding.text_at("target.name"));
  if (const auto* annotations = binding.at("metadata.annotations")) merge_texts(pod["metadata"]["annotations"], annotations);
  if (const auto* labels = binding.at("metadata.labels")) merge_texts(pod["metadata"]["labels"], labels);
  auto& scheduled = put_condition(pod, "PodScheduled", "True", {}, {}, now);
  if (scheduled.find("lastProbeTime") == nullptr) scheduled["lastProbeTime"] = Tree();
  return pod;
}

}  // namespace

Answered<void> bind_pod(Registry& registry, const Key& pod, const Tree& binding, bool dry_run) {
  const auto kind = binding.text_at("target.kind");
  std::vector<Cause> wrong;
  if (!kind.empty() && kind != "Node")
    wrong.push_back({"FieldValueNotSupported",
                     fmt::format("Unsupported value: \"{}\": supported values: \"Node\", \"<empty>\"", kind), "target.kind"});
  if (binding.text_at("target.name").empty()) wrong.push_back(required_field("target.name"));
  if (!wrong.empty()) return refuse(invalid({"", "bindings", "Binding", pod.name}, std::move(wrong)));
  const auto now = registry.outside().time_text();
  const auto done = registry.change(kind_named("", "pods"), pod, Part::kServer,
                                    [&](Tree tree) { return bound(std::move(tree), binding, now); }, {.dry_run = dry_run});
  if (!done) return refuse(done.error());
  return {};
}

Answered<Deleted> evict_pod(Registry& registry, const Key& pod, const Tree& eviction, DeleteOptions options) {
  if (const auto name = eviction.text_at("metadata.name"); !name.empty() && name != pod.name)
    return refuse(bad_request("name in URL does not match name in Eviction object"));
  const auto found = registry.get(kind_named("", "pods"), pod);
  if (!found) return refuse(found.error());
  if (!options.uid.empty() && options.uid != (*found)->uid)
    return refuse(
        conflict(kind_named("", "pods").subject(pod.name),
                 fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", options.uid, (*found)->uid)));
  // Before the budget is asked: who is refused uses nothing of it.
  const auto version = std::to_string((*found)->revision);
  if (!options.resource_version.empty() && options.resource_version != version)
    return refuse(
        conflict(kind_named("", "pods").subject(pod.name),
                 fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}",
                             options.resource_version, version)));
  const auto phase = (*found)->fields.get("status.phase");
  const bool runs = phase == "Running" || phase == "Unknown";
  if (runs && !(*found)->is_deleting && !options.dry_run)
    if (auto taken = take_from_budgets(registry, **found); !taken) return refuse(taken.error());
  return registry.remove(kind_named("", "pods"), pod, options);
}

Tree scale_of(const Tree& workload) {
  Tree out = Tree::map();
  out["kind"] = Tree("Scale");
  out["apiVersion"] = Tree("autoscaling/v1");
  for (const std::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (const auto* own = workload.find("metadata")->find(field)) out["metadata"][field] = *own;
  out["spec"]["replicas"] = Tree(workload.integer_at("spec.replicas").value_or(0));
  out["status"]["replicas"] = Tree(workload.integer_at("status.replicas").value_or(0));
  const auto* selector = workload.at("spec.selector");
  const bool is_plain = workload.text_at("kind") == "ReplicationController";
  out["status"]["selector"] = Tree(is_plain ? labels_text(selector) : label_selector_text(selector));
  return out;
}

Answered<Tree> with_scale(Tree workload, const Tree& scale) {
  const auto replicas = scale.integer_at("spec.replicas").value_or(0);
  const std::string name(workload.text_at("metadata.name"));
  if (replicas < 0)
    return refuse(invalid({"autoscaling", "scales", "Scale", name},
                          {invalid_field("spec.replicas", std::to_string(replicas), "must be greater than or equal to 0")}));
  if (const auto version = scale.text_at("metadata.resourceVersion"); !version.empty())
    workload["metadata"]["resourceVersion"] = Tree(version);
  workload["spec"]["replicas"] = Tree(replicas);
  return workload;
}

}  // namespace muster::sim
