#include "policy/kai/status_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "policy/kai/node_lacks.h"
#include "policy/kai/original_text.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr std::string_view kNoRoom = "Unable to schedule podgroup";
constexpr std::string_view kNoRoomForPod = "Unable to schedule pod";
constexpr std::size_t kLongest = 32 * 1024;  // with thousands of nodes it would be more than the API server takes
constexpr std::size_t kEventTakes = 1024;

// Who moves from pool to pool is told which one it was.
std::string where(const Job& job) { return job.backoff == 1 ? "Node-Pool '" + pool_name(job) + "': " : std::string(); }

std::string_view reason_of(const Job& job) { return job.errors.size() == 1 ? name_of(job.errors.front().reason) : kNoRoom; }

// Whole lines of it.
std::string cut(std::string text) {
  if (text.size() <= kLongest) return text;
  const auto end = text.rfind('\n', kLongest);
  text.resize(end == std::string::npos ? kLongest : end);
  return text;
}

std::string joined(const auto& texts, std::string_view separator) {
  std::string out;
  for (const auto& text : texts) out.append(out.empty() ? "" : separator).append(text);
  return out;
}

std::string all_lines(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return cut(joined(lines, ""));
}

// Each once, with how often it was said.
std::string counts_of(const Job& job) {
  if (job.errors.size() == 1 && job.errors.front().told.size() == 1) return job.errors.front().told.front();
  std::map<std::string_view, int> messages;
  for (const auto& error : job.errors)
    for (const auto& message : error.told) ++messages[message];
  std::vector<std::string> texts;
  for (const auto& [message, times] : messages)
    texts.push_back(times > 1 ? fmt::format("{} {}", times, message) : std::string(message));
  std::sort(texts.begin(), texts.end());
  return joined(texts, ". \n");
}

std::string told_once(const Job& job) {
  const auto counts = counts_of(job);
  auto out = std::string(reason_of(job));
  return counts.empty() ? out : std::move(out.append(": ").append(counts).append("."));
}

// What one node has against a pod, all of it; empty: nothing that is told.
std::string node_detail(Session& session, PodId pod, NodeId node) {
  if (!session.fits_later(pod, node)) return joined(lacks_in_detail(session, pod, node), ", ");
  const auto status = session.predicate(pod, node);
  if (status.ok()) return {};
  FitTally tally;
  session.tell_predicate(pod, node, status, tally);
  std::vector<std::string> texts;
  for (const auto& [reason, count] : tally.counts()) texts.push_back(session.fit_errors().text(reason));
  return joined(texts, ", ");
}

// Base and nodes line by line, as far as there is room; nothing: no node has anything against it any more. The base comes last, as
// in the original, but not where an event would lose it.
std::string with_nodes(Session& session, PodId pod) {
  if (session.pre_predicate(pod)) return {};
  const auto base = "\n" + session.fit_errors().base_of(pod) + ".";
  auto length = base.size();
  std::vector<std::string> lines;
  for (const auto node : session.cluster().nodes_by_name()) {
    const auto why = node_detail(session, pod, node);
    if (why.empty()) continue;
    auto line = fmt::format("\n<{}>: {}.", session.books().node(node).name, why);
    if (length + line.size() > kLongest) break;
    length += line.size();
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  std::sort(lines.begin(), lines.end());
  return length <= kEventTakes ? joined(lines, "") + base : base + joined(lines, "");
}

std::string in_detail(Session& session, PodId pod) {
  const auto& errors = session.fit_errors();
  if (!errors.has_node_reasons(pod)) return "\n" + errors.base_of(pod) + ".";
  auto detailed = with_nodes(session, pod);
  return detailed.empty() ? errors.text_of(pod) : detailed;
}

struct ToldShare {
  std::string_view name, limited, unit;
  double in;
};
ToldShare told_share(Share share) {
  switch (share) {
    case Share::kCpu: return {"CPU cores", "CPU cores", "cores", kMilliPerCore};
    case Share::kMemory: return {"GB memory", "memory", "GB", kBytesPerGb};
    case Share::kGpu: break;
  }
  return {"GPUs", "GPUs", "GPUs", 1};
}

std::string workload_name(const Job& job) { return job.ns + "/" + job.name; }

// How the queues stood of who has to leave and of who comes, or those above them where these are no siblings; a line each.
std::string shares_text(const Session& session, const Decision& decision) {
  const auto& cluster = session.cluster();
  const auto& queues = cluster.queues();
  const auto loser = cluster.job_of(decision.pod).queue, winner = cluster.job(decision.for_whom.group).queue;
  if (!winner || !loser) return {};
  const auto above = [&](QueueId queue) { return queues[queue].parent ? queues[queue].parent : queue; };
  const bool siblings = queues[winner].parent == queues[loser].parent;
  std::string text;
  for (const auto queue : {siblings ? loser : above(loser), siblings ? winner : above(winner)})
    if (const auto shares = session.tell_shares(queue); !shares.empty()) text.append("\n").append(shares);
  return text;
}

}  // namespace

