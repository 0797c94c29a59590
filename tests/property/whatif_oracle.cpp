#include "property/whatif_oracle.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <rapidcheck.h>
#include <sstream>

#include "property/many_clusters.h"
#include "property/random_scenario.h"
#include "property/whatif_smaller.h"

namespace muster {
namespace {

std::string key_of(const ObjectMeta& meta) { return meta.ns + "/" + meta.name; }

std::optional<std::string> group_named_by(const Pod& pod) {
  for (const auto* annotation : {"pod-group-name", "scheduling.k8s.io/group-name"})
    if (const auto* group = pod.meta.annotations.find(annotation)) return pod.meta.ns + "/" + std::string(*group);
  return std::nullopt;
}

constexpr std::string_view kRoleKey = "volcano.sh/task-spec";

// An annotation or else a label, of those that say something.
std::string role_told_by(const Pod& pod) {
  for (const auto* told : {pod.meta.annotations.find(kRoleKey), pod.meta.labels.find(kRoleKey)})
    if (told != nullptr && !told->empty()) return *told;
  return {};
}

// In Volcano's dialect whoever has done its part counts for the gang.
bool counts_as_member(const Pod& pod) {
  const bool is_volcano = pod.meta.annotations.contains("scheduling.k8s.io/group-name");
  return is_placed(pod) || (is_volcano && pod.status.phase == "Succeeded");
}

// Of the job, by role: those that were bound, and those that count although they are not part of the question. Whoever was evicted
// is gone, even if the same cycle has bound it.
std::map<std::string, std::int32_t> members_by_role(const Submission& submission, const std::map<std::string, std::string>& bound,
                                                    const std::set<std::string>& evicted) {
  std::map<std::string, std::int32_t> out;
  for (const auto* objects : {&submission.cluster, &submission.objects})
    for (const auto& object : *objects) {
      const auto* pod = std::get_if<Pod>(&object);
      if (pod == nullptr || job_of(object) != submission.job) continue;
      if (evicted.contains(key_of(pod->meta))) continue;
      const bool was_there = objects == &submission.cluster && counts_as_member(*pod);
      if (was_there || bound.contains(key_of(pod->meta))) ++out[role_told_by(*pod)];
    }
  return out;
}

bool has_minimum(const Submission& submission, const std::map<std::string, std::string>& bound,
                 const std::set<std::string>& evicted) {
  if (bound.empty()) return false;
  auto members = members_by_role(submission, bound, evicted);
  std::int32_t all = 0;
  for (const auto& [role, count] : members) all += count;
  if (all < submission.minimum()) return false;
  for (const auto& object : submission.objects)
    if (const auto* group = std::get_if<PodGroup>(&object); group != nullptr && enforces_roles(*group))
      for (const auto& [role, minimum] : group->min_task_member)
        if (members[role] < minimum) return false;
  return true;
}

// What there is of roles in a submission, to be met often enough.
std::vector<std::string> role_sorts(const Submission& submission) {
  std::vector<std::string> out;
  bool by_labels = false;
  for (const auto& object : submission.objects) {
    const auto* group = std::get_if<PodGroup>(&object);
    if (group != nullptr && group->min_task_member.empty()) return out;
    if (group != nullptr) out.emplace_back(enforces_roles(*group) ? "roles" : "roles passed over");
    const auto* pod = std::get_if<Pod>(&object);
    by_labels |= pod != nullptr && pod->meta.annotations.get(kRoleKey).empty() && !role_told_by(*pod).empty();
  }
  if (by_labels && !out.empty()) out.push_back(out.front() + ", by labels");
  return out;
}

std::string text_in(const FitsIf::Value& value) { return std::get<std::string>(value); }

// Follows a path as docs/whatif.md has it.
void set_in_group(PodGroup& group, const FitsIf::Part& part) {
  constexpr std::string_view kMinResources = "spec.minResources.";
  constexpr std::string_view kMinTaskMember = "spec.minTaskMember.";
  if (part.path == "spec.minMember") group.min_member = static_cast<std::int32_t>(std::get<std::int64_t>(part.to));
  if (part.path == "spec.queue") group.queue = text_in(part.to);
  if (part.path == "spec.networkTopology.mode") group.topology->mode = TopologyMode::kSoft;
  if (part.path == "spec.networkTopology.highestTierName") group.topology->highest_tier_name = text_in(part.to);
  if (part.path == "spec.networkTopology.highestTierAllowed") group.topology->highest_tier = std::get<std::int64_t>(part.to);
  if (part.path.starts_with(kMinResources))
    (*group.min_resources)[part.path.substr(kMinResources.size())] = *Quantity::parse(text_in(part.to));
  if (part.path.starts_with(kMinTaskMember))
    group.min_task_member[part.path.substr(kMinTaskMember.size())] = static_cast<std::int32_t>(std::get<std::int64_t>(part.to));
}

void set_in_kai_group(KaiPodGroup& group, const FitsIf::Part& part) {
  if (part.path == "spec.minMember") group.min_member = static_cast<std::int32_t>(std::get<std::int64_t>(part.to));
  if (part.path == "spec.queue") group.queue = text_in(part.to);
  if (part.path == "spec.topologyConstraint.requiredTopologyLevel") group.constraint.required_level = text_in(part.to);
}

void set_in_pod(Pod& pod, const FitsIf::Part& part) {
  constexpr std::string_view kRequests = "spec.containers[*].resources.requests.";
  if (!part.path.starts_with(kRequests)) return;
  const auto cap = *Quantity::parse(text_in(part.to));
  for (auto* containers : {&pod.spec.init_containers, &pod.spec.containers})
    for (auto& container : *containers)
      for (auto* amounts : {&container.requests, &container.limits})
        if (const auto asked = amounts->find(part.path.substr(kRequests.size())); asked != amounts->end())
          if (asked->second > cap) asked->second = cap;
}

// What kinds of changes there are to tell apart.
std::string sort_of(const FitsIf& change) {
  const auto also = [&](std::string_view path) {
    return std::ranges::any_of(change.parts, [&](const FitsIf::Part& part) { return part.path.starts_with(path); });
  };
  std::string out(name_of(change.kind));
  if (also("spec.minResources.")) out += ", minResources";
  if (also("spec.minTaskMember.")) out += ", roles";
  if (also("spec.networkTopology.mode") || (!change.parts.empty() && change.parts.front().to == FitsIf::Value(""))) out += ", none";
  if (change.kind == FitsIf::Kind::kEnded && change.gone.size() > 1) out += ", several";
  return out;
}

}  // namespace

bool enforces_roles(const PodGroup& group) {
  std::int64_t together = 0;
  for (const auto& [role, minimum] : group.min_task_member) together += minimum;
  return group.min_member >= together;
}

bool is_placed(const Pod& pod) {
  const bool is_over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  return !pod.spec.node_name.empty() && !is_over && !pod.meta.deleted;
}

std::optional<std::string> job_of(const Object& object) {
  if (const auto* pod = std::get_if<Pod>(&object)) return group_named_by(*pod);
  if (const auto* group = std::get_if<PodGroup>(&object)) return key_of(group->meta);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) return key_of(group->meta);
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, const Submitted& what) {
  out << what.verdict << " on";
  for (const auto& [pod, node] : what.placement) out << " " << pod << "@" << node;
  out << " victims";
  for (const auto& pod : what.victims) out << " " << pod;
  return out;
}

