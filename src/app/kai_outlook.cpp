#include "app/kai_outlook.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "app/kai_job_name.h"
#include "app/printable_text.h"
#include "base/nearest_name.h"
#include "model/time.h"
#include "policy/kai/domain_rooms.h"

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

JobState state_of(const Job& job, const JobOutlook& counts) {
  if (counts.pods != 0 && counts.succeeded + counts.failed == counts.pods) return JobState::kFinished;
  if (counts.leaving != 0 && counts.succeeded + counts.failed + counts.leaving == counts.pods) return JobState::kEnding;
  const auto promised = job.count(Status::kPipelined);
  const bool has_minimum = counts.holding != 0 && promised == 0 && job.groups.satisfied(job.groups.root());
  if (has_minimum && counts.pending == 0) return job.count(Status::kBinding) != 0 ? JobState::kPlaced : JobState::kRunning;
  if (has_minimum) return JobState::kPartial;
  return promised != 0 ? JobState::kPipelined : JobState::kWaiting;
}

// Of a set, as many members as it needs, the smallest.
std::int64_t minimum_of(const Job& job, kai::SubGroupId id) {
  const auto& part = job.part(id);
  if (part.is_pod_set) return part.minimum;
  std::vector<std::int64_t> members;
  for (const auto child : part.children) members.push_back(minimum_of(job, child));
  std::ranges::sort(members);
  const auto needed = std::min(members.size(), static_cast<std::size_t>(part.minimum));
  return std::accumulate(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(needed), std::int64_t{0});
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

// Of all domains together; those of one domain each come besides.
bool is_topology_error(const kai::JobFitError& error) {
  return error.reason == FitReason::kPodSchedulingErrors && error.message.find("topology ") != std::string::npos;
}

// What becomes of a job that runs with too few pods.
std::string stale_text(const Session& session, const Job& job) {
  const auto& actions = session.config().actions;
  const auto grace = job.staleness_grace.value_or(session.cluster().options().staleness_grace);
  if (grace < 0 || std::ranges::find(actions, "stalegangeviction") == actions.end())
    return "; those that run hold their nodes until they end";
  auto until = job.stamps.stale_since.value_or(session.now());
  until.seconds += grace / kNanosPerSecond;
  return "; those that run are evicted at " + until.rfc3339() + " unless the others come";
}

// Pods of a part that are kept back because they ask for a share of a GPU, which nobody would reserve.
std::size_t unreservable_in(const Session& session, const Job& job, kai::SubGroupId part) {
  const auto& cluster = session.cluster();
  return static_cast<std::size_t>(std::ranges::count_if(cluster.books().group(job.id).pods, [&](PodId pod) {
    const auto& task = cluster.task(pod);
    return task.pod_set == part && task.status == Status::kGated && task.facts.unreservable;
  }));
}

// "only 6 pods are left, 2 have ended, and 8 have to start together"
std::string too_few_text(const kai::SubGroup& part, const std::string& whose) {
  const auto ended = part.in(Status::kSucceeded) + part.in(Status::kFailed);
  const auto verb = ended == 0 ? (part.alive == 1 ? "exists" : "exist") : (part.alive == 1 ? "is left" : "are left");
  return fmt::format("only {}{} {}{}, and {} have to start together", count_of(part.alive, "pod"), whose, verb,
                     ended == 0 ? "" : fmt::format(", {} {} ended", ended, ended == 1 ? "has" : "have"), part.minimum);
}

}  // namespace

KaiOutlooks::KaiOutlooks(Session& session, std::size_t most_asked, const RefusedBinds& refused)
    : session_(session),
      most_asked_(most_asked),
      refused_(refused),
      has_group_(session.books().group_count()),
      takes_part_(has_group_) {
  for (const auto id : session.cluster().all_jobs()) has_group_[id.index()] = 1;
  for (const auto id : session.cluster().listed_jobs()) takes_part_[id.index()] = 1;
}

JobOutlook KaiOutlooks::standing_of(const Job& job) const {
  JobOutlook out;
  out.name = full_name(session_, job);
  out.workload = job.workload.text();
  out.queue = job.queue_name;
  out.minimum = minimum_of(job, job.groups.root());
  count_pods(job, out);
  out.state = state_of(job, out);
  return out;
}

