#include "policy/volcano/plugins/proportion.h"

#include "policy/volcano/plugins/queue_refusal.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

void Proportion::open() {
  const auto& cluster = session().cluster();
  const auto unguaranteed = exceeded_part(Resource(session().books().total_allocatable()), total_guarantee(cluster));
  shares_.resize(cluster.queue_count());
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    const auto& queue = cluster.queue(id);
    if (!queue.known || queue.jobs == 0) continue;
    shares_[id].start_from(queue);
    shares_[id].real_capability = flat_capability(unguaranteed, queue);
  }
  share_out();
}

// Rounds: every queue whose wishes are not met takes its part of what remains, until nothing remains or changes.
void Proportion::share_out() {
  const auto weight = [&](QueueId id) { return static_cast<double>(session().cluster().queue(id).weight); };
  Resource remaining(session().books().total_allocatable());
  IdVector<QueueId, char> met(shares_.size());
  for (;;) {
    double total_weight = 0;
    for (const auto id : IdRange<QueueId>(shares_.size()))
      if (shares_[id].takes_part && !met[id]) total_weight += weight(id);
    if (total_weight == 0) return;

    Resource increase, decrease;
    for (const auto id : IdRange<QueueId>(shares_.size())) {
      auto& queue = shares_[id];
      if (!queue.takes_part || met[id]) continue;
      const auto before = queue.deserved;
      auto part = remaining;
      queue.deserved.add(part.scale(weight(id) / total_weight));
      queue.deserved.clamp_to(queue.real_capability, Missing::kInfinity);
      queue.deserved.clamp_to(queue.request, Missing::kZero);
      queue.deserved = max_of(queue.deserved, queue.guarantee);
      queue.update_share();
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
  return within(shares_[queue].deserved, shares_[queue].allocated, more);
}

bool Proportion::allocatable(QueueId queue, PodId pod) {
  return session().cluster().queue(queue).open && simulate_allocatable(queue, pod);
}

bool Proportion::simulate_allocatable(QueueId queue, PodId pod) {
  return stays_within(queue, session().books().shape_of(pod).request);
}

bool Proportion::preemptive(QueueId queue, std::span<const PodId> pods) {
  if (!session().cluster().queue(queue).open) return false;
  Amounts more;
  for (const auto pod : pods) more += session().books().shape_of(pod).request;
  return stays_within(queue, more);
}

Ballot Proportion::reclaimable(PodId, std::span<const PodId> candidates) {
  Ballot ballot{Vote::kPermit, {}};
  HoldingsAfter left(shares_);
  for (const auto pod : candidates) {
    const auto queue = session().cluster().job_of(pod).queue;
    if (less_equal(left.of(queue), shares_[queue].deserved, Missing::kZero)) continue;
    left.leave(queue, session().books().shape_of(pod).request);
    ballot.victims.push_back(pod);
  }
  return ballot;
}

Vote Proportion::job_enqueueable(const Job& job) {
  if (!session().cluster().queue(job.queue).open) return Vote::kReject;
  if (!job.min_resources) return Vote::kPermit;
  if (shares_[job.queue].admits(*job.min_resources)) return Vote::kPermit;
  refuse_enqueue(session(), job, "queue resource quota insufficient", "insufficient",
                 shares_[job.queue].exceeded_by(*job.min_resources, session().books()));
  return Vote::kReject;
}

void Proportion::job_enqueued(const Job& job) {
  if (!job.min_resources) return;
  shares_[job.queue].inqueue.add(Resource(without_gated(session().cluster(), job, job.min_amounts)));
}

bool Proportion::on_allocate(PodId pod) {
  const auto& job = session().cluster().job_of(pod);
  if (!job.schedulable()) return true;
  shares_[job.queue].hold(session().books().shape_of(pod).request);
  shares_[job.queue].update_share();
  return true;
}

void Proportion::on_deallocate(PodId pod) {
  const auto& job = session().cluster().job_of(pod);
  if (!job.schedulable()) return;
  shares_[job.queue].release(session().books().shape_of(pod).request);
  shares_[job.queue].update_share();
}

}  // namespace muster::volcano
