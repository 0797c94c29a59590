#include "app/kai_outlook.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/printable_text.h"

namespace muster {
namespace {

using kai::FitReason;
using kai::Job;
using kai::Session;
using kai::Status;

constexpr kai::StatusSet kHolding{Status::kAllocated, Status::kBinding, Status::kBound, Status::kRunning};

const kai::JobFitError* find_error(const Job& job, FitReason reason) {
  const auto found = std::ranges::find(job.errors, reason, &kai::JobFitError::reason);
  return found == job.errors.end() ? nullptr : &*found;
}

JobState state_of(const Job& job, const KaiOutlook& out) {
  const auto& counts = out.job;
  if (counts.pods != 0 && counts.succeeded + counts.failed == counts.pods) return JobState::kFinished;
  if (counts.leaving != 0 && counts.succeeded + counts.failed + counts.leaving == counts.pods) return JobState::kEnding;
  const auto promised = job.count(Status::kPipelined);
  const bool has_minimum = counts.holding != 0 && promised == 0 && job.groups.satisfied(job.groups.root());
  if (has_minimum && counts.pending == 0) return job.count(Status::kBinding) != 0 ? JobState::kPlaced : JobState::kRunning;
  if (has_minimum) return JobState::kPartial;
  return promised != 0 ? JobState::kPipelined : JobState::kWaiting;
}

std::int64_t minimum_of(const Job& job) {
  std::int64_t minimum = 0;
  for (const auto part : job.groups.pod_sets()) minimum += job.part(part).minimum;
  return minimum;
}

PodId first_pending(const Session& session, const Job& job) {
  PodId first;
  job.for_each_pod([&](PodId pod) {
    if (!first && session.cluster().task(pod).status == Status::kPending) first = pod;
  });
  return first;
}

// Jobs of other shards, and what only pods name, are not among those that are listed.
bool is_of_shard(const Session& session, const Job& job) { return job.node_pool == session.cluster().options().node_pool; }

bool is_topology_error(const kai::JobFitError& error) {
  return error.reason == FitReason::kNotEnoughResources || error.message.find("topology ") != std::string::npos;
}

}  // namespace

KaiOutlooks::KaiOutlooks(Session& session) : session_(session), has_group_(session.books().group_count()), takes_part_(has_group_) {
  for (const auto id : session.cluster().all_jobs()) has_group_[id.index()] = 1;
  for (const auto id : session.cluster().listed_jobs()) takes_part_[id.index()] = 1;
}

KaiOutlook KaiOutlooks::of(const Job& job, PodId pod) {
  KaiOutlook out;
  out.job.name = (job.ns.empty() ? "?" : job.ns) + "/" + job.name;
  out.job.queue = job.queue_name;
  out.job.minimum = minimum_of(job);
  count_pods(job, out);
  out.job.state = state_of(job, out);
  out.job.phase = job.conditions.empty() ? "" : job.conditions.back().type;
  for (const auto& error : job.errors) out.messages.push_back(std::string(kai::name_of(error.reason)) + ": " + error.message);
  const bool waits =
      out.job.state == JobState::kWaiting || out.job.state == JobState::kPartial || out.job.state == JobState::kPipelined;
  if (waits) find_reason(job, pod, out);
  return out;
}

std::vector<KaiOutlook> KaiOutlooks::all() {
  std::vector<KaiOutlook> out;
  const auto& cluster = session_.cluster();
  for (const auto id : cluster.all_jobs())
    if (is_of_shard(session_, cluster.job(id))) out.push_back(of(cluster.job(id)));
  for (const auto id : IdRange<GroupId>(cluster.books().group_count()))
    if (!has_group_[id.index()] && !cluster.books().group(id).pods.empty()) out.push_back(of(cluster.job(id)));
  return out;
}

void KaiOutlooks::count_pods(const Job& job, KaiOutlook& out) const {
  std::map<std::string, std::size_t> nodes;
  const auto& cluster = session_.cluster();
  for (const auto pod : cluster.books().group(job.id).pods) {
    const auto& task = cluster.task(pod);
    ++out.job.pods;
    out.job.pending += task.status == Status::kPending || task.status == Status::kGated || task.status == Status::kPipelined;
    out.job.gated += task.status == Status::kGated;
    out.job.succeeded += task.status == Status::kSucceeded;
    out.job.failed += task.status == Status::kFailed;
    out.job.leaving += task.status == Status::kReleasing || task.status == Status::kStuckInReleasing;
    if (!kHolding.contains(task.status)) continue;
    ++out.job.holding;
    if (task.node) ++nodes[cluster.books().node(task.node).name];
  }
  out.job.nodes.assign(nodes.begin(), nodes.end());
}

void KaiOutlooks::find_reason(const Job& job, PodId pod, KaiOutlook& out) {
  if (!find_reason_before_nodes(job, out)) find_nodes_reason(job, pod, out);
  if (out.reason == KaiReason::kNotTried && find_error(job, FitReason::kPreemptionDelayNotElapsed) != nullptr) {
    out.reason = KaiReason::kPreemptionDelay;
    out.job.sentence = text_of(out.reason).meaning;
  }
}

// What is wrong with a job wherever there may be room.
bool KaiOutlooks::find_reason_before_nodes(const Job& job, KaiOutlook& out) const {
  const auto say = [&](KaiReason reason, std::string sentence) {
    out.reason = reason;
    out.job.sentence = std::move(sentence);
    return true;
  };
  const auto& cluster = session_.cluster();
  if (!has_group_[job.id.index()]) return say(KaiReason::kNoPodGroup, "its PodGroup does not exist");
  if (!is_of_shard(session_, job))
    return say(KaiReason::kOtherShard, job.node_pool.empty() ? "it has no node-pool label, and so belongs to another shard"
                                                             : "it belongs to the shard " + job.node_pool);
  if (!takes_part_[job.id.index()]) return say(KaiReason::kBackoff, std::string(text_of(KaiReason::kBackoff).meaning));
  if (!job.queue)
    return say(KaiReason::kNoQueue, job.queue_name.empty() ? "its PodGroup names no queue"
                                                           : "queue " + job.queue_name + " does not exist, or its parent does not");
  if (!cluster.queues()[job.queue].is_leaf())
    return say(KaiReason::kInnerQueue, "queue " + job.queue_name + " has queues below it, and only leaves take jobs");
  if (out.job.pods == 0) return say(KaiReason::kNoPods, std::string(text_of(KaiReason::kNoPods).meaning));
  if (find_missing_pods(job, out)) return true;
  if (job.count(Status::kPipelined) != 0) {
    std::vector<std::string> nodes;
    job.for_each_pod([&](PodId pod) {
      const auto& task = cluster.task(pod);
      if (task.status == Status::kPipelined && task.node) nodes.push_back(cluster.books().node(task.node).name);
    });
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return say(KaiReason::kWaitsForRelease, "it has been given room that others are leaving, on " + listed(nodes, 3));
  }
  if (const auto* error = find_error(job, FitReason::kOverLimit)) return say(KaiReason::kQueueLimit, error->message);
  if (const auto* error = find_error(job, FitReason::kNonPreemptibleOverQuota)) return say(KaiReason::kQueueQuota, error->message);
  return false;
}

bool KaiOutlooks::find_missing_pods(const Job& job, KaiOutlook& out) const {
  if (job.ready() || job.groups.satisfied(job.groups.root())) return false;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    if (part.pods_ready()) continue;
    const auto gated = part.in(Status::kGated);
    const auto whose = part.name == kai::SubGroups::kDefault ? std::string() : " of sub-group " + part.name;
    const bool by_gates = static_cast<std::int64_t>(part.alive) >= part.minimum;
    out.reason = by_gates ? KaiReason::kGated : KaiReason::kTooFewPods;
    out.job.sentence = by_gates ? fmt::format("scheduling gates hold {} of {}{} back, and {} have to start together", gated,
                                              count_of(part.alive, "pod"), whose, part.minimum)
                                : fmt::format("{}{}, and {} have to start together",
                                              part.alive == 1 ? "only 1 pod exists" : fmt::format("only {} pods exist", part.alive),
                                              whose, part.minimum);
    return true;
  }
  return false;
}