KaiOutlook KaiOutlooks::of(const Job& job, PodId pod) {
  KaiOutlook out;
  out.job = standing_of(job);
  out.job.phase = job.conditions.empty() ? "" : job.conditions.back().type;
  for (const auto& error : job.errors) out.messages.push_back(std::string(kai::name_of(error.reason)) + ": " + error.message);
  const bool waits =
      out.job.state == JobState::kWaiting || out.job.state == JobState::kPartial || out.job.state == JobState::kPipelined;
  if (waits) find_reason(job, pod, out);
  if (out.job.state == JobState::kEnding || out.job.state == JobState::kFinished) out.job.sentence = ended_text(out.job);
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

void KaiOutlooks::count_pods(const Job& job, JobOutlook& out) const {
  std::map<std::string, std::size_t> nodes;
  const auto& cluster = session_.cluster();
  for (const auto pod : cluster.books().group(job.id).pods) {
    const auto& task = cluster.task(pod);
    ++out.pods;
    out.pending += task.status == Status::kPending || task.status == Status::kGated || task.status == Status::kPipelined;
    const bool is_refused = why_refused(pod) != nullptr;
    out.refused += is_refused;
    out.gated += task.status == Status::kGated && !is_refused;
    out.succeeded += task.status == Status::kSucceeded;
    out.failed += task.status == Status::kFailed;
    out.leaving += task.status == Status::kReleasing || task.status == Status::kStuckInReleasing;
    if (!kHolding.contains(task.status)) continue;
    ++out.holding;
    if (task.node) ++nodes[cluster.books().node(task.node).name];
  }
  out.nodes.assign(nodes.begin(), nodes.end());
}

const std::string* KaiOutlooks::why_refused(PodId pod) const {
  if (refused_.empty() || session_.cluster().task(pod).status != Status::kGated) return nullptr;
  const auto found = refused_.find(session_.books().pod_key(pod));
  return found == refused_.end() ? nullptr : &found->second;
}

KaiOutlooks::Refused KaiOutlooks::refused_of(const Job& job, kai::SubGroupId part) const {
  Refused out;
  for (const auto pod : session_.books().group(job.id).pods) {
    if (part && session_.cluster().task(pod).pod_set != part) continue;
    const auto* why = why_refused(pod);
    if (why == nullptr) continue;
    ++out.pods;
    if (out.why == nullptr) out.why = why;
  }
  return out;
}

void KaiOutlooks::find_reason(const Job& job, PodId pod, KaiOutlook& out) {
  if (!find_reason_before_nodes(job, out)) find_nodes_reason(job, pod, out);
  if (find_error(job, FitReason::kPreemptionDelayNotElapsed) != nullptr) add_delay(job, out);
}

// Room that others would have to leave is out of reach until a job's delay has passed.
void KaiOutlooks::add_delay(const Job& job, KaiOutlook& out) const {
  const bool for_want_of_room =
      out.reason == KaiReason::kNoNodeFits || out.reason == KaiReason::kGangIncomplete || out.reason == KaiReason::kNoDomain;
  if (!for_want_of_room && out.reason != KaiReason::kNotTried) return;
  auto until = std::max(job.created, job.stamps.last_eviction.value_or(job.created));
  until.seconds += job.preemption_delay.value_or(0) / kNanosPerSecond;
  const auto when = "it may not make others leave before " + until.rfc3339() + ", when its spec.preemptionDelay has passed";
  out.reason = KaiReason::kPreemptionDelay;
  out.job.sentence = for_want_of_room ? out.job.sentence + "; and " + when : when;
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
  if (find_evictions(job, out) || find_stray_pods(job, out) || find_missing_pods(job, out)) return true;
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
  return find_missing_levels(job, out);
}

// A job that had to leave as a whole in this cycle.
bool KaiOutlooks::find_evictions(const Job& job, KaiOutlook& out) const {
  if (out.job.holding != 0 || out.job.leaving == 0) return false;
  std::vector<std::string> pods, winners;
  const auto& cluster = session_.cluster();
  for (const auto& decision : session_.outbox()) {
    if (decision.kind != Decision::Kind::kEvict || session_.books().pod(decision.pod).group != job.id) continue;
    if (cluster.task(decision.pod).status != Status::kReleasing) continue;
    pods.push_back(session_.books().pod_key(decision.pod));
    if (decision.for_whom.group) winners.push_back(full_name(session_, cluster.job(decision.for_whom.group)));
  }
  if (pods.empty()) return false;
  std::ranges::sort(winners);
  winners.erase(std::unique(winners.begin(), winners.end()), winners.end());
  out.reason = KaiReason::kEvicted;
  out.job.sentence = fmt::format("{} {} evicted in this cycle{}", listed(pods, 3), pods.size() == 1 ? "was" : "were",
                                 winners.empty() ? "" : " for " + listed(winners, 3));
  return true;
}

// Pods of a sub-group that does not exist, where the job has no others to place or too few.
bool KaiOutlooks::find_stray_pods(const Job& job, KaiOutlook& out) const {
  const auto& cluster = session_.cluster();
  if (job.ready() && first_pending(session_, job)) return false;
  std::vector<std::string> pods;
  std::string named;
  for (const auto pod : cluster.books().group(job.id).pods) {
    const auto& task = cluster.task(pod);
    if (task.pod_set || task.facts.phase != kai::PodFacts::Phase::kPending) continue;
    if (pods.empty()) named = task.sub_group;
    pods.push_back(cluster.books().pod_key(pod));
  }
  if (pods.empty()) return false;
  std::vector<std::string_view> known;
  for (const auto id : job.groups.pod_sets()) known.push_back(job.part(id).name);
  const auto near = nearest_name(named, known);
  out.reason = KaiReason::kNoSubGroup;
  out.job.sentence = fmt::format(
      "its PodGroup has no sub-group {}{}, so {} left out: {}{}", named.empty() ? "for pods without a label" : named,
      known == std::vector<std::string_view>{kai::SubGroups::kDefault} ? " that counts" : "",
      pods.size() == 1 ? "this pod is" : "these pods are", listed(pods, 3), near.empty() ? "" : "; did you mean " + near + "?");
  return true;
}

bool KaiOutlooks::find_missing_levels(const Job& job, KaiOutlook& out) const {
  if (!session_.config().has_plugin("topology")) return false;
  const auto say = [&](std::string sentence) {
    out.reason = KaiReason::kNoTopology;
    out.job.sentence = std::move(sentence);
    return true;
  };
  std::vector<kai::SubGroupId> parts = {job.groups.root()};
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const auto& part = job.part(parts[at]);
    parts.insert(parts.end(), part.children.begin(), part.children.end());
    const auto& [topology, required, preferred] = part.constraint;
    if (topology.empty()) continue;
    const auto* rooms = session_.cluster().domain_rooms(topology);
    if (rooms == nullptr) return say("topology " + topology + " does not exist");
    if (required.empty() && preferred.empty()) return say("its constraint names no level of topology " + topology);
    for (const auto& level : {required, preferred})
      if (!level.empty() && !rooms->tree().depth_of(level)) return say("topology " + topology + " has no level " + level);
    if (!required.empty() && !preferred.empty() && *rooms->tree().depth_of(preferred) < *rooms->tree().depth_of(required))
      return say("the level " + preferred + " that it prefers is wider than " + required + ", which it requires");
    if (rooms->tree()[rooms->tree().root()].nodes.empty() && !session_.cluster().nodes_by_name().empty()) {
      say(fmt::format("no node has the labels of all levels of topology {}, so it has no domains", topology));
      out.reason = KaiReason::kNoLabels;
      return true;
    }
  }
  return false;
}

