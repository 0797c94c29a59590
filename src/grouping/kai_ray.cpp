// Groupers of Ray: the head and the least number of workers of each group.

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>

#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kHeadGroup = "headgroup";
constexpr std::string_view kRayGroup = "ray.io/group";

// A constraint by annotations of a template: levels need a topology, a topology alone is no constraint.
Result<std::optional<TopologyConstraint>> template_topology(const Json* group, std::string_view where) {
  const auto annotations = json_texts(json_at(group, "template.metadata.annotations"));
  TopologyConstraint out{text_of(annotations, kTopology).value_or(""), text_of(annotations, kRequiredPlacement).value_or(""),
                         text_of(annotations, kPreferredPlacement).value_or("")};
  if (out.required.empty() && out.preferred.empty()) return std::nullopt;
  if (out.topology.empty()) return fail(fmt::format("{}: a placement is asked for without the annotation {}", where, kTopology));
  return out;
}

Result<void> add_worker_group(const Json& spec, std::size_t index, KaiGroup& out) {
  const auto* suspended = json_at(&spec, "suspended");
  if (suspended != nullptr && suspended->raw == "true") return {};
  const auto replicas = json_integer_at(&spec, "replicas").value_or(0);
  const auto least = json_integer_at(&spec, "minReplicas").value_or(0);
  if (least > replicas)
    return fail(fmt::format("spec.workerGroupSpecs[{}] has {} replicas and asks for {} at least", index, replicas, least));
  if (replicas == 0 && least == 0) return {};
  SubGroup group;
  group.name = json_text_at(&spec, "groupName");
  if (group.name.empty()) group.name = fmt::format("worker-group-{}", index);
  group.min_member = (least > 0 ? least : replicas) * json_integer_at(&spec, "numOfHosts").value_or(1);
  auto topology = template_topology(&spec, group.name);
  if (!topology) return fail(topology.error());
  group.topology = *topology;
  out.min_member += group.min_member;
  out.sub_groups.push_back(std::move(group));
  return {};
}

Result<void> add_ray_groups(const Object& cluster, KaiGroup& out) {
  SubGroup head;
  head.name = kHeadGroup;
  head.min_member = 1;
  auto topology = template_topology(cluster.at("spec.headGroupSpec"), kHeadGroup);
  if (!topology) return fail(topology.error());
  head.topology = *topology;
  out.min_member = 1;
  out.sub_groups.push_back(std::move(head));
  const auto* workers = cluster.at("spec.workerGroupSpecs");
  if (workers == nullptr) return {};
  for (std::size_t i = 0; i < workers->items.size(); ++i)
    if (auto done = add_worker_group(workers->items[i], i, out); !done) return done;
  return {};
}

Result<KaiGroup> ray_group(const KaiCase& about, const Object& top, const Object& cluster) {
  auto out = kai_group_of(about, top);
  if (auto done = add_ray_groups(cluster, out); !done) return fail(done.error());
  // A group from before there were subgroups stays as it is.
  const auto existing = about.view.find(kKaiPodGroup, out.ns, out.name);
  const auto* known = existing ? existing->at("spec.subGroups") : nullptr;
  if (existing && (known == nullptr || known->items.empty())) out.sub_groups.clear();
  if (const auto priority = top.label("ray.io/priority-class-name")) out.priority_class = *priority;
  const auto own = about.pod.label(kRayGroup);
  const bool is_known =
      own && std::any_of(out.sub_groups.begin(), out.sub_groups.end(), [&](const auto& group) { return group.name == *own; });
  if (is_known) out.pod_sub_group = *own;
  return out;
}

// What a job or a service runs on is named in its status.
Result<KaiGroup> ray_group_by_status(const KaiCase& about, const Object& top, std::initializer_list<std::string_view> paths) {
  std::string name;
  for (const auto path : paths)
    if (name.empty()) name = top.text_at(path);
  if (name.empty()) return fail(fmt::format("{} {}/{} has no RayCluster yet", top.kind.kind, top.ns, top.name));
  const auto cluster = about.view.find({top.kind.group, top.kind.version, "RayCluster"}, top.ns, name);
  if (!cluster) return fail(fmt::format("there is no RayCluster {}/{}", top.ns, name));
  return ray_group(about, top, *cluster);
}

}  // namespace

Result<KaiGroup> ray_cluster_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return ray_group(about, top, top);
}

Result<KaiGroup> ray_job_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return ray_group_by_status(about, top, {"status.rayClusterName"});
}

Result<KaiGroup> ray_service_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return ray_group_by_status(about, top,
                             {"status.activeServiceStatus.rayClusterName", "status.pendingServiceStatus.rayClusterName"});
}

}  // namespace muster::grouping