const KaiObstacles* KaiOutlooks::obstacles_to(PodId pod) {
  constexpr std::size_t kMostAsked = 200;
  const auto& record = session_.books().pod(pod);
  const bool shares = session_.cluster().task(pod).gpu.shared();
  const std::pair key(record.shape.index(), shares ? record.group.index() + 1 : 0);
  if (const auto known = asked_.find(key); known != asked_.end()) return &known->second;
  if (asked_.size() == kMostAsked) return nullptr;
  return &asked_.emplace(key, kai_obstacles_to(session_, pod)).first->second;
}

void KaiOutlooks::find_nodes_reason(const Job& job, PodId wanted, KaiOutlook& out) {
  const auto say = [&](KaiReason reason, std::string sentence) {
    out.reason = reason;
    out.job.sentence = std::move(sentence);
  };
  const bool asks_for_it = wanted && session_.cluster().task(wanted).status == Status::kPending;
  const auto pod = asks_for_it ? wanted : first_pending(session_, job);
  if (!pod) return say(KaiReason::kNotTried, std::string(text_of(KaiReason::kNotTried).meaning));
  if (session_.cluster().nodes_by_name().empty())
    return say(KaiReason::kNoNodes, std::string(text_of(KaiReason::kNoNodes).meaning));
  if (asks_for_it) {
    out.obstacles = kai_obstacles_to(session_, pod);
  } else if (const auto* asked = obstacles_to(pod)) {
    out.obstacles = *asked;
  } else if (!job.errors.empty()) {
    return say(KaiReason::kNoNodeFits, job.errors.front().message);
  }
  out.job.refusals = out.obstacles.refusals;
  const auto& name = session_.books().pod_key(pod);
  if (out.obstacles.too_large) return say(KaiReason::kTooLarge, "pod " + name + " asks for more than any node has");
  if (!out.obstacles.impossible.empty()) return say(KaiReason::kImpossible, "pod " + name + ": " + out.obstacles.impossible);
  const auto topology = std::ranges::find_if(job.errors, is_topology_error);
  if (topology != job.errors.end()) return say(KaiReason::kNoDomain, topology->message);
  if (job.errors.empty()) return say(KaiReason::kNotTried, std::string(text_of(KaiReason::kNotTried).meaning));
  if (out.obstacles.takers != 0)
    return say(KaiReason::kGangIncomplete, find_error(job, FitReason::kPodSchedulingErrors) != nullptr
                                               ? find_error(job, FitReason::kPodSchedulingErrors)->message
                                               : std::string(text_of(KaiReason::kGangIncomplete).meaning));
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : out.obstacles.refusals.reasons) reasons.push_back(fmt::format("{} {}", count, reason));
  say(KaiReason::kNoNodeFits,
      fmt::format("none of {} takes pod {}: {}", count_of(out.obstacles.refusals.nodes, "node"), name, listed(reasons, 3)));
}

std::vector<JobOutlook> jobs_of(std::vector<KaiOutlook> outlooks) {
  std::vector<JobOutlook> jobs;
  for (auto& outlook : outlooks) jobs.push_back(std::move(outlook.job));
  return jobs;
}

}  // namespace muster