Submitted told_by(const WhatIfRun& run) {
  Submitted out{std::string(name_of(verdict_of(run))), run.placement, {}};
  for (const auto& victim : run.victims) out.victims.insert(victim.pod);
  return out;
}

WhatIfRun answer_to(WhatIfCluster& cluster, const Submission& submission, int tries) {
  const auto question = submission.waits ? question_about(cluster, submission.job) : what_if_question(cluster, submission.objects);
  if (!question) RC_FAIL(question.error().text());
  auto answer = what_if(cluster, *question, {.tries = tries, .enough = {}});
  if (!answer) RC_FAIL(answer.error().text());
  RC_ASSERT(answer->jobs.size() == 1u);
  return std::move(answer->jobs.front());
}

void Laws::check_answer(const WhatIfRun& run, const Submission& submission) {
  const auto told = told_by(run);
  ++seen_[told.verdict];
  for (const auto& sort : role_sorts(submission)) ++seen_[told.verdict + ", " + sort];
  const auto happened = submit_(submission);
  RC_LOG() << "told: " << told << "\nhappened: " << happened << "\n";
  RC_ASSERT(told == happened);
}

void Laws::check_changes(const WhatIfRun& run, const Submission& submission) {
  if (!run.fits_if) return;
  for (const auto& change : *run.fits_if) {
    ++seen_[sort_of(change)];
    RC_LOG() << "if " << change.text << "\n";
    RC_ASSERT(std::ranges::count(change.gone, submission.job) == 0);
    RC_ASSERT(submit_(submission.with(change)).verdict == "starts");
  }
}

