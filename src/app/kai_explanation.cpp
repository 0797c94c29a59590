#include "app/kai_explanation.h"

#include <algorithm>

#include "app/explanation_subject.h"
#include "app/kai_outlook.h"
#include "base/nearest_name.h"

namespace muster {
namespace {

using kai::Cluster;
using kai::Session;
using kai::Share;
using kai::Status;

std::string key_of(const Cluster& cluster, GroupId id) {
  const auto& job = cluster.job(id);
  return (job.ns.empty() ? "?" : job.ns) + "/" + job.name;
}

NamedJobs jobs_of(const Cluster& cluster) {
  NamedJobs jobs;
  for (const auto id : IdRange<GroupId>(cluster.books().group_count())) jobs.emplace_back(id, key_of(cluster, id));
  return jobs;
}

// The jobs of a job's queue that have pods to place, in their order.
std::vector<GroupId> line_of(Session& session, GroupId job) {
  std::vector<GroupId> line;
  const auto& cluster = session.cluster();
  const auto queue = cluster.job(job).queue;
  if (!queue) return line;
  for (const auto id : cluster.listed_jobs())
    if (cluster.job(id).queue == queue && cluster.job(id).count(Status::kPending) != 0) line.push_back(id);
  std::ranges::stable_sort(line, [&](GroupId l, GroupId r) { return session.job_before(cluster.job(l), cluster.job(r)); });
  return line;
}

// What jobs hold and ask for, by queue, each with all queues below it.
struct QueueSums {
  std::vector<kai::Quantities> held, requested;

  explicit QueueSums(const Cluster& cluster) : held(cluster.queues().size()), requested(cluster.queues().size()) {
    for (const auto id : cluster.listed_jobs()) {
      const auto& job = cluster.job(id);
      const auto holds = job.held.quantities();
      const auto waits = job.waiting.quantities();
      for (auto at = job.queue; at; at = cluster.queues()[at].parent) {
        held[at.index()] += holds;
        requested[at.index()] += holds + waits;
      }
    }
  }
};

constexpr std::string_view name_of(Share share) {
  switch (share) {
    case Share::kCpu: return "cpu";
    case Share::kMemory: return "memory";
    case Share::kGpu: return "gpu";
  }
  return "";
}

// In the units that amounts are written from: everything but memory in thousandths.
double stored(Share share, double amount) { return share == Share::kGpu ? amount * 1000 : amount; }

std::optional<double> bounded(Share share, double amount) {
  return amount == kai::kUnlimited ? std::nullopt : std::optional(stored(share, amount));
}

std::vector<QueueRow> queue_rows(const Session& session, const QueueSums& sums, QueueId id) {
  std::vector<QueueRow> rows;
  const auto& queue = session.cluster().queues()[id];
  const auto& shares = session.fair_shares();
  for (const auto share : kai::kShares) {
    QueueRow row;
    row.resource = name_of(share);
    row.deserved = bounded(share, queue.quota[share]);
    if (id.index() < shares.size()) row.fair_share = bounded(share, shares[id.index()][share]);
    row.allocated = stored(share, sums.held[id.index()][share]);
    row.requested = stored(share, sums.requested[id.index()][share]);
    row.limit = bounded(share, queue.limit[share]);
    rows.push_back(std::move(row));
  }
  return rows;
}

void take_queues(const Session& session, const kai::Job& job, Explanation& out) {
  if (!job.queue) return;
  const QueueSums sums(session.cluster());
  const auto& queues = session.cluster().queues();
  out.queue = queue_rows(session, sums, job.queue);
  for (auto at = queues[job.queue].parent; at; at = queues[at].parent)
    out.above.push_back({queues[at].name, queue_rows(session, sums, at)});
}

void take_needs(const Session& session, const kai::Job& job, Explanation& out) {
  const auto& books = session.books();
  const auto waits = job.waiting.quantities();
  const std::pair<Share, ResourceId> resources[] = {
      {Share::kCpu, kCpu}, {Share::kMemory, kMemory}, {Share::kGpu, session.cluster().gpu()}};
  out.needs_of = JobNeeds::Of::kRest;
  out.needing_pods = job.count(Status::kPending);
  for (const auto& [share, resource] : resources) {
    if (waits[share] == 0) continue;
    const auto total = books.total_allocatable().get(resource);
    const auto free = std::max<std::int64_t>(total - books.total_used().get(resource), 0);
    out.needs.push_back(
        {std::string(name_of(share)), stored(share, waits[share]), static_cast<double>(free), static_cast<double>(total)});
  }
}

void take_evictions(const Cluster& cluster, const KaiRunOutcome& outcome, GroupId subject, Explanation& out) {
  for (const auto& cycle : outcome.cycles)
    for (const auto& [pod, evictor] : cycle.evicted_by) {
      const auto id = cluster.find_pod(pod);
      const auto group = id ? cluster.books().pod(id).group : GroupId();
      const Eviction eviction{pod, group ? key_of(cluster, group) : "", evictor.node, evictor.action, evictor.preemptor, ""};
      if (group == subject) out.evicted.push_back(eviction);
      if (evictor.preemptor == out.job.name) out.made_way.push_back(eviction);
    }
}

// A hint for one job, where more is known than in general.
std::string hint_for(const Session& session, const KaiOutlook& outlook) {
  std::string hint(text_of(outlook.reason).hint);
  if (outlook.reason != KaiReason::kNoQueue) return hint;
  const auto& queues = session.cluster().queues();
  std::vector<std::string_view> leaves;
  for (const auto id : IdRange<QueueId>(queues.size()))
    if (queues[id].is_leaf()) leaves.push_back(queues[id].name);
  const auto near = nearest_name(outlook.job.queue, leaves);
  return near.empty() ? hint : "did you mean queue " + near + "?";
}

}  // namespace

Result<Explanation> explain_kai(KaiOfflineRun& run, const std::string& name, const Progress& progress) {
  const auto subject = find_subject(run.cluster().books(), jobs_of(run.cluster()), name);
  if (!subject) return fail(subject.error());
  Explanation out;
  if (subject->pod) out.pod = run.cluster().books().pod_key(subject->pod);
  std::vector<GroupId> line;
  const auto at_opening = [&](Session& session) { line = line_of(session, subject->job); };
  const auto after_actions = [&](Session& session) {
    const auto& job = session.cluster().job(subject->job);
    KaiOutlooks outlooks(session);
    auto outlook = outlooks.of(job, subject->pod);
    out.code = text_of(outlook.reason).code;
    out.hint = hint_for(session, outlook);
    out.closest = std::move(outlook.obstacles.closest);
    out.messages = std::move(outlook.messages);
    out.job = std::move(outlook.job);
    take_queues(session, job, out);
    if (out.job.pending != 0) take_needs(session, job, out);
    const auto at = std::ranges::find(line, subject->job);
    if (at == line.end()) return;
    out.competitors = line.size();
    for (auto rival = line.begin(); rival != at; ++rival) {
      const auto other = outlooks.of(session.cluster().job(*rival));
      out.ahead.push_back({other.job.name, other.job.state});
    }
  };
  const auto outcome = run.run({.at_opening = at_opening, .after_actions = after_actions}, progress);
  if (!outcome) return fail(outcome.error());
  take_evictions(run.cluster(), *outcome, subject->job, out);
  return out;
}

}  // namespace muster
