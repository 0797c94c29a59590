#include "grouping/volcano.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/lower_case.h"
#include "base/split.h"
#include "grouping/pod_usage.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kQueueName = "scheduling.volcano.sh/queue-name";
constexpr std::string_view kGroupMinMember = "scheduling.volcano.sh/group-min-member";
constexpr std::string_view kInherited = "volcano.sh/";
constexpr std::string_view kPreemptable = "volcano.sh/preemptable";
constexpr std::string_view kCooldown = "volcano.sh/cooldown-time";
constexpr std::string_view kRevocableZone = "volcano.sh/revocable-zone";
constexpr std::string_view kLeastAvailable = "volcano.sh/jdb-min-available";
constexpr std::string_view kMostUnavailable = "volcano.sh/jdb-max-unavailable";
constexpr std::string_view kTopologyMode = "volcano.sh/network-topology-mode";
constexpr std::string_view kHighestTier = "volcano.sh/network-topology-highest-tier";

const OwnerReference* controller_of(const Object& pod) {
  const auto found = std::find_if(pod.owners.begin(), pod.owners.end(), [](const auto& owner) { return owner.is_controller; });
  return found == pod.owners.end() ? nullptr : &*found;
}

// The kind, whatever the reference says of the group and version, under which an owner with annotations to inherit is found.
std::optional<ObjectKind> annotated_owner_kind(std::string_view kind) {
  if (kind == "ReplicaSet" || kind == "DaemonSet" || kind == "StatefulSet") return ObjectKind{"apps", "v1", std::string(kind)};
  if (kind == "Job") return ObjectKind{"batch", "v1", "Job"};
  return std::nullopt;
}

Texts annotations_of_owners(const Object& pod, const View& view) {
  Texts out;
  for (const auto& owner : pod.owners) {
    const auto kind = annotated_owner_kind(owner.kind.kind);
    const auto found = kind ? view.find(*kind, pod.ns, owner.name) : tl::unexpected(View::Missing::kNotThere);
    if (found) out.insert(found->annotations.begin(), found->annotations.end());
  }
  return out;
}

std::int64_t members_of(const Texts& annotations) {
  const auto text = text_of(annotations, kGroupMinMember);
  const auto number = text ? parse_integer(*text) : std::nullopt;
  return number && *number >= 0 ? *number : 1;
}

void copy_if_there(const Texts& from, std::string_view key, Texts& to) {
  if (const auto value = text_of(from, key)) to[std::string(key)] = *value;
}

std::optional<NetworkTopology> topology_of(const Object& pod) {
  const auto mode = pod.annotation(kTopologyMode);
  const auto tier = pod.annotation(kHighestTier);
  if (!mode && !tier) return std::nullopt;
  NetworkTopology out;
  if (mode && lower_case(*mode) == "soft") out.mode = "soft";
  if (tier) out.highest_tier = parse_integer(*tier);
  return out;
}

}  // namespace

std::optional<VolcanoGroup> volcano_group(const Object& pod, const View& view, const VolcanoSettings& settings) {
  const auto scheduler = pod.text_at("spec.schedulerName");
  const auto& names = settings.scheduler_names;
  if (std::find(names.begin(), names.end(), scheduler) == names.end()) return std::nullopt;
  if (!pod.annotation(kVolcanoGroupName).value_or("").empty()) return std::nullopt;
  VolcanoGroup out;
  const auto* controller = controller_of(pod);
  out.ns = pod.ns;
  out.name = "podgroup-" + (controller == nullptr ? pod.uid : controller->uid);
  out.owners = pod.owners;
  if (controller == nullptr) out.owners = {{pod.kind, pod.name, pod.uid, true, true}};
  if (settings.inherit_owner_annotations) {
    const auto inherited = annotations_of_owners(pod, view);
    out.min_member = members_of(inherited);
    for (const auto& [key, value] : inherited)
      if (key.starts_with(kInherited)) out.annotations[key] = value;
  }
  out.min_resources = times(quota_usage(pod.at("spec")), out.min_member);
  out.priority_class = pod.text_at("spec.priorityClassName");
  out.queue = pod.annotation(kQueueName).value_or("");
  for (const auto key : {kPreemptable, kCooldown, kRevocableZone}) copy_if_there(pod.annotations, key, out.annotations);
  for (const auto key : {kPreemptable, kCooldown}) copy_if_there(pod.labels, key, out.labels);
  copy_if_there(pod.annotations, pod.annotation(kLeastAvailable) ? kLeastAvailable : kMostUnavailable, out.annotations);
  out.topology = topology_of(pod);
  return out;
}

std::string VolcanoGroup::body() const {
  std::string spec = fmt::format(R"({{"minMember":{},"minResources":{})", min_member, resources_json(min_resources));
  if (!queue.empty()) spec += fmt::format(R"(,"queue":{})", json_string(queue));
  if (!priority_class.empty()) spec += fmt::format(R"(,"priorityClassName":{})", json_string(priority_class));
  if (topology) {
    spec += fmt::format(R"(,"networkTopology":{{"mode":{})", json_string(topology->mode));
    if (topology->highest_tier) spec += fmt::format(R"(,"highestTierAllowed":{})", *topology->highest_tier);
    spec += "}";
  }
  return fmt::format(
      R"({{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{{"name":{},"namespace":{},"labels":{},)"
      R"("annotations":{},"ownerReferences":{}}},"spec":{}}},"status":{{"phase":"Pending"}}}})",
      json_string(name), json_string(ns), texts_json(labels), texts_json(annotations), references_json(owners), spec);
}

std::string volcano_pod_patch(const Object& pod, const VolcanoGroup& group) {
  return fmt::format(R"({{"metadata":{{"uid":{},"annotations":{}}}}})", json_string(pod.uid),
                     texts_json({{std::string(kVolcanoGroupName), group.name}}));
}

std::optional<std::string> abandoned_volcano_group(const Object& workload) {
  if (workload.kind.kind != "ReplicaSet" && workload.kind.kind != "StatefulSet") return std::nullopt;
  if (workload.integer_at("spec.replicas").value_or(1) != 0) return std::nullopt;
  return "podgroup-" + workload.uid;
}

}  // namespace muster::grouping
