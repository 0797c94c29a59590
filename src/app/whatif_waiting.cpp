#include "app/whatif.h"
#include "app/whatif_group.h"
#include "policy/volcano/pod_intake.h"

namespace muster {
namespace {

bool is_group_of(const Object& object, Dialect dialect, const std::string& job) {
  const bool is_group =
      dialect == Dialect::kKai ? std::holds_alternative<KaiPodGroup>(object) : std::holds_alternative<PodGroup>(object);
  if (!is_group) return false;
  return std::visit([&](const auto& known) { return known.meta.ns + "/" + known.meta.name == job; }, object);
}

}  // namespace

Result<WhatIfQuestion> question_about(const WhatIfCluster& cluster, const std::string& job) {
  WhatIfQuestion out;
  auto& about = out.jobs.emplace_back();
  about.name = job;
  bool has_group = false;
  for (const auto& object : cluster.objects()) {
    if (is_group_of(object, cluster.dialect(), job)) {
      has_group = true;
      if (const auto* group = std::get_if<PodGroup>(&object)) about.role_minimums = group->min_task_member;
      out.objects.push_back(object);
    }
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || pod->meta.ns + "/" + group_of(*pod, cluster.dialect()) != job) continue;
    const std::string role(volcano::role_name_of(*pod));
    const auto key = pod->meta.ns + "/" + pod->meta.name;
    // With Volcano's gangs who has done its part counts.
    if (pod->status.phase == "Succeeded" && cluster.dialect() == Dialect::kVolcano) about.members[key] = role;
    if (pod->status.phase == "Succeeded" || pod->status.phase == "Failed" || pod->meta.deleted) continue;
    if (!pod->spec.node_name.empty()) {
      about.members[key] = role;
      continue;
    }
    about.pods[key] = role;
    out.objects.push_back(object);
  }
  if (!has_group) return fail("no PodGroup is called " + job);
  if (about.pods.empty()) return fail(job + " has no pods to place");
  return out;
}

}  // namespace muster
