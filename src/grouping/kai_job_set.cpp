// The grouper of JobSets: a subgroup for every replica of every replicated job, below one for the job.

#include <algorithm>
#include <fmt/format.h>

#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kReplicatedJob = "jobset.sigs.k8s.io/replicatedjob-name";
constexpr std::string_view kJobIndex = "jobset.sigs.k8s.io/job-index";

bool starts_in_order(const Object& set) { return set.text_at("spec.startupPolicy.startupPolicyOrder") == "InOrder"; }

// A PodGroup that an earlier version made, without subgroups: it stays so.
std::optional<std::string> flat_group(const KaiCase& about, const Object& set, const std::string& name) {
  const auto job = about.pod.label(kReplicatedJob).value_or("");
  const auto legacy = starts_in_order(set) ? name + "-" + job : name;
  for (const auto& one : {name, legacy}) {
    const auto existing = about.view.find(kKaiPodGroup, about.pod.ns, one);
    const auto* groups = existing ? existing->at("spec.subGroups") : nullptr;
    if (existing && (groups == nullptr || groups->items.empty())) return legacy;
  }
  return std::nullopt;
}

Result<std::int64_t> least_jobs(const Object& set, std::int64_t jobs) {
  if (const auto text = set.annotation(kBatchMinMember)) {
    const auto number = annotated_number(kBatchMinMember, *text, set);
    if (!number) return number;
    if (*number < 1) return fail(fmt::format("JobSet {}/{}: {} is less than 1", set.ns, set.name, kBatchMinMember));
    return std::min(*number, jobs);
  }
  return starts_in_order(set) ? 1 : jobs;  // the next one is made when this one runs
}

Result<std::int64_t> least_members(const Object& set, const Json& job, const Texts& annotations) {
  const auto text = text_of(annotations, kBatchMinMember);
  if (!text || text->empty()) return json_integer_at(&job, "template.spec.parallelism").value_or(1);
  const auto number = annotated_number(kBatchMinMember, *text, set);
  if (number && *number < 1) return fail(fmt::format("JobSet {}/{}: {} is less than 1", set.ns, set.name, kBatchMinMember));
  return number;
}

Result<void> add_replicated_job(const Object& set, const Json& job, KaiGroup& out) {
  const auto name = json_text_at(&job, "name");
  if (name.empty()) return fail(fmt::format("JobSet {}/{}: a replicated job has no name", set.ns, set.name));
  const auto annotations = json_texts(json_at(&job, "template.metadata.annotations"));
  const auto members = least_members(set, job, annotations);
  if (!members) return fail(members.error());
  const TopologyConstraint topology{text_of(annotations, kTopology).value_or(""),
                                    text_of(annotations, kRequiredPlacement).value_or(""),
                                    text_of(annotations, kPreferredPlacement).value_or("")};
  const auto replicas = json_integer_at(&job, "replicas").value_or(1);
  if (replicas > kMostSegments) return fail(fmt::format("JobSet {}/{}: {} replicas are too many", set.ns, set.name, replicas));
  SubGroup parent;
  parent.name = name;
  parent.min_sub_group = replicas;
  out.sub_groups.push_back(std::move(parent));
  for (std::int64_t i = 0; i < replicas; ++i) {
    SubGroup leaf;
    leaf.name = fmt::format("{}-replica-{}", name, i);
    leaf.parent = name;
    leaf.min_member = *members;
    if (!topology.topology.empty() && (!topology.required.empty() || !topology.preferred.empty())) leaf.topology = topology;
    out.sub_groups.push_back(std::move(leaf));
  }
  return {};
}

Result<std::string> leaf_of(const Object& pod, const std::vector<SubGroup>& groups) {
  for (const auto key : {kReplicatedJob, kJobIndex})
    if (pod.label(key).value_or("").empty()) return fail(fmt::format("pod {}/{} has no label {}", pod.ns, pod.name, key));
  auto name = fmt::format("{}-replica-{}", *pod.label(kReplicatedJob), *pod.label(kJobIndex));
  const bool known = std::any_of(groups.begin(), groups.end(), [&](const auto& group) { return group.name == name; });
  if (!known) return fail(fmt::format("pod {}/{} is of {}, which its JobSet does not have", pod.ns, pod.name, name));
  return name;
}

}  // namespace

Result<KaiGroup> job_set_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  const auto* jobs = top.at("spec.replicatedJobs");
  if (jobs == nullptr || jobs->items.empty()) return fail(fmt::format("JobSet {}/{} has no jobs", top.ns, top.name));
  auto out = kai_group_of(about, top);
  if (const auto name = flat_group(about, top, out.name)) {
    out.name = *name;
    if (const auto text = top.annotation(kBatchMinMember)) {
      const auto number = annotated_number(kBatchMinMember, *text, top);
      if (!number) return fail(number.error());
      out.min_member = *number;
    }
    return out;
  }
  const auto least = least_jobs(top, static_cast<std::int64_t>(jobs->items.size()));
  if (!least) return fail(least.error());
  out.min_sub_group = *least;
  out.min_member = 0;
  for (const auto& job : jobs->items)
    if (auto done = add_replicated_job(top, job, out); !done) return fail(done.error());
  auto leaf = leaf_of(about.pod, out.sub_groups);
  if (!leaf) return fail(leaf.error());
  out.pod_sub_group = std::move(*leaf);
  return out;
}

}  // namespace muster::grouping
