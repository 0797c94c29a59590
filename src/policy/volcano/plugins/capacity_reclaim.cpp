// How capacity decides about taking from one queue for another.

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

// Whether the two ask for some resource in common, other than being pods.
bool compete(const Amounts& left, const Amounts& right) {
  return std::any_of(left.begin(), left.end(), [&](const Amounts::Entry& asked) {
    return asked.resource != kPodCount && asked.amount > 0 && right.get(asked.resource) > 0;
  });
}

Resource minus(Resource held, const Amounts& request) { return held.subtract(Resource(request)); }

}  // namespace

// A queue may take from others as long as it stays within what it deserves, in the original in any one resource; within a tree an
// ancestor that does speaks for it, too.
bool Capacity::preemptive(QueueId queue, std::span<const PodId> pods) {
  if (!takes_jobs(queue) || !session().cluster().queue(queue).open) return false;
  Amounts request;
  for (const auto pod : pods) request += session().books().shape_of(pod).request;
  const auto& share = shares_[queue];
  if (!within(share.real_capability, share.allocated, request)) return false;
  const auto deserves_more = [&](const QueueShare& at) {
    auto after = at.allocated;
    after.add(Resource(request));
    return any_within(after, at.deserved, request) &&
           (session().behaviour().keeps(Quirk::kOneResourceIsEnough) || !any_exceeded(after, at.deserved, request));
  };
  if (deserves_more(share)) return true;
  for (std::size_t steps = 1; tree_ && steps <= reclaim_level_; ++steps) {
    const auto ancestor = tree_->ancestor(queue, steps);
    if (!ancestor || ancestor == tree_->root()) return false;
    if (deserves_more(shares_[ancestor])) return true;
  }
  return false;
}

bool Capacity::keeps_guarantee(QueueId queue, PodId victim, HoldingsAfter& held) const {
  return less_equal(shares_[queue].guarantee, minus(held.of(queue), session().books().shape_of(victim).request), Missing::kZero);
}

// The queue holds more than it deserves of something that the victim has, or deserves nothing of what the victim has.
bool Capacity::holds_too_much(QueueId queue, PodId victim, HoldingsAfter& held) const {
  const auto& request = session().books().shape_of(victim).request;
  const auto& deserved = shares_[queue].deserved;
  return !any_limited(deserved, request) || any_exceeded(held.of(queue), deserved, request);
}

// Whether both hang below a common ancestor, not the root, among those that have a say.
bool Capacity::share_branch(QueueId left, QueueId right) const {
  for (std::size_t l = 1; l <= reclaim_level_; ++l) {
    const auto ancestor = tree_->ancestor(left, l);
    if (!ancestor || ancestor == tree_->root()) return false;
    for (std::size_t r = 1; r <= reclaim_level_; ++r) {
      const auto other = tree_->ancestor(right, r);
      if (!other) break;
      if (other == ancestor) return true;
    }
  }
  return false;
}

QueueId Capacity::ancestor_to_ask(QueueId reclaiming, QueueId of_victim, std::size_t steps) const {
  const auto ancestor = tree_->ancestor(of_victim, steps);
  return ancestor == tree_->root() || ancestor == tree_->ancestor(reclaiming, steps) ? QueueId() : ancestor;
}

bool Capacity::is_reclaimable(QueueId reclaiming, PodId reclaimer, PodId victim, HoldingsAfter& held) const {
  const auto queue = session().cluster().job_of(victim).queue;
  const auto& wanted = session().books().shape_of(reclaimer).request;
  const auto& request = session().books().shape_of(victim).request;
  if (!compete(request, wanted) || !keeps_guarantee(queue, victim, held) || !holds_too_much(queue, victim, held)) return false;
  boost::container::small_vector<QueueId, 4> leaves{queue};
  if (tree_ && reclaim_level_ > 0) {
    // Between queues of one branch that both deserve nothing of this there is nothing to settle.
    if (!any_limited(shares_[queue].deserved, request) && share_branch(reclaiming, queue) &&
        !any_limited(shares_[reclaiming].deserved, wanted))
      return false;
    for (std::size_t steps = 1; steps <= reclaim_level_ && tree_->ancestor(queue, steps); ++steps) {
      const auto ancestor = ancestor_to_ask(reclaiming, queue, steps);
      if (!ancestor) continue;
      if (!holds_too_much(ancestor, victim, held)) return false;
      leaves.push_back(ancestor);
    }
  }
  for (const auto id : leaves) held.leave(id, request);
  return true;
}

Ballot Capacity::reclaimable(PodId reclaimer, std::span<const PodId> candidates) {
  const auto& job = session().cluster().job_of(reclaimer);
  if (!job.schedulable() || !takes_jobs(job.queue)) return {Vote::kReject, {}};
  Ballot ballot{Vote::kPermit, {}};
  HoldingsAfter held(shares_);
  for (const auto victim : session().victims_in_order(job.id, {candidates.begin(), candidates.end()}))
    if (session().cluster().job_of(victim).schedulable() && is_reclaimable(job.queue, reclaimer, victim, held))
      ballot.victims.push_back(victim);
  return ballot;
}

// For a whole gang neither what it competes for nor ancestors are looked at.
Ballot Capacity::gang_evictable(const GangDemand& demand, std::span<const PodId> candidates) {
  if (demand.kind == GangDemand::Kind::kPreempt) return {Vote::kPermit, {candidates.begin(), candidates.end()}};
  if (is_stopped()) return {Vote::kReject, {}};
  Ballot ballot{Vote::kPermit, {}};
  HoldingsAfter held(shares_);
  for (const auto victim : candidates) {
    const auto& job = session().cluster().job_of(victim);
    if (!job.schedulable() || !keeps_guarantee(job.queue, victim, held) || !holds_too_much(job.queue, victim, held)) continue;
    held.leave(job.queue, session().books().shape_of(victim).request);
    ballot.victims.push_back(victim);
  }
  return ballot;
}

// Within a tree the taker's nearest relatives give first.
int Capacity::compare_victim_queues(QueueId left, QueueId right, QueueId taker) {
  if (!tree_ || !tree_->is_sound()) return 0;
  const auto l = tree_->common_depth(left, taker);
  const auto r = tree_->common_depth(right, taker);
  return l == r ? 0 : l > r ? -1 : 1;
}

}  // namespace muster::volcano
