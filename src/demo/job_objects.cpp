#include "demo/job_objects.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace muster::demo {
namespace {

using sim::Tree;

constexpr std::string_view kVolcanoGroups = "scheduling.volcano.sh";
constexpr std::string_view kKaiGroups = "scheduling.run.ai";

void write_requests(Tree& out, const JobPlan& plan, std::int64_t pods) {
  out["cpu"] = Tree(std::to_string(plan.cpu * pods));
  out["memory"] = Tree(fmt::format("{}Gi", plan.memory_gi * pods));
  if (plan.gpus > 0) out[kGpu] = Tree(std::to_string(plan.gpus * pods));
}

std::string priority_of(const JobPlan& plan) { return plan.priority.empty() ? std::string(kUsualPriority) : plan.priority; }

void wish_for_tier(Tree& spec, RackWish wish) {
  if (wish == RackWish::kAnywhere) return;
  auto& topology = spec["networkTopology"];
  topology["mode"] = Tree(wish == RackWish::kRequired ? "hard" : "soft");
  if (wish == RackWish::kRequired) topology["highestTierAllowed"] = Tree(std::int64_t{1});
}

void wish_for_level(Tree& spec, RackWish wish) {
  if (wish == RackWish::kAnywhere) return;
  auto& constraint = spec["topologyConstraint"];
  constraint["topology"] = Tree(kTopologyName);
  constraint[wish == RackWish::kRequired ? "requiredTopologyLevel" : "preferredTopologyLevel"] = Tree(kRackLabel);
}

}  // namespace

const sim::Kind& group_kind(Dialect dialect) {
  return sim::kind_named(dialect == Dialect::kVolcano ? kVolcanoGroups : kKaiGroups, "podgroups");
}

PlannedObject group_of(const PlannedJob& job, Dialect dialect) {
  auto out = planned(group_kind(dialect).group, "podgroups", job.plan->queue, job.name);
  auto& spec = out.tree["spec"];
  spec["queue"] = Tree(job.plan->queue);
  spec["minMember"] = Tree(job.least);
  spec["priorityClassName"] = Tree(priority_of(*job.plan));
  if (dialect == Dialect::kVolcano) {
    write_requests(spec["minResources"], *job.plan, job.least);
    wish_for_tier(spec, job.plan->rack);
  } else {
    wish_for_level(spec, job.plan->rack);
  }
  return out;
}

std::string pod_name(const PlannedJob& job, std::int64_t index) { return fmt::format("{}-{}", job.name, index); }

PlannedObject pod_of(const PlannedJob& job, std::int64_t index, const std::string& group_uid, Dialect dialect, double speed) {
  auto out = planned("", "pods", job.plan->queue, pod_name(job, index));
  auto& metadata = out.tree["metadata"];
  metadata["labels"]["app"] = Tree(job.plan->name);
  metadata["annotations"][dialect == Dialect::kVolcano ? "scheduling.k8s.io/group-name" : "pod-group-name"] = Tree(job.name);
  // It has its group, and whoever groups the pods of workloads would make another one for its owner.
  if (dialect == Dialect::kKai) metadata["annotations"]["kai.scheduler/skip-podgrouper"] = Tree("true");
  if (job.run_seconds) {
    const auto seconds = std::max<std::int64_t>(1, std::llround(static_cast<double>(*job.run_seconds) / speed));
    metadata["annotations"]["sim.muster/run-seconds"] = Tree(std::to_string(seconds));
  }
  Tree owner = Tree::map();
  owner["apiVersion"] = Tree(group_kind(dialect).api_version());
  owner["kind"] = Tree("PodGroup");
  owner["name"] = Tree(job.name);
  owner["uid"] = Tree(group_uid);
  metadata["ownerReferences"].push_back(std::move(owner));
  auto& spec = out.tree["spec"];
  spec["schedulerName"] = Tree(dialect == Dialect::kVolcano ? "volcano" : "kai-scheduler");
  spec["restartPolicy"] = Tree("Never");
  spec["priorityClassName"] = Tree(priority_of(*job.plan));
  if (!job.plan->pool.empty()) spec["nodeSelector"][kPoolLabel] = Tree(job.plan->pool);
  Tree container = Tree::map();
  container["name"] = Tree("main");
  container["image"] = Tree("registry.example/" + job.plan->name);
  write_requests(container["resources"]["requests"], *job.plan, 1);
  if (job.plan->gpus > 0) container["resources"]["limits"][kGpu] = Tree(std::to_string(job.plan->gpus));
  spec["containers"].push_back(std::move(container));
  return out;
}

}  // namespace muster::demo