std::string pool_name(const Job& job) { return job.node_pool.empty() ? "default" : job.node_pool; }

std::string unschedulable_text(const Job& job, Detail detail) {
  if (detail == Detail::kCounts) return where(job) + told_once(job);
  std::vector<std::string> lines;
  for (const auto& error : job.errors)
    lines.push_back("\n" + (error.detail.empty() ? joined(error.told, ", ") : error.detail) + ".");
  return where(job) + "\n" + std::string(reason_of(job)) + "." + all_lines(std::move(lines));
}

std::string unschedulable_text(Session& session, const Job& job, PodId pod, Detail detail) {
  const auto& errors = session.fit_errors();
  if (errors.knows(pod)) return where(job) + (detail == Detail::kAll ? in_detail(session, pod) : errors.text_of(pod));
  return where(job) + (job.errors.empty() ? std::string(kNoRoomForPod) : told_once(job));
}

std::string left_out_text(const Session& session, const Job& job, PodId pod) {
  const auto& task = session.cluster().task(pod);
  const auto& named = task.sub_group.empty() ? std::string(SubGroups::kDefault) : task.sub_group;
  const auto why = fmt::format("Pod references subgroup \"{}\", which does not exist in PodGroup {}/{}", named, job.ns, job.name);
  return where(job) + (session.cluster().options().detailed_fit_errors ? "\n" + why + "." : why);
}

std::string not_ready_text(const Job& job, const std::function<std::uint32_t(SubGroupId)>& held) {
  std::string parts;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    if (part.pods_ready()) continue;
    const auto gated = part.in(Status::kGated) - (held ? held(id) : 0);
    if (static_cast<std::int64_t>(part.alive) - gated >= part.minimum) continue;
    const bool unnamed = part.name == SubGroups::kDefault;
    parts += fmt::format(" Waiting for {} pods{}, currently {} exist, {} are gated{}", part.minimum,
                         unnamed ? "" : " for SubGroup " + part.name, part.alive, gated, unnamed ? "" : ".");
  }
  return parts.empty() ? parts : "Job is not ready for scheduling." + parts;
}

std::string stale_text(const Job& job) {
  std::int64_t active = 0, minimum = 0;
  std::string parts;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    active += part.active_used;
    minimum += part.minimum;
    if (!part.pods_satisfied() && part.name != SubGroups::kDefault)
      parts += fmt::format(", subGroup {} minMember is {} and {} pods are active", part.name, part.minimum, part.active_used);
  }
  return fmt::format("Job is stale. {} pods are active, minMember is {}{}", active, minimum, parts);
}

bool is_short_of_minimum(const Job& job, const SubGroup& part) {
  return job.is_gang() && static_cast<std::int64_t>(part.active_used) < part.minimum;
}

std::string pod_error_text(const Session& session, PodId pod, const std::string& why) {
  return "Resources were not found for pod " + session.books().pod_key(pod) + " due to: " + why;
}