void Laws::check_smallest(const WhatIfRun& run, const Submission& submission) {
  const bool is_drawn = chance(4);
  if (!run.fits_if || (!is_drawn && std::getenv("MUSTER_EVERY_SMALLEST") == nullptr)) return;
  check_none_starts(passed_over(*run.fits_if, submission), "passed over: ", submission);
  for (const auto& change : *run.fits_if) {
    RC_LOG() << "if " << change.text << "\n";
    check_none_starts(smaller_than(change, submission), "smaller: ", submission);
  }
}

void Laws::check_none_starts(const std::vector<FitsIf>& changes, const std::string& as, const Submission& submission) {
  for (const auto& change : changes) {
    ++seen_[as + std::string(name_of(change.kind))];
    RC_LOG() << "if not " << change.text << "\n";
    RC_ASSERT(submit_(submission.with(change)).verdict != "starts");
  }
}

Submission Submission::with(const FitsIf& change) const {
  Submission out = *this;
  const std::set<std::string> gone(change.gone.begin(), change.gone.end());
  std::erase_if(out.cluster, [&](const Object& object) {
    const auto* pod = std::get_if<Pod>(&object);
    if (change.kind == FitsIf::Kind::kLeaving) return pod != nullptr && gone.contains(key_of(pod->meta));
    const auto owner = job_of(object);
    return owner && gone.contains(*owner);
  });
  for (const auto& part : change.parts)
    for (auto& object : out.objects) {
      if (auto* group = std::get_if<PodGroup>(&object)) set_in_group(*group, part);
      if (auto* group = std::get_if<KaiPodGroup>(&object)) set_in_kai_group(*group, part);
      if (auto* pod = std::get_if<Pod>(&object)) set_in_pod(*pod, part);
    }
  return out;
}

std::int32_t Submission::minimum() const {
  for (const auto& object : objects) {
    if (const auto* group = std::get_if<PodGroup>(&object)) return group->min_member;
    if (const auto* group = std::get_if<KaiPodGroup>(&object)) return group->min_member.value_or(1);
  }
  return 0;
}

std::vector<Object> Submission::before() const {
  auto out = cluster;
  if (waits) out.insert(out.end(), objects.begin(), objects.end());
  return out;
}

std::string in_words(const Submission& submission) {
  std::ostringstream out;
  out << (submission.waits ? "waits: " : "new: ") << submission.job << "\n";
  for (const auto* objects : {&submission.cluster, &submission.objects})
    for (const auto& object : *objects) {
      if (const auto* group = std::get_if<PodGroup>(&object))
        out << key_of(group->meta) << ": minimum " << group->min_member << ", queue " << group->queue << "\n";
      if (const auto* group = std::get_if<KaiPodGroup>(&object))
        out << key_of(group->meta) << ": minimum " << group->min_member.value_or(-1) << ", queue " << group->queue << "\n";
      if (const auto* pod = std::get_if<Pod>(&object))
        out << "  " << key_of(pod->meta) << " " << pod->status.phase << (pod->meta.deleted ? " leaving " : " ")
            << pod->spec.node_name << "\n";
    }
  return out.str();
}

void expect_seen(const Seen& seen, const Seen& at_least) {
  for (const auto& [what, times] : seen) std::cout << times << " " << what << "\n";
  if (!meets_many_clusters()) return;
  for (const auto& [what, times] : at_least) EXPECT_GE(seen.contains(what) ? seen.at(what) : 0, times) << what;
}

Submitted what_happened(const Submission& submission, const std::vector<SubmittedCycle>& cycles, bool leaving) {
  Submitted out;
  bool others_went = false;  // before this cycle
  std::set<std::string> evicted;
  std::set<std::string> pods;
  for (const auto& object : submission.objects)
    if (const auto* pod = std::get_if<Pod>(&object)) pods.insert(key_of(pod->meta));
  for (const auto& cycle : cycles) {
    for (const auto& [pod, node] : cycle.binds)
      if (pods.contains(pod)) out.placement[pod] = node;
    for (const auto& [pod, job] : cycle.evicted_for)
      if (evicted.insert(pod); job == submission.job) out.victims.insert(pod);
    if (has_minimum(submission, out.placement, evicted)) {
      out.verdict = !out.victims.empty() ? "evicts" : others_went ? "waits" : "starts";
      return out;
    }
    others_went |= leaving;
    for (const auto& [pod, job] : cycle.evicted_for) others_went |= job != submission.job;
  }
  out.verdict = "waits";
  return out;
}

}  // namespace muster
