#include "policy/volcano/plugins/capacity.h"

#include <fmt/format.h>
#include <limits>

#include "policy/volcano/plugins/queue_refusal.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// No limit, and by name for every scalar of the cluster.
Resource unlimited(const Resource& total) {
  Resource limit;
  for (const auto id : {kCpu, kMemory}) limit.set(id, std::numeric_limits<double>::max());
  for (const auto& scalar : total.scalars()) limit.set(scalar.id, static_cast<double>(std::numeric_limits<std::int64_t>::max()));
  return limit;
}

// Where a queue names no limit of its own, its parent's counts.
void inherit(Resource& capability, const Resource& parent) {
  for (const auto id : {kCpu, kMemory})
    if (capability.get(id) <= 0) capability.set(id, parent.get(id));
  for (const auto& scalar : parent.scalars())
    if (!capability.names(scalar.id)) capability.set(scalar.id, scalar.value);
}

}  // namespace

Capacity::Capacity(Session& session, const PluginOption& option)
    : Plugin(session),
      hierarchy_(session.config().hierarchy_enabled("capacity")),
      reclaim_level_(static_cast<std::size_t>(std::max<std::int64_t>(option.arguments.get_int("ancestorReclaimLevel", 0), 0))),
      devices_(option) {}

Points Capacity::points() const {
  return Points(Point::kQueueOrder, Point::kAllocatable, Point::kJobEnqueueable, Point::kJobEnqueued, Point::kPreemptive,
                Point::kReclaimable, Point::kGangEvictable, Point::kVictimQueueOrder);
}

// ------------------------------------------------------------------------------------------------------- opening

void Capacity::open() {
  const auto& cluster = session().cluster();
  shares_.resize(cluster.queue_count());
  ranks_.resize(cluster.queue_count());
  hierarchy_ ? open_tree() : open_flat();
  if (!is_stopped()) devices_.open(cluster, [&](QueueId queue) { return above(queue); });
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    ranks_[id] = {0, cluster.queue(id).priority, shares_[id].deserved.is_empty(), tree_ && !tree_->is_leaf(id)};
    update_share(id);
  }
}

// Who deserves nothing comes after all who do not hold yet what they deserve.
void Capacity::update_share(QueueId queue) {
  auto& share = shares_[queue];
  if (ranks_[queue].deserves_nothing)
    share.share = 1;
  else
    share.update_share();
  ranks_[queue].share = share.share;
}

void Capacity::open_flat() {
  const auto& cluster = session().cluster();
  const auto unguaranteed = exceeded_part(Resource(session().books().total_allocatable()), total_guarantee(cluster));
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    const auto& queue = cluster.queue(id);
    if (!queue.known || queue.jobs == 0) continue;
    auto& share = shares_[id];
    share.start_from(queue);
    share.real_capability = flat_capability(unguaranteed, queue);
    auto deserved = queue.deserved;
    share.deserved = max_of(deserved.clamp_to(share.real_capability, Missing::kInfinity), share.guarantee);
  }
}

void Capacity::open_tree() {
  const auto& cluster = session().cluster();
  const bool stops = session().behaviour().keeps(Quirk::kOneFaultStopsAll);
  tree_.emplace(cluster, stops ? QueueTree::Faults::kSpoilTheTree : QueueTree::Faults::kAreConfined);
  warn_of_faults();
  if (!tree_->is_sound()) return;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    if (!cluster.queue(id).known) continue;
    shares_[id].start_from(cluster.queue(id));
    shares_[id].deserved = cluster.queue(id).deserved;
    if (!stops && !tree_->takes_jobs(id)) shares_[id].inqueue = Resource();  // promised to jobs that cannot take it
  }
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    if (!stops && !tree_->hangs(id)) shares_[above(id)].add_sums_of(shares_[id]);
  const auto& order = tree_->in_order();
  for (auto id = order.rbegin(); id != order.rend(); ++id)
    if (const auto parent = tree_->parent(*id)) shares_[parent].add_sums_of(shares_[*id]);
  set_limits();
}