// Domains that are too small for what has to start together, where its pods are alike.
bool KaiOutlooks::find_small_domains(const Job& job, KaiOutlook& out) const {
  const auto& [topology, required, preferred] = job.part(job.groups.root()).constraint;
  const auto* rooms = topology.empty() || required.empty() ? nullptr : session_.cluster().domain_rooms(topology);
  const auto depth = rooms == nullptr ? std::nullopt : rooms->tree().depth_of(required);
  const auto first = first_pending(session_, job);
  if (!depth || !first) return false;
  bool alike = true;
  job.for_each_pod([&](PodId pod) {
    alike =
        alike && session_.books().pod(pod).shape == session_.books().pod(first).shape && !session_.cluster().task(pod).gpu.shared();
  });
  if (!alike) return false;
  const auto& domains = rooms->tree().at_depth(*depth);
  std::int64_t largest = 0;
  for (const auto domain : domains) {
    std::int64_t takes = 0;
    for (const auto node : rooms->tree()[domain].nodes)
      takes = std::min<std::int64_t>(out.job.minimum, takes + most_on_empty(session_, session_.books().shape_of(first), node));
    largest = std::max(largest, takes);
  }
  if (largest >= out.job.minimum || domains.empty()) return false;
  out.reason = KaiReason::kSmallDomains;
  out.job.sentence =
      fmt::format("{} have to start together, and no domain of level {} of topology {} takes more than {}, even when empty",
                  count_of(static_cast<std::size_t>(out.job.minimum), "pod"), required, topology, largest);
  return true;
}

