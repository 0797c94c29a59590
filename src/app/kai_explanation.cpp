#include "app/kai_explanation.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <tuple>

#include "app/kai_eviction_outlook.h"
#include "app/kai_hint.h"
#include "app/kai_outlook.h"
#include "app/queue_rows.h"
#include "policy/kai/gpu_capacity.h"

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

// The jobs of a queue that have pods to place, in their order.
std::vector<GroupId> line_of(Session& session, QueueId queue) {
  std::vector<GroupId> line;
  const auto& cluster = session.cluster();
  for (const auto id : cluster.listed_jobs())
    if (cluster.job(id).queue == queue && cluster.job(id).count(Status::kPending) != 0) line.push_back(id);
  std::ranges::stable_sort(line, [&](GroupId l, GroupId r) { return session.job_before(cluster.job(l), cluster.job(r)); });
  return line;
}

// With memory that is asked of shared GPUs as parts of the largest one.
kai::Quantities amounts_of(const Cluster& cluster, const kai::JobSums& sums) {
  auto amounts = sums.quantities();
  if (sums.gpu_mib != 0 && cluster.most_gpu_memory() > 0)
    amounts[Share::kGpu] += static_cast<double>(sums.gpu_mib) / static_cast<double>(cluster.most_gpu_memory());
  return amounts;
}

kai::Quantities promised_to(const Cluster& cluster, const kai::Job& job) {
  kai::JobSums sums;
  job.for_each_pod([&](PodId pod) {
    if (cluster.task(pod).status == Status::kPipelined) sums.add(cluster.request_sums(pod), 1);
  });
  return amounts_of(cluster, sums);
}

// What jobs hold, were promised and ask for, by queue, each with all queues below it.
struct QueueSums {
  std::vector<kai::Quantities> held, promised, requested;

  explicit QueueSums(const Cluster& cluster)
      : held(cluster.queues().size()), promised(cluster.queues().size()), requested(cluster.queues().size()) {
    for (const auto id : cluster.listed_jobs()) {
      const auto& job = cluster.job(id);
      const auto holds = amounts_of(cluster, job.held);
      const auto gets = promised_to(cluster, job);
      const auto waits = amounts_of(cluster, job.waiting);
      for (auto at = job.queue; at; at = cluster.queues()[at].parent) {
        held[at.index()] += holds;
        promised[at.index()] += gets;
        requested[at.index()] += holds + gets + waits;
      }
    }
  }
};

constexpr std::string_view share_name(Share share) {
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
    row.resource = share_name(share);
    row.deserved = bounded(share, queue.quota[share]);
    if (id.index() < shares.size()) row.fair_share = bounded(share, shares[id.index()][share]);
    row.allocated = stored(share, sums.held[id.index()][share]);
    row.promised = stored(share, sums.promised[id.index()][share]);
    row.requested = stored(share, sums.requested[id.index()][share]);
    row.limit = bounded(share, queue.limit[share]);
    rows.push_back(std::move(row));
  }
  return rows;
}

void take_queues(const Session& session, const QueueSums& sums, const kai::Job& job, Explanation& out) {
  const auto& queues = session.cluster().queues();
  out.queue = queue_rows(session, sums, job.queue);
  for (auto at = queues[job.queue].parent; at; at = queues[at].parent)
    out.above.push_back({queues[at].name, queue_rows(session, sums, at)});
}

struct Room {
  double free = 0, total = 0;
};

// Parts of shared GPUs that are free count as such, and so do instances of parted ones for what they stand for.
Room gpus_of(const Cluster& cluster) {
  Room room;
  const auto& allocatable = cluster.books().ledgers().allocatable[cluster.gpu().index()];
  for (const auto node : cluster.nodes_by_name()) {
    const auto free = idle_gpus(cluster, node).gpus + releasing_gpus(cluster, node).gpus;
    room.free += std::max(stored(Share::kGpu, free), 0.0);
    room.total += static_cast<double>(allocatable[node.index()]) + stored(Share::kGpu, cluster.node_info(node).mig_quota);
  }
  return room;
}

