#include "property/whatif_oracle.h"

#include <algorithm>
#include <ostream>
#include <rapidcheck.h>

namespace muster {
namespace {

std::string key_of(const ObjectMeta& meta) { return meta.ns + "/" + meta.name; }

std::string group_named_by(const Pod& pod) {
  const auto& notes = pod.meta.annotations;
  const auto* kai = notes.find("pod-group-name");
  return pod.meta.ns + "/" + std::string(kai != nullptr ? *kai : notes.get("scheduling.k8s.io/group-name"));
}

std::optional<std::string> job_of(const Object& object) {
  if (const auto* pod = std::get_if<Pod>(&object)) return group_named_by(*pod);
  if (const auto* group = std::get_if<PodGroup>(&object)) return key_of(group->meta);
  if (const auto* group = std::get_if<KaiPodGroup>(&object)) return key_of(group->meta);
  return std::nullopt;
}

bool has_minimum(const Submission& submission, const std::map<std::string, std::string>& bound) {
  if (bound.empty() || static_cast<std::int32_t>(bound.size()) < submission.minimum()) return false;
  for (const auto& object : submission.objects) {
    const auto* group = std::get_if<PodGroup>(&object);
    if (group == nullptr) continue;
    for (const auto& [role, minimum] : group->min_task_member) {
      std::int32_t have = 0;
      for (const auto& other : submission.objects)
        if (const auto* pod = std::get_if<Pod>(&other); pod != nullptr && bound.contains(key_of(pod->meta)))
          have += pod->meta.annotations.get("volcano.sh/task-spec") == role;
      if (have < minimum) return false;
    }
  }
  return true;
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
  for (auto& container : pod.spec.containers)
    if (const auto asked = container.requests.find(part.path.substr(kRequests.size())); asked != container.requests.end())
      if (asked->second > cap) asked->second = cap;
}

}  // namespace

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
  const auto question = what_if_question(cluster, submission.objects);
  if (!question) RC_FAIL(question.error().text());
  auto answer = what_if(cluster, *question, {.tries = tries, .enough = {}});
  if (!answer) RC_FAIL(answer.error().text());
  RC_ASSERT(answer->jobs.size() == 1u);
  return std::move(answer->jobs.front());
}

void check_answer(const WhatIfRun& run, const Submission& submission, const Submit& submit) {
  const auto told = told_by(run);
  RC_TAG(told.verdict);
  const auto happened = submit(submission);
  RC_LOG() << "told: " << told << "\nhappened: " << happened << "\n";
  RC_ASSERT(told == happened);
}

void check_changes(const WhatIfRun& run, const Submission& submission, const Submit& submit) {
  if (!run.fits_if) return;
  for (const auto& change : *run.fits_if) {
    RC_TAG(std::string(name_of(change.kind)));
    RC_LOG() << "if " << change.text << "\n";
    RC_ASSERT(submit(submission.with(change)).verdict == "starts");
  }
}