std::string pod_error_text(const Session& session, const Job& job, PodId pod, std::size_t placed) {
  const auto& part = job.part(session.cluster().task(pod).pod_set);
  const auto why = session.fit_errors().text_of(pod);
  if (!is_short_of_minimum(job, part)) return pod_error_text(session, pod, why);
  if (job.groups.pod_sets().size() == 1 && part.name == SubGroups::kDefault)
    return fmt::format(
        "Resources were found for {} pods while {} are required for gang scheduling. Additional pods cannot be scheduled due to: "
        "{}",
        placed, part.minimum, why);
  return fmt::format(
      "Resources were found for {} pods from all sub-groups while sub-group {} requires {} pods for gang scheduling. Additional "
      "pods cannot be scheduled in this sub-group due to: {}",
      placed, part.name, part.minimum, why);
}

std::string delay_text(const Job& job) {
  const auto start = std::max(job.created, job.stamps.last_eviction.value_or(job.created));
  const auto delay = job.preemption_delay.value_or(0);
  const auto until = start.seconds + (start.nanos + delay) / kNanosPerSecond;
  return fmt::format("Workload is within its preemption delay window ({}) and may not trigger evictions before {}",
                     duration_text(delay), Timestamp{until, 0}.rfc3339());
}

std::string shortage_text(const QueueTree& queues, FitReason reason, const QueueShortage& shortage) {
  const auto told = told_share(shortage.share);
  const auto& name = queues[shortage.queue].display_name;
  const auto number = [&](const Quantities& amounts) { return queue_number(amounts[shortage.share], told.in); };
  if (reason == FitReason::kOverLimit)
    return fmt::format(
        "{} quota has reached the allowable limit of {}. Limit is {} {}, currently {} {} allocated and workload requested {} {}",
        name, told.limited, number(shortage.limit), told.unit, number(shortage.allocated), told.unit, number(shortage.asked),
        told.unit);
  const auto asked = shortage.share == Share::kGpu ? full_number(shortage.asked[Share::kGpu]) : number(shortage.asked);
  return fmt::format(
      "Non-preemptible workload is over quota. Workload requested {} {}, but {} quota is {} {}, while {} {} are already allocated "
      "for non-preemptible pods. Use a preemptible workload to go over quota.",
      asked, told.name, name, number(shortage.deserved), told.unit, number(shortage.allocated_fixed), told.unit);
}

QueueDetails details_of(const QueueTree& queues, const QueueShortage& shortage) {
  return {.queue = queues[shortage.queue].name,
          .requested = resource_list(shortage.requested),
          .deserved = resource_list(shortage.deserved),
          .allocated = resource_list(shortage.allocated),
          .allocated_fixed = resource_list(shortage.allocated_fixed),
          .limits = resource_list(shortage.limit),
          .group_requested = resource_list(shortage.asked),
          .group_requested_fixed = resource_list(shortage.preemptible ? Quantities() : shortage.asked)};
}

std::string eviction_text(const Session& session, const Decision& decision) {
  const auto& cluster = session.cluster();
  const auto& loser = cluster.job_of(decision.pod);
  const auto& pod = session.books().pod_key(decision.pod);
  if (decision.rule == "consolidation")
    return "Pod " + pod + " was preempted and rescheduled due to bin packing (resource consolidation) procedure";
  if (decision.rule == "stalegangeviction") {
    const auto& part = loser.part(cluster.task(decision.pod).pod_set);
    const auto which = part.name == SubGroups::kDefault ? std::string() : " in sub-group " + part.name;
    return fmt::format("Workload doesn't meet the minimum required number of pods ({}){}, evicting remaining pod: {}", part.minimum,
                       which, pod);
  }
  const auto winner = decision.for_whom.group ? workload_name(cluster.job(decision.for_whom.group)) : std::string();
  if (decision.rule == "preempt") return "Pod " + pod + " was preempted by higher priority workload " + winner;
  if (decision.rule == "reclaim")
    return fmt::format("Pod {} was preempted by workload {}.", pod, winner) + shares_text(session, decision);
  return fmt::format("Pod {} was evicted by action {}{}", pod, decision.rule, winner.empty() ? "" : " for " + winner);
}

}  // namespace muster::kai
