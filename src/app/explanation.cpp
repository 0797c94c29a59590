#include "app/explanation.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "app/queue_rows.h"
#include "app/room_for.h"
#include "app/what_would_help.h"
#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/plugins/proportion.h"

namespace muster {
namespace {

using volcano::Capacity;
using volcano::Cluster;
using volcano::Proportion;
using volcano::Session;

// The jobs of a queue that have pods to place, in their order.
std::vector<GroupId> jobs_in_line(Session& session, QueueId queue) {
  std::vector<GroupId> line;
  const auto& cluster = session.cluster();
  cluster.open_jobs().for_each([&](std::size_t id) {
    const auto& other = cluster.job(GroupId(id));
    if (other.queue == queue && session.counts(other).of(PodState::kPending) != 0) line.push_back(other.id);
  });
  std::stable_sort(line.begin(), line.end(), [&](GroupId l, GroupId r) { return session.job_before(l, r); });
  return line;
}

bool is_worth_a_row(const Session& session, ResourceId resource) {
  return resource != kPodCount && !session.books().resource_name(resource).starts_with("attachable-volumes-");
}

// What the queue may hold: its own capability, or the smallest of those above it where the tree of queues counts.
void take_limit(const Session& session, QueueId queue, const volcano::QueueTree* tree, ResourceId resource, QueueRow& row) {
  for (auto at = queue; at; at = tree == nullptr ? QueueId() : tree->parent(at)) {
    const auto& info = session.cluster().queue(at);
    if (!info.capability.names(resource) || info.capability.get(resource) <= 0) continue;
    if (row.limit && *row.limit <= info.capability.get(resource)) continue;
    row.limit = info.capability.get(resource);
    row.limit_of = at == queue ? "" : info.name;
  }
}

// What the jobs of a queue hold, ask for and were promised.
struct QueueHoldings {
  Amounts allocated;
  Amounts requested;
  Amounts promised;