// For whoever runs the scheduler. The original says nothing, and the reasons of the jobs are seen by those who ask for them.
void Capacity::warn_of_faults() {
  const auto& cluster = session().cluster();
  const auto name = [&](QueueId queue) -> const std::string& { return cluster.queue(queue).name; };
  switch (tree_->fault()) {
    case QueueTree::Fault::kNoRoot: session().warn("there is no queue root, so capacity places nothing at all: create it"); return;
    case QueueTree::Fault::kNoParent:
      session().warn(
          fmt::format("the parent {} of queue {} does not exist, so capacity places nothing at all: create it, or use "
                      "--behaviour safe, in which only the jobs below wait",
                      cluster.queue(tree_->faulty_queue()).parent, name(tree_->faulty_queue())));
      return;
    case QueueTree::Fault::kJobsInside:
      session().warn(
          fmt::format("the job {} is in queue {}, which has queues below it, so capacity places nothing at all: move the "
                      "job to a leaf, or use --behaviour safe, in which only such jobs wait",
                      first_job_in(tree_->faulty_queue()), name(tree_->faulty_queue())));
      return;
    case QueueTree::Fault::kCircle:
    case QueueTree::Fault::kNone: break;
  }
  if (session().behaviour().keeps(Quirk::kOneFaultStopsAll)) return;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    if (!cluster.queue(id).known) continue;
    const auto [fault, queue] = tree_->fault_of(cluster, id);
    if (fault == QueueTree::Fault::kNoParent)
      session().warn(fmt::format("the parent {} of queue {} does not exist: the jobs of this queue and of those below it wait",
                                 cluster.queue(queue).parent, name(queue)));
    else if (fault == QueueTree::Fault::kCircle)
      session().warn(fmt::format("the parents of queue {} lead in a circle: its jobs wait", name(queue)));
    else if (fault == QueueTree::Fault::kJobsInside && cluster.queue(id).jobs != 0)
      session().warn(
          fmt::format("queue {} has queues below it, and jobs of its own, which wait: only leaves take jobs", name(queue)));
  }
}

std::string Capacity::first_job_in(QueueId queue) const {
  const auto& cluster = session().cluster();
  for (const auto id : IdRange<GroupId>(session().books().group_count()))
    if (cluster.job(id).schedulable() && cluster.job(id).queue == queue) return cluster.job(id).ns + "/" + cluster.job(id).name;
  return "";
}

// From the root down: what is left of the parent's limit beside what its other children are guaranteed, within the queue's own.
// The root has no limit but its own: jobs may ask for more than the cluster has today.
void Capacity::set_limits() {
  const auto& cluster = session().cluster();
  const auto root = tree_->root();
  auto& capability = capabilities_;
  capability.resize(cluster.queue_count());
  for (const auto id : tree_->in_order()) capability[id] = cluster.queue(id).capability;
  if (capability[root].is_empty()) capability[root] = unlimited(Resource(session().books().total_allocatable()));
  shares_[root].real_capability = capability[root];

  for (const auto id : tree_->in_order()) {
    Resource guaranteed, deserved;
    for (const auto child : tree_->children(id)) {
      auto& share = shares_[child];
      share.deserved = max_of(share.deserved, share.guarantee);
      deserved.add(share.deserved);
      guaranteed.add(share.guarantee);
      inherit(capability[child], capability[id]);
    }
    if (id == root) {
      shares_[root].guarantee = guaranteed;
      shares_[root].deserved = deserved;
    }
    if (tree_->is_leaf(id)) continue;
    const auto unguaranteed = exceeded_part(shares_[id].real_capability, guaranteed);
    for (const auto child : tree_->children(id)) {
      auto& limit = shares_[child].real_capability;
      limit = unguaranteed;
      limit.add(shares_[child].guarantee).clamp_to(capability[child], Missing::kInfinity);
    }
  }
}

// -------------------------------------------------------------------------------------------------------- orders

