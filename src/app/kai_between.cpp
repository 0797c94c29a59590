#include "app/kai_between.h"

#include <algorithm>
#include <set>

namespace muster {
namespace {

using kai::PodFacts;
using kai::Status;

std::vector<PodId> live_pods(const kai::Cluster& cluster) {
  std::vector<PodId> pods;
  for (const auto pod : IdRange<PodId>(cluster.books().pod_count()))
    if (!cluster.books().removed(pod)) pods.push_back(pod);
  return pods;
}

std::string_view phase_name(PodFacts::Phase phase) {
  switch (phase) {
    case PodFacts::Phase::kPending: return "Pending";
    case PodFacts::Phase::kRunning: return "Running";
    case PodFacts::Phase::kSucceeded: return "Succeeded";
    case PodFacts::Phase::kFailed: return "Failed";
    case PodFacts::Phase::kUnknown: return "Unknown";
  }
  return "Unknown";
}

std::string place_text(const kai::Cluster& cluster, PodId pod, bool deleted) {
  const auto& task = cluster.task(pod);
  const bool bind_lives = task.bind && !task.bind->failed && cluster.known(task.bind->node);
  const auto node = cluster.outside_node(pod);
  const bool binding = task.facts.phase == PodFacts::Phase::kPending && !task.facts.node && bind_lives;
  const std::string word(binding ? "Binding" : deleted ? "Terminating" : phase_name(task.facts.phase));
  return node ? word + "@" + cluster.books().node(node).name : word;
}

}  // namespace

Result<KaiBetween> parse_kai_between(std::string_view text) {
  if (text.empty() || text == "none") return KaiBetween::kNothing;
  if (text == "bound-pods-run") return KaiBetween::kBoundPodsRun;
  if (text == "recreate") return KaiBetween::kRecreate;
  if (text == "respawn") return KaiBetween::kRespawn;
  return fail("unknown value of \"between\": \"" + std::string(text) + "\" (known: none, bound-pods-run, recreate, respawn)");
}

KaiBetweenCycles::KaiBetweenCycles(KaiBetween mode, const kai::Cluster& cluster, std::vector<std::string> keep_terminating)
    : mode_(mode), keep_terminating_(std::move(keep_terminating)) {
  for (const auto id : cluster.all_jobs()) initial_[id] = {cluster.job(id).written, cluster.job(id).conditions};
}

void KaiBetweenCycles::play(kai::Cluster& cluster, const KaiRecorder& cycle, Timestamp now) {
  if (mode_ == KaiBetween::kBoundPodsRun) run_bound(cluster, Evicted::kGo);
  if (mode_ == KaiBetween::kRecreate) run_bound(cluster, Evicted::kComeBack);
  if (mode_ == KaiBetween::kRespawn) respawn(cluster, cycle, now);
}

void KaiBetweenCycles::run_bound(kai::Cluster& cluster, Evicted evicted) {
  for (const auto pod : live_pods(cluster)) {
    const auto& task = cluster.task(pod);
    if (task.facts.deleted && evicted == Evicted::kComeBack)
      cluster.pod_respawns(pod);
    else if (task.facts.deleted)
      cluster.remove_pod(pod);
    else if (task.facts.phase == PodFacts::Phase::kPending && task.bind && !task.bind->failed)
      cluster.pod_runs(pod);
  }
}

bool KaiBetweenCycles::keeps_terminating(const kai::Cluster& cluster, PodId pod) const {
  const auto& job = cluster.job_of(pod);
  const auto named = [&](const std::string& name) { return name == job.name || name == job.ns + "/" + job.name; };
  return std::any_of(keep_terminating_.begin(), keep_terminating_.end(), named);
}

void KaiBetweenCycles::respawn(kai::Cluster& cluster, const KaiRecorder& cycle, Timestamp now) {
  std::set<GroupId> started;
  for (const auto& [pod, status] : cycle.statuses()) {
    if (status == Status::kBinding)
      cluster.pod_runs(pod);
    else if (status == Status::kReleasing ? !keeps_terminating(cluster, pod) : status == Status::kPipelined)
      cluster.pod_respawns(pod);
    if (kai::kQuotaAllocated.contains(status)) started.insert(cluster.books().pod(pod).group);
  }
  for (const auto& [id, initial] : initial_) {
    auto& job = cluster.job(id);
    job.written = initial.stamps;
    job.written.last_start = started.contains(id) ? std::optional(Timestamp{now.seconds - 60, now.nanos}) : std::nullopt;
    job.conditions = initial.conditions;
  }
  cluster.conditions_changed();
}

std::map<std::string, std::string> KaiBetweenCycles::final_pods(const kai::Cluster& cluster, const KaiRecorder& last) const {
  std::set<PodId> just_evicted;
  if (mode_ == KaiBetween::kNothing)
    for (const auto& decision : last.outbox())
      if (decision.kind == Decision::Kind::kEvict) just_evicted.insert(decision.pod);
  std::map<std::string, std::string> places;
  for (const auto pod : live_pods(cluster)) {
    const bool deleted = cluster.task(pod).facts.deleted && !just_evicted.contains(pod);
    places[cluster.books().pod_key(pod)] = place_text(cluster, pod, deleted);
  }
  return places;
}

}  // namespace muster