  QueueHoldings& operator+=(const QueueHoldings& other) {
    allocated += other.allocated;
    requested += other.requested;
    promised += other.promised;
    return *this;
  }
};

// Of each queue; where the tree of queues counts, with those below it, whose jobs are its own, too. The sums of the queues are up
// to date.
std::vector<QueueHoldings> holdings_of_queues(Session& session) {
  const auto& cluster = session.cluster();
  std::vector<QueueHoldings> own(cluster.queue_count());
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    own[id.index()].allocated = cluster.queue(id).sums.allocated;
    own[id.index()].requested = cluster.queue(id).sums.request;
  }
  for (const auto id : IdRange<GroupId>(cluster.job_count())) {
    if (!session.books().exists(id) || !cluster.job(id).queue) continue;
    for (const auto pod : session.books().group(id).pods)
      if (session.books().pod(pod).state == PodState::kPipelined)
        own[cluster.job(id).queue.index()].promised += session.books().shape_of(pod).request;
  }
  const auto* capacity = session.plugin<Capacity>("capacity");
  if (capacity == nullptr || capacity->tree() == nullptr) return own;
  auto all = own;
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    for (auto above = capacity->tree()->parent(id); above; above = capacity->tree()->parent(above))
      all[above.index()] += own[id.index()];
  return all;
}

std::vector<QueueRow> queue_rows(Session& session, QueueId id, const QueueHoldings& held) {
  std::vector<QueueRow> rows;
  const auto* proportion = session.plugin<Proportion>("proportion");
  const auto* capacity = session.plugin<Capacity>("capacity");
  for (const auto resource : IdRange<ResourceId>(session.books().resource_count())) {
    if (!is_worth_a_row(session, resource)) continue;
    QueueRow row;
    row.resource = session.books().resource_name(resource);
    row.allocated = static_cast<double>(held.allocated.get(resource));
    row.requested = static_cast<double>(held.requested.get(resource));
    if (capacity != nullptr) row.deserved = capacity->share_of_queue(id).deserved.get(resource);
    if (proportion != nullptr) row.deserved = proportion->share_of_queue(id).deserved.get(resource);
    row.promised = static_cast<double>(held.promised.get(resource));
    take_limit(session, id, capacity == nullptr ? nullptr : capacity->tree(), resource, row);
    if (row.allocated != 0 || row.requested != 0 || row.limit) rows.push_back(std::move(row));
  }
  return rows;
}

void take_needs(const Session& session, const volcano::Job& job, Explanation& out) {
  const auto& books = session.books();
  const auto needs = needs_of(session, job, out.job.state);
  out.needs_of = needs.of;
  out.needing_pods = needs.pods;
  for (const auto& [resource, amount] : needs.amounts) {
    if (!is_worth_a_row(session, resource) || amount == 0) continue;
    const auto total = books.total_allocatable().get(resource);
    const auto free = std::max<std::int64_t>(total - books.total_used().get(resource), 0);
    out.needs.push_back(
        {books.resource_name(resource), static_cast<double>(amount), static_cast<double>(free), static_cast<double>(total)});
  }
}

// The pod whose nodes are worth looking at: the one that they refused, or any that would need one.
PodId pod_without_node(const Session& session, const volcano::Job& job, const JobOutlook& outlook) {
  const bool refused = outlook.reason == PendingReason::kNoNodeFits || outlook.reason == PendingReason::kGangIncomplete;
  if (refused && outlook.refusals.nodes != 0) return outlook.refusals.id;
  if (outlook.reason == PendingReason::kClusterFull)
    for (const auto pod : session.books().group(job.id).pods)
      if (session.books().pod(pod).state == PodState::kPending) return pod;
  return PodId();
}

void take_hint(Session& session, const OutlookFacts& facts, const volcano::Job& job, Explanation& out) {
  NodeObstacles obstacles;
  if (const auto pod = pod_without_node(session, job, out.job)) obstacles = obstacles_to(session, pod);
  out.hint = what_would_help(session, job, facts, out.job, obstacles);
  // A node that is too small is not close where larger ones take the pod as long as the others of its job are not there.
  const bool is_far = obstacles.some_take && obstacles.closest && obstacles.closest->freeing == Freeing::kTooSmall;
  if (!is_far) out.closest = std::move(obstacles.closest);
}

// Where one pod of a job is, or why it is nowhere.
std::string place_of(const Session& session, const OutlookFacts& facts, const volcano::Job& job, PodId pod) {
  const auto& record = session.books().pod(pod);
  const auto there = record.node ? " " + session.books().node(record.node).name : std::string(" an unknown node");
  switch (record.state) {
    case PodState::kPending: break;
    case PodState::kAllocated:
    case PodState::kBinding: return "is placed on" + there;
    case PodState::kPipelined: return "has been promised a place on" + there;
    case PodState::kBound: return "is bound to" + there;
    case PodState::kRunning: return "runs on" + there;
    case PodState::kReleasing: return "is being deleted from" + there;
    case PodState::kSucceeded: return "has succeeded";
    case PodState::kFailed: return "has failed";
    case PodState::kUnknown: return "is in the phase Unknown";
  }
  const auto* note = job.notes ? job.notes->find(pod) : nullptr;
  if (const auto* why = facts.why_refused(session.books().pod_key(pod))) return "is held back: " + *why;
  if (record.gated) return "is held back by scheduling gates";
  return note != nullptr && note->last && note->last->had_room ? "found a node and gave it back" : "has no node";
}

// Whether nodes still take the pods that found one and gave it back.
bool still_fits(Session& session, const volcano::Job& job) {
  std::vector<PodId> pods;
  for (const auto pod : session.books().group(job.id).pods) {
    const auto* note = job.notes && session.books().pod(pod).state == PodState::kPending ? job.notes->find(pod) : nullptr;
    if (note != nullptr && note->last && note->last->had_room) pods.push_back(pod);
  }
  return room_for(session, pods);
}

// Whether room that others hold is what the job waits for.
bool waits_for_room(PendingReason reason) {
  switch (reason) {
    case PendingReason::kAllAtOnce:
    case PendingReason::kNoDomain:
    case PendingReason::kNoNodeFits:
    case PendingReason::kGangIncomplete:
    case PendingReason::kClusterFull:
    case PendingReason::kQueueShare:
    case PendingReason::kQueueFull: return true;
    default: return false;
  }
}

std::vector<Eviction> evictions_of(const std::vector<VolcanoCycle>& cycles) {
  std::vector<Eviction> all;
  for (const auto& cycle : cycles) all.insert(all.end(), cycle.evictions.begin(), cycle.evictions.end());
  return all;
}

}  // namespace

void take_evictions(const std::vector<Eviction>& evictions, Explanation& out) {
  for (const auto& eviction : evictions) {
    if (eviction.job == out.job.name) out.evicted.push_back(eviction);
    if (eviction.for_job == out.job.name) out.made_way.push_back(eviction);
  }
}