int Capacity::compare_shares(const Rank& left, const Rank& right) {
  if (left.share != right.share) return left.share < right.share ? -1 : 1;
  return static_cast<int>(left.deserves_nothing) - static_cast<int>(right.deserves_nothing);
}

// Leaves are compared where their branches part. What ancestors hold changes during a cycle, but not their place in this order.
int Capacity::compare_queues(QueueId left, QueueId right) {
  if (is_stopped()) return 0;
  const auto& l = ranks_[left];
  const auto& r = ranks_[right];
  if (l.priority != r.priority) return l.priority > r.priority ? -1 : 1;
  if (l.has_children != r.has_children) return l.has_children ? 1 : -1;
  if (!tree_ || l.has_children) return compare_shares(l, r);
  const auto [left_branch, right_branch] = tree_->parting(left, right);
  return compare_shares(ranks_[left_branch], ranks_[right_branch]);
}

// -------------------------------------------------------------------------------------------------------- limits

template <class F>
void Capacity::each_up_from(QueueId queue, F change) {
  for (auto at = queue; at; at = above(at)) change(at);
}

QueueId Capacity::full_queue(QueueId queue, const Amounts& more) const {
  while (queue && within(shares_[queue].real_capability, shares_[queue].allocated, more)) queue = above(queue);
  return queue;
}

bool Capacity::has_room(QueueId queue, PodId pod) const {
  return devices_.has_room(queue, pod) &&
         within(shares_[queue].real_capability, shares_[queue].allocated, session().books().shape_of(pod).request);
}

bool Capacity::admits(QueueId queue, const Job& job) {
  constexpr std::string_view kWhat = "queue resource quota insufficient";
  static const Resource kNothing;
  const auto& minimum = job.min_resources ? *job.min_resources : kNothing;
  if (!shares_[queue].admits(minimum)) {
    refuse_enqueue(session(), job, kWhat, "insufficient", shares_[queue].exceeded_by(minimum, session().books()));
    return false;
  }
  if (devices_.admits(queue, job)) return true;
  refuse_enqueue(session(), job, kWhat, "insufficient", "dra-resource-exceeded");
  return false;
}

bool Capacity::allocatable(QueueId queue, PodId pod) {
  return session().cluster().queue(queue).open && simulate_allocatable(queue, pod);
}

bool Capacity::simulate_allocatable(QueueId queue, PodId pod) {
  if (!takes_jobs(queue)) return false;
  while (queue && has_room(queue, pod)) queue = above(queue);
  return !queue;
}

Vote Capacity::job_enqueueable(const Job& job) {
  if (!takes_jobs(job.queue) || !session().cluster().queue(job.queue).open) return Vote::kReject;
  if (!job.min_resources && !devices_.concern(job)) return Vote::kPermit;
  for (auto at = job.queue; at; at = above(at))
    if (!admits(at, job)) return Vote::kReject;
  return Vote::kPermit;
}

void Capacity::job_enqueued(const Job& job) {
  if (!job.min_resources && !devices_.concern(job)) return;
  const Resource promised(without_gated(session().cluster(), job, job.min_amounts));
  each_up_from(job.queue, [&](QueueId queue) {
    shares_[queue].inqueue.add(promised);
    devices_.let_in(queue, job);
  });
}

bool Capacity::on_allocate(PodId pod) {
  const auto& job = session().cluster().job_of(pod);
  if (!job.schedulable()) return true;
  each_up_from(job.queue, [&](QueueId queue) {
    shares_[queue].hold(session().books().shape_of(pod).request);
    devices_.hold(queue, pod);
  });
  update_share(job.queue);
  return true;
}

void Capacity::on_deallocate(PodId pod) {
  const auto& job = session().cluster().job_of(pod);
  if (!job.schedulable()) return;
  each_up_from(job.queue, [&](QueueId queue) {
    shares_[queue].release(session().books().shape_of(pod).request);
    devices_.release(queue, pod);
  });
  update_share(job.queue);
}

}  // namespace muster::volcano
