#include "policy/volcano/plugins/proportion.h"

#include <boost/container/small_vector.hpp>
#include <limits>

#include "policy/volcano/plugins/queue_refusal.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

void update_share(Proportion::Share& queue) {
  queue.share = 0;
  queue.deserved.for_each_significant(
      [&](ResourceId id, double deserved) { queue.share = std::max(queue.share, share_of(queue.allocated.get(id), deserved)); });
}

bool is_unset(const Resource& resource) { return resource == Resource(); }

// What the queue may hold at most: what others are not guaranteed, within its own limit. A limit of nothing is none.
Resource real_capability(const Resource& unguaranteed, const QueueInfo& queue) {
  auto limit = unguaranteed;
  limit.add(queue.guarantee);
  if (is_unset(queue.capability)) return limit;
  auto capability = queue.capability;
  for (const auto id : {kCpu, kMemory})
    if (capability.get(id) <= 0) capability.set(id, std::numeric_limits<double>::max());
  return limit.clamp_to(capability, Missing::kInfinity);
}

}  // namespace

void Proportion::open() {
  const auto& cluster = session().cluster();
  const Resource total(session().books().total_allocatable());
  Resource guaranteed;
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    if (cluster.queue(id).known) guaranteed.add(cluster.queue(id).guarantee);
  const auto unguaranteed = exceeded_part(total, guaranteed);

  shares_.resize(cluster.queue_count());
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    const auto& queue = cluster.queue(id);
    if (!queue.known || queue.jobs == 0) continue;
    auto& share = shares_[id];
    share.takes_part = true;
    share.weight = queue.weight;
    share.allocated = Resource(queue.sums.allocated);
    share.request = Resource(queue.sums.request);
    share.inqueue = Resource(queue.sums.inqueue);
    share.elastic = Resource(queue.sums.elastic);
    share.guarantee = queue.guarantee;
    share.real_capability = real_capability(unguaranteed, queue);
  }
  share_out();
}

// Rounds: every queue whose wishes are not met takes its part of what remains, until nothing remains or changes.
void Proportion::share_out() {
  Resource remaining(session().books().total_allocatable());
  IdVector<QueueId, char> met(shares_.size());
  for (;;) {
    double total_weight = 0;
    for (const auto id : IdRange<QueueId>(shares_.size()))
      if (shares_[id].takes_part && !met[id]) total_weight += shares_[id].weight;
    if (total_weight == 0) return;

    Resource increase, decrease;
    for (const auto id : IdRange<QueueId>(shares_.size())) {
      auto& queue = shares_[id];
      if (!queue.takes_part || met[id]) continue;
      const auto before = queue.deserved;
      auto part = remaining;
      queue.deserved.add(part.scale(queue.weight / total_weight));
      queue.deserved.clamp_to(queue.real_capability, Missing::kInfinity);
      queue.deserved.clamp_to(queue.request, Missing::kZero);
      queue.deserved = max_of(queue.deserved, queue.guarantee);
      update_share(queue);
      met[id] = less_equal(queue.request, queue.deserved, Missing::kZero) || queue.deserved == before;
      increase.add(exceeded_part(queue.deserved, before));
      decrease.add(exceeded_part(before, queue.deserved));
    }

    const auto before = remaining;
    remaining.add(decrease);
    remaining = exceeded_part(remaining, increase);
    if (remaining.is_empty() || remaining == before) return;
  }
}

int Proportion::compare_queues(QueueId left, QueueId right) {
  const auto l = session().cluster().queue(left).priority;
  const auto r = session().cluster().queue(right).priority;
  if (l != r) return l > r ? -1 : 1;
  if (shares_[left].share == shares_[right].share) return 0;
  return shares_[left].share < shares_[right].share ? -1 : 1;
}

bool Proportion::overused(QueueId queue) { return less_equal(shares_[queue].deserved, shares_[queue].allocated, Missing::kZero); }

bool Proportion::stays_within(QueueId queue, const Amounts& more) const {
  const auto& share = shares_[queue];
  for (const auto& [id, amount] : more)
    if (id != kPodCount && amount > 0 && share.allocated.get(id) + static_cast<double>(amount) > share.deserved.get(id))
      return false;
  return true;
}

bool Proportion::allocatable(QueueId queue, PodId pod) {
  return session().cluster().queue(queue).open && simulate_allocatable(queue, pod);
}

bool Proportion::simulate_allocatable(QueueId queue, PodId pod) { return stays_within(queue, session().books().shape_of(pod).request); }

bool Proportion::preemptive(QueueId queue, std::span<const PodId> pods) {
  if (!session().cluster().queue(queue).open) return false;
  Amounts more;
  for (const auto pod : pods) more += session().books().shape_of(pod).request;
  return stays_within(queue, more);
}

Ballot Proportion::reclaimable(PodId, std::span<const PodId> candidates) {
  Ballot ballot{Vote::kPermit, {}};
  boost::container::small_vector<std::pair<QueueId, Resource>, 8> left;
  for (const auto pod : candidates) {
    const auto queue = session().cluster().job_of(pod).queue;
    auto at = std::find_if(left.begin(), left.end(), [&](const auto& entry) { return entry.first == queue; });
    if (at == left.end()) at = left.insert(left.end(), {queue, shares_[queue].allocated});
    if (less_equal(at->second, shares_[queue].deserved, Missing::kZero)) continue;
    at->second.subtract(Resource(session().books().shape_of(pod).request));
    ballot.victims.push_back(pod);
  }
  return ballot;
}

Vote Proportion::job_enqueueable(const Job& job) {
  if (!session().cluster().queue(job.queue).open) return Vote::kReject;
  if (!job.min_resources) return Vote::kPermit;
  const auto& share = shares_[job.queue];
  auto wanted = *job.min_resources;
  wanted.add(share.allocated).add(share.inqueue).subtract(share.elastic);
  const auto exceeded = exceeded_dimensions(wanted, share.real_capability, *job.min_resources, session().books());
  if (exceeded.empty()) return Vote::kPermit;
  refuse_enqueue(session(), job, "queue resource quota insufficient", "insufficient", exceeded);
  return Vote::kReject;
}

void Proportion::job_enqueued(const Job& job) {
  if (!job.min_resources) return;
  shares_[job.queue].inqueue.add(Resource(without_gated(session().cluster(), job, job.min_amounts)));
}

void Proportion::change(PodId pod, bool placed) {
  const auto& job = session().cluster().job_of(pod);
  if (!job.schedulable()) return;
  auto& queue = shares_[job.queue];
  for (const auto& [id, amount] : session().books().shape_of(pod).request) {
    const auto value = static_cast<double>(amount);
    queue.allocated.set(id, queue.allocated.get(id) + (placed ? value : -value));
  }
  update_share(queue);
}

bool Proportion::on_allocate(PodId pod) {
  change(pod, true);
  return true;
}

void Proportion::on_deallocate(PodId pod) { change(pod, false); }

}  // namespace muster::volcano