std::vector<QueueView> queue_views(Session& session) {
  session.cluster().refresh();
  const auto& cluster = session.cluster();
  const auto held = holdings_of_queues(session);
  std::vector<QueueView> views;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    const auto& queue = cluster.queue(id);
    if (!queue.known) continue;
    views.push_back({queue.name, queue.parent, queue.open ? "Open" : "Closed", queue_rows(session, id, held[id.index()])});
  }
  std::ranges::sort(views, {}, &QueueView::name);
  return views;
}

struct Explainer::Shared {
  Shared(const Cluster& cluster, std::size_t most) : most_ahead(most) {
    for (const auto id : IdRange<GroupId>(cluster.job_count()))
      if (cluster.books().exists(id)) names.add(id, cluster.books().group(id).name, cluster.job(id).workload.text());
  }

  const OutlookFacts& facts_of(Session& session, const RefusedBinds& refused) {
    return facts ? *facts : facts.emplace(session, refused);
  }

  const QueueHoldings& holdings_of(Session& session, QueueId queue) {
    if (holdings.empty()) {
      session.cluster().refresh();
      holdings = holdings_of_queues(session);
    }
    return holdings[queue.index()];
  }

  const Rival& rival(Session& session, GroupId job) {
    const auto known = rivals.find(job);
    if (known != rivals.end()) return known->second;
    auto outlook = standing_of(session, session.cluster().job(job));
    return rivals.emplace(job, Rival{std::move(outlook.name), outlook.state}).first->second;
  }

  const std::size_t most_ahead;
  NamedJobs names;
  QueueLines lines;  // at the opening; the rest is of what the actions have left
  std::optional<OutlookFacts> facts;
  std::vector<QueueHoldings> holdings;
  boost::unordered_flat_map<GroupId, Rival, std::hash<GroupId>> rivals;
};

std::shared_ptr<Explainer::Shared> Explainer::shared_by_all(const Cluster& cluster, std::size_t most_ahead) {
  return std::make_shared<Shared>(cluster, most_ahead);
}

Result<Explainer> Explainer::find(const Cluster& cluster, const std::string& name) {
  return find(cluster, name, shared_by_all(cluster, kEverybody));
}

Result<Explainer> Explainer::find(const Cluster& cluster, const std::string& name, std::shared_ptr<Shared> shared) {
  const auto subject = find_subject(cluster.books(), shared->names, name);
  if (!subject) return fail(subject.error());
  Explainer out;
  out.shared_ = std::move(shared);
  out.subject_ = *subject;
  if (subject->pod) out.out_.pod = cluster.books().pod_key(subject->pod);
  return out;
}

void Explainer::at_opening(Session& session) {
  if (const auto queue = session.cluster().job(subject_.job).queue)
    line_ = &shared_->lines.of(queue, [&] { return jobs_in_line(session, queue); });
}

void Explainer::after_actions(Session& session, const RefusedBinds& refused) {
  const auto& facts = shared_->facts_of(session, refused);
  const auto& job = session.cluster().job(subject_.job);
  out_.job = outlook_of(session, job, facts, subject_.pod);
  if (subject_.pod && session.books().group(job.id).pods.size() > 1) out_.pod_place = place_of(session, facts, job, subject_.pod);
  out_.code = text_of(out_.job.reason).code;
  if (job.queue) out_.queue = queue_rows(session, job.queue, shared_->holdings_of(session, job.queue));
  if (out_.job.pending != 0) take_needs(session, job, out_);
  take_hint(session, facts, job, out_);
  out_.room_is_gone = out_.job.would_fit != 0 && !still_fits(session, job);
  if (waits_for_room(out_.job.reason)) out_.chances = eviction_chances(session, job);
  const auto ahead = line_ == nullptr ? std::nullopt : line_->ahead_of(subject_.job);
  if (!ahead) return;
  out_.competitors = line_->size();
  out_.place = *ahead + 1;
  for (const auto rival : line_->first(std::min(*ahead, shared_->most_ahead))) out_.ahead.push_back(shared_->rival(session, rival));
}

Explanation Explainer::take(const std::vector<Eviction>& evictions) {
  take_evictions(evictions, out_);
  return std::move(out_);
}

Result<Explanation> explain(OfflineRun& run, const std::string& name, const Progress& progress) {
  auto explainer = Explainer::find(run.cluster(), name);
  if (!explainer) return fail(std::move(explainer.error()));
  const auto cycles = run.run({.at_opening = [&](Session& session) { explainer->at_opening(session); },
                               .after_actions = [&](Session& session) { explainer->after_actions(session); }},
                              progress);
  auto out = explainer->take(evictions_of(cycles));
  out.warnings = warnings_of(cycles);
  return out;
}

}  // namespace muster