void check_smallest(const WhatIfRun& run, const Submission& submission, const Submit& submit) {
  if (!run.fits_if) return;
  for (auto change : *run.fits_if) {
    if (change.kind != FitsIf::Kind::kMembers || change.parts.size() > 1) continue;
    auto& to = std::get<std::int64_t>(change.parts.front().to);
    if (++to == submission.minimum()) continue;
    RC_LOG() << "if not " << change.text << "\n";
    RC_ASSERT(submit(submission.with(change)).verdict != "starts");
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

Submission last_job_of(std::vector<Object> objects) {
  const auto is_group = [](const Object& object) {
    return std::holds_alternative<PodGroup>(object) || std::holds_alternative<KaiPodGroup>(object);
  };
  const auto last = std::find_if(objects.rbegin(), objects.rend(), is_group).base() - 1;
  Submission out;
  out.job = *job_of(*last);
  out.objects.assign(last, objects.end());
  out.cluster.assign(objects.begin(), last);
  for (auto& object : out.objects) {
    if (auto* group = std::get_if<PodGroup>(&object)) group->phase.clear();
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    pod->spec.node_name.clear();
    pod->status.phase = "Pending";
    pod->meta.deleted.reset();
  }
  return out;
}

void make_urgent(Submission& submission) {
  for (auto* objects : {&submission.cluster, &submission.objects})
    for (auto& object : *objects) {
      const bool is_new = objects == &submission.objects;
      const auto* priority = is_new ? "high" : "low";
      if (auto* group = std::get_if<KaiPodGroup>(&object)) group->priority_class = priority;
      if (auto* group = std::get_if<PodGroup>(&object)) {
        group->priority_class = priority;
        group->queue = "default";
        group->min_resources.reset();
        group->topology.reset();
        if (!is_new) group->min_member = 1;
      }
      if (auto* node = std::get_if<Node>(&object)) {
        node->taints.clear();
        node->unschedulable = false;
      }
      if (auto* queue = std::get_if<Queue>(&object)) {
        queue->capability.clear();
        queue->state = "Open";
      }
      auto* pod = std::get_if<Pod>(&object);
      if (pod == nullptr) continue;
      pod->spec.priority.reset();
      pod->meta.deleted.reset();
      pod->spec.affinity = {};
      if (!is_new) continue;
      pod->spec.node_selector = {};
      pod->spec.spread.clear();
      pod->spec.scheduling_gates.clear();
    }
}

void ask_for_whole_nodes(Submission& submission, std::size_t pods) {
  make_urgent(submission);
  std::erase_if(submission.cluster, [](const Object& object) {
    return job_of(object) || std::holds_alternative<HyperNode>(object) || std::holds_alternative<KaiTopology>(object);
  });
  HyperNode whole, halves[2];
  std::size_t nodes = 0;
  for (auto& object : submission.cluster) {
    auto* node = std::get_if<Node>(&object);
    if (node == nullptr) continue;
    const bool second = nodes++ % 2 == 1;
    node->allocatable = {{"cpu", *Quantity::parse("4")}, {"memory", *Quantity::parse("16Gi")}, {"pods", *Quantity::parse("10")}};
    node->meta.labels.set("whole", "w");
    node->meta.labels.set("half", second ? "b" : "a");
    halves[second].members.push_back({.exact = node->meta.name, .pattern = {}, .selector = {}});
  }
  const auto add = [&](HyperNode& domain, const std::string& name, std::int64_t tier) {
    domain.meta.name = name;
    domain.tier = tier;
    submission.cluster.emplace_back(domain);
  };
  for (const bool second : {false, true}) {
    const std::string name = second ? "b" : "a";
    add(halves[second], name, 1);
    whole.members.push_back({.type = HyperNodeMember::Type::kHyperNode, .exact = name, .pattern = {}, .selector = {}});
  }
  add(whole, "w", 2);
  KaiTopology topology;
  topology.meta.name = "t";
  topology.levels = {{"whole", ""}, {"half", ""}};
  submission.cluster.emplace_back(topology);
  std::optional<Pod> first;
  for (auto& object : submission.objects) {
    if (auto* group = std::get_if<PodGroup>(&object)) {
      group->min_member = static_cast<std::int32_t>(pods);
      group->min_task_member.clear();
      group->sub_groups.clear();
      group->topology = NetworkTopology{TopologyMode::kHard, 1, ""};
    }
    if (auto* group = std::get_if<KaiPodGroup>(&object)) {
      group->min_member = static_cast<std::int32_t>(pods);
      group->sub_groups.clear();
      group->constraint = {"t", "half", ""};
    }
    if (const auto* pod = std::get_if<Pod>(&object); pod != nullptr && !first) first = *pod;
  }
  std::erase_if(submission.objects, [](const Object& object) { return std::holds_alternative<Pod>(object); });
  if (!first) return;
  first->spec.containers.resize(1);
  first->spec.init_containers.clear();
  first->spec.containers.front().requests = {{"cpu", *Quantity::parse("3")}};
  first->spec.containers.front().limits.clear();
  for (std::size_t i = 0; i < pods; ++i) {
    auto& pod = std::get<Pod>(submission.objects.emplace_back(*first));
    pod.meta.name = "whole-" + std::to_string(i);
    pod.meta.uid = pod.meta.name;
  }
}

Submitted what_happened(const Submission& submission, const std::vector<SubmittedCycle>& cycles, bool leaving) {
  Submitted out;
  bool others_went = false;  // before this cycle
  std::set<std::string> pods;
  for (const auto& object : submission.objects)
    if (const auto* pod = std::get_if<Pod>(&object)) pods.insert(key_of(pod->meta));
  for (const auto& cycle : cycles) {
    for (const auto& [pod, node] : cycle.binds)
      if (pods.contains(pod)) out.placement[pod] = node;
    for (const auto& [pod, job] : cycle.evicted_for)
      if (job == submission.job) out.victims.insert(pod);
    if (has_minimum(submission, out.placement)) {
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