bool KaiOutlooks::find_missing_pods(const Job& job, KaiOutlook& out) const {
  if (job.ready() || job.groups.satisfied(job.groups.root())) return false;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    if (part.pods_ready()) continue;
    const auto refused = refused_of(job, id);
    const auto gated = part.in(Status::kGated)-refused.pods;
    if (const auto pods = unreservable_in(session_, job, id); pods != 0) {
      out.reason = KaiReason::kNeedsBinder;
      out.job.sentence = fmt::format(
          "{} of {} {} for a share of a GPU, which only KAI's binder can reserve, and this scheduler binds "
          "by itself (--bind=direct)",
          pods, count_of(part.alive, "pod"), pods == 1 ? "asks" : "ask");
      return true;
    }
    if (refused.pods != 0 && part.alive - gated >= part.minimum) {
      out.reason = KaiReason::kBindRefused;
      out.job.sentence = refused_text(out.job.refused, out.job.pods, *refused.why);
      return true;
    }
    const auto whose = part.name == kai::SubGroups::kDefault ? std::string() : " of sub-group " + part.name;
    const bool by_gates = static_cast<std::int64_t>(part.alive) >= part.minimum;
    out.reason = by_gates ? KaiReason::kGated : KaiReason::kTooFewPods;
    out.job.sentence = by_gates ? fmt::format("scheduling gates hold {} of {}{} back, and {} have to start together", gated,
                                              count_of(part.alive, "pod"), whose, part.minimum)
                                : too_few_text(part, whose);
    if (!by_gates && out.job.holding != 0) {
      out.reason = KaiReason::kStale;
      out.job.sentence += stale_text(session_, job);
    }
    return true;
  }
  return false;
}

const KaiObstacles* KaiOutlooks::obstacles_to(PodId pod) {
  const auto& record = session_.books().pod(pod);
  const bool shares = session_.cluster().task(pod).gpu.shared();
  const std::pair key(record.shape.index(), shares ? record.group.index() + 1 : 0);
  if (const auto known = asked_.find(key); known != asked_.end()) return &known->second;
  if (asked_.size() >= most_asked_) return nullptr;
  return &asked_.emplace(key, kai_obstacles_to(session_, pod)).first->second;
}

void KaiOutlooks::find_nodes_reason(const Job& job, PodId wanted, KaiOutlook& out) {
  const auto say = [&](KaiReason reason, std::string sentence) {
    out.reason = reason;
    out.job.sentence = std::move(sentence);
  };
  const bool asks_for_it = wanted && session_.cluster().task(wanted).status == Status::kPending;
  const auto pod = asks_for_it ? wanted : first_pending(session_, job);
  if (const auto refused = refused_of(job); !pod && refused.pods != 0)
    return say(KaiReason::kBindRefused, refused_text(refused.pods, out.job.pods, *refused.why));
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
  if (out.obstacles.too_large) return say(KaiReason::kTooLarge, "pod " + name + " " + too_much_text(session_, pod));
  if (!out.obstacles.impossible.empty()) return say(KaiReason::kImpossible, "pod " + name + ": " + out.obstacles.impossible);
  const auto topology = std::ranges::find_if(job.errors, is_topology_error);
  if (topology != job.errors.end()) {
    if (!find_small_domains(job, out)) say(KaiReason::kNoDomain, topology->message);
    return;
  }
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