// What is free or being freed, and promised to nobody, by Share.
using Rooms = std::array<Room, kai::kShares.size()>;

Room room_of(const Cluster& cluster, Share share) {
  if (share == Share::kGpu) return gpus_of(cluster);
  Room room;
  const auto r = (share == Share::kCpu ? kCpu : kMemory).index();
  const auto& ledgers = cluster.books().ledgers();
  for (const auto node : cluster.nodes_by_name()) {
    const auto n = node.index();
    const auto free = ledgers.idle[r][n] + ledgers.releasing[r][n] - ledgers.pipelined[r][n];
    room.free += static_cast<double>(std::max<std::int64_t>(free, 0));
    room.total += static_cast<double>(ledgers.allocatable[r][n]);
  }
  return room;
}

Rooms rooms_of(const Cluster& cluster) {
  Rooms out;
  for (const auto share : kai::kShares) out[static_cast<std::size_t>(share)] = room_of(cluster, share);
  return out;
}

void take_needs(const Session& session, const Rooms& rooms, const kai::Job& job, Explanation& out) {
  const auto waits = amounts_of(session.cluster(), job.waiting);
  out.needs_of = JobNeeds::Of::kRest;
  out.needing_pods = job.count(Status::kPending);
  for (const auto share : kai::kShares) {
    if (waits[share] == 0) continue;
    const auto& room = rooms[static_cast<std::size_t>(share)];
    out.needs.push_back({std::string(share_name(share)), stored(share, waits[share]), room.free, room.total});
  }
}

std::vector<Eviction> evictions_of(const Cluster& cluster, const KaiRunOutcome& outcome) {
  std::vector<Eviction> all;
  for (const auto& cycle : outcome.cycles)
    for (const auto& [pod, evictor] : cycle.evicted_by) {
      const auto id = cluster.find_pod(pod);
      const auto group = id ? cluster.books().pod(id).group : GroupId();
      auto job = group ? pod.substr(0, pod.find('/') + 1) + cluster.job(group).name : std::string();
      all.push_back({pod, std::move(job), evictor.node, evictor.action, evictor.preemptor, "", evictor.why});
    }
  return all;
}

// Whether room that others hold is what the job waits for.
bool waits_for_room(KaiReason reason) {
  return reason == KaiReason::kNoDomain || reason == KaiReason::kNoNodeFits || reason == KaiReason::kGangIncomplete ||
         reason == KaiReason::kPreemptionDelay;
}

// Whether what a node lacks is in the way: where others take the pod, only if more than one has to, and if those can be freed.
bool lacks_nodes(const KaiOutlook& outlook) {
  const auto& [closest, takers] = std::tie(outlook.obstacles.closest, outlook.obstacles.takers);
  if (takers == 0) return true;
  return outlook.reason == KaiReason::kGangIncomplete && closest && closest->freeing == Freeing::kEnough;
}

}  // namespace

std::vector<QueueView> queue_views(const Session& session) {
  const auto& queues = session.cluster().queues();
  const QueueSums sums(session.cluster());
  std::vector<QueueView> views;
  for (const auto id : IdRange<QueueId>(queues.size()))
    views.push_back({queues[id].name, queues[id].parent_name, "", queue_rows(session, sums, id)});
  std::ranges::sort(views, {}, &QueueView::name);
  return views;
}

struct KaiExplainer::Shared {
  Shared(const Cluster& cluster, std::size_t most) : most_ahead(most) {
    for (const auto id : IdRange<GroupId>(cluster.books().group_count()))
      if (cluster.books().exists(id)) names.add(id, key_of(cluster, id), cluster.job(id).workload.text());
  }

  // What the actions have left.
  struct Left {
    Left(Session& session, const RefusedBinds& refused)
        : outlooks(session, kEverybody, refused), sums(session.cluster()), rooms(rooms_of(session.cluster())) {}

    KaiOutlooks outlooks;
    const QueueSums sums;
    const Rooms rooms;
  };
  Left& left_in(Session& session, const RefusedBinds& refused) { return left ? *left : left.emplace(session, refused); }

  const Rival& rival(const KaiOutlooks& outlooks, const kai::Job& job) {
    const auto known = rivals.find(job.id);
    if (known != rivals.end()) return known->second;
    auto outlook = outlooks.standing_of(job);
    return rivals.emplace(job.id, Rival{std::move(outlook.name), outlook.state}).first->second;
  }

  const std::size_t most_ahead;
  NamedJobs names;
  QueueLines lines;  // at the opening
  std::optional<Left> left;
  boost::unordered_flat_map<GroupId, Rival, std::hash<GroupId>> rivals;
};

std::shared_ptr<KaiExplainer::Shared> KaiExplainer::shared_by_all(const Cluster& cluster, std::size_t most_ahead) {
  return std::make_shared<Shared>(cluster, most_ahead);
}

Result<KaiExplainer> KaiExplainer::find(const Cluster& cluster, const std::string& name) {
  return find(cluster, name, shared_by_all(cluster, kEverybody));
}

Result<KaiExplainer> KaiExplainer::find(const Cluster& cluster, const std::string& name, std::shared_ptr<Shared> shared) {
  const auto subject = find_subject(cluster.books(), shared->names, name);
  if (!subject) return fail(subject.error());
  KaiExplainer out;
  out.shared_ = std::move(shared);
  out.subject_ = *subject;
  if (subject->pod) out.out_.pod = cluster.books().pod_key(subject->pod);
  return out;
}

void KaiExplainer::at_opening(Session& session) {
  if (const auto queue = session.cluster().job(subject_.job).queue)
    line_ = &shared_->lines.of(queue, [&] { return line_of(session, queue); });
}

void KaiExplainer::after_actions(Session& session, const RefusedBinds& refused) {
  auto& job = session.cluster().job(subject_.job);
  auto& left = shared_->left_in(session, refused);
  auto outlook = left.outlooks.of(job, subject_.pod);
  out_.code = text_of(outlook.reason).code;
  const auto helps = kai_hint(session, job, outlook);
  out_.hint = helps.text;
  if (lacks_nodes(outlook)) out_.closest = std::move(outlook.obstacles.closest);
  out_.messages = std::move(outlook.messages);
  out_.job = std::move(outlook.job);
  if (job.queue) take_queues(session, left.sums, job, out_);
  if (out_.job.pending != 0) take_needs(session, left.rooms, job, out_);
  if (waits_for_room(outlook.reason) && helps.by_waiting) out_.chances = kai_eviction_chances(session, job);
  const auto ahead = line_ == nullptr ? std::nullopt : line_->ahead_of(subject_.job);
  if (!ahead) return;
  out_.competitors = line_->size();
  out_.place = *ahead + 1;
  for (const auto rival : line_->first(std::min(*ahead, shared_->most_ahead)))
    out_.ahead.push_back(shared_->rival(left.outlooks, session.cluster().job(rival)));
}

Explanation KaiExplainer::take(const std::vector<Eviction>& evictions) {
  take_evictions(evictions, out_);
  if (!out_.made_way.empty()) out_.chances.clear();
  return std::move(out_);
}

Result<Explanation> explain_kai(KaiOfflineRun& run, const std::string& name, const Progress& progress) {
  auto explainer = KaiExplainer::find(run.cluster(), name);
  if (!explainer) return fail(std::move(explainer.error()));
  const auto outcome = run.run({.at_opening = [&](Session& session) { explainer->at_opening(session); },
                                .after_actions = [&](Session& session) { explainer->after_actions(session); }},
                               progress);
  if (!outcome) return fail(outcome.error());
  auto out = explainer->take(evictions_of(run.cluster(), *outcome));
  out.warnings = outcome->warnings;
  return out;
}

}  // namespace muster
