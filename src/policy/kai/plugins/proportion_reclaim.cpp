// Who may take back what from whom.

#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "policy/kai/actions/scenario.h"
#include "policy/kai/next_tasks.h"
#include "policy/kai/original_text.h"
#include "policy/kai/plugins/proportion.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

using Involved = std::bitset<3>;

// How full a queue is, against its fair share.
double saturation_of(double allocated, double fair_share) {
  if (fair_share == 0) return allocated > 0 ? std::numeric_limits<double>::infinity() : 0;
  return fair_share == kUnlimited ? 0 : allocated / fair_share;
}

Involved involved_by(const Session& session, std::span<const PodId> tasks) {
  Involved involved;
  for (const auto pod : tasks) {
    const auto& request = session.books().shape_of(pod).request;
    const auto& gpu = session.cluster().task(pod).gpu;
    if (request.get(kCpu) > 0) involved.set(static_cast<std::size_t>(Share::kCpu));
    if (request.get(kMemory) > 0) involved.set(static_cast<std::size_t>(Share::kMemory));
    if (gpu.on_node() > 0 || gpu.kind == GpuKind::kMemory) involved.set(static_cast<std::size_t>(Share::kGpu));
  }
  return involved;
}

}  // namespace

std::string Proportion::tell_shares(QueueId queue) const {
  const auto& share = at_start_.contains(queue) ? at_start_[queue] : shares_[queue];
  const auto& info = session().cluster().queues()[queue];
  return fmt::format("{} uses <{}> with a quota of <{}>, fair-share of <{}> and queue priority of <{}>.", info.display_name,
                     amounts_text(share.allocated), amounts_text(share.deserved), amounts_text(share.fair_share), info.priority);
}

// What queues would have left, and of what they would have lost.
struct Proportion::Remains {
  std::map<QueueId, Quantities> amounts;
  std::map<QueueId, Involved> involved;
};

bool Proportion::can_reclaim(Job& job) {
  if (!job.queue) return false;
  const auto& request = next_request(session(), job, Mode::kSimulation);
  const auto& share = shares_[job.queue];
  if (!at_most(share.allocated + request, share.fair_share)) return false;
  return job.preemptible || at_most(share.allocated_fixed + request, share.deserved);
}

std::pair<QueueId, QueueId> Proportion::levelled(QueueId reclaimer, QueueId victim) const {
  const auto& queues = session().cluster().queues();
  const auto one = queues.path_to(reclaimer);
  const auto other = queues.path_to(victim);
  std::size_t at = 0;
  while (at + 1 < std::min(one.size(), other.size()) && one[at] == other[at]) ++at;
  return {one[at], other[at]};
}

bool Proportion::reclaim_victim(Job& reclaimer, const Job& victim) {
  const auto [a, b] = levelled(reclaimer.queue, victim.queue);
  const auto& request = next_request(session(), reclaimer, Mode::kSimulation);
  const auto& mine = shares_[a];
  const auto& theirs = shares_[b];
  if (!at_most(mine.allocated + request, mine.deserved)) return !at_most(theirs.allocated, theirs.allocatable());
  bool below = false;
  for (const auto share : kShares) {
    if (request[share] <= 0 || theirs.deserved[share] == kUnlimited) continue;
    if (theirs.allocated[share] > theirs.deserved[share]) return true;
    below |= theirs.allocated[share] < theirs.deserved[share];
  }
  return !below;
}

bool Proportion::could_reclaim(Job& reclaimer, const Job& victim, const Quantities& less) {
  const auto& queues = session().cluster().queues();
  std::vector<std::pair<QueueId, Quantities>> real;
  for (auto queue = reclaimer.queue; queue; queue = queues[queue].parent) {
    real.emplace_back(queue, shares_[queue].allocated);
    shares_[queue].allocated -= less;
  }
  const bool could = can_reclaim(reclaimer) && reclaim_victim(reclaimer, victim);
  for (const auto& [queue, allocated] : real) shares_[queue].allocated = allocated;
  return could;
}

bool Proportion::reclaim_scenario(const Scenario& scenario) {
  const auto request = next_request(session(), *scenario.preemptor, Mode::kSimulation);
  Remains remains;
  return takes_fairly(scenario, request, remains) && stays_within_bounds(*scenario.preemptor, request, remains);
}

// Each queue that loses must hold more than its share, or than its quota if the reclaimer stays within its own, before every chunk
// that it loses. Pods beyond a PodSet's minimum are chunks of their own, the others of a job are one together.
bool Proportion::takes_fairly(const Scenario& scenario, const Quantities& request, Remains& remains) const {
  const auto& cluster = session().cluster();
  const bool replaced_stay = cluster.options().allow_consolidating_reclaim;
  struct Chunk {
    Quantities amounts;
    Involved involved;
  };
  std::map<QueueId, std::vector<Chunk>> chunks;
  for (const auto& victim : scenario.victims()) {
    const auto& job = cluster.job(victim.job);
    std::map<SubGroupId, std::int32_t> seen;
    std::vector<Chunk> elastic;
    Chunk core;
    bool any_core = false;
    for (const auto pod : victim.tasks) {
      const auto& task = cluster.task(pod);
      const bool is_core = seen[task.pod_set]++ < job.part(task.pod_set).minimum;
      if (replaced_stay && kActiveAllocated.contains(task.status)) continue;
      const auto involved = involved_by(session(), std::span(&pod, 1));
      if (is_core) {
        core.amounts += task.accepted;
        core.involved |= involved;
        any_core = true;
      } else {
        elastic.push_back({task.accepted, involved});
      }
    }
    auto& of_queue = chunks[job.queue];
    of_queue.insert(of_queue.end(), elastic.begin(), elastic.end());
    if (any_core) of_queue.push_back(core);
    if (of_queue.empty()) chunks.erase(job.queue);
  }

  for (const auto& [queue, taken] : chunks) {
    const auto [a, b] = levelled(scenario.preemptor->queue, queue);
    const auto& mine = at_start_[a];
    const auto& theirs = at_start_[b];
    const bool within_quota = at_most(mine.allocated + request, mine.deserved);
    Involved involved;
    for (const auto& chunk : taken) involved |= chunk.involved;
    auto& left = remains.amounts.try_emplace(b, theirs.allocated).first->second;
    for (const auto& chunk : taken) {
      const bool beyond_share = !at_most(left, theirs.allocatable());
      const bool beyond_quota = within_quota && !at_most(left, theirs.deserved);
      if (!beyond_share && !beyond_quota) return false;
      for (auto at = queue; at; at = cluster.queues()[at].parent) {
        remains.amounts.try_emplace(at, at_start_[at].allocated).first->second -= chunk.amounts;
        remains.involved[at] |= involved;
      }
    }
  }
  return true;
}

// The reclaimer's queues must not become fuller than a sibling that loses something, nor hold more than their quota of what cannot
// be preempted.
bool Proportion::stays_within_bounds(const Job& reclaimer, const Quantities& request, Remains& remains) const {
  const auto& queues = session().cluster().queues();
  const auto asked = involved_by(session(), *reclaimer.next_tasks);
  for (auto queue = reclaimer.queue; queue; queue = queues[queue].parent) {
    const auto& mine = at_start_[queue];
    const auto known = remains.amounts.find(queue);
    const auto amounts = (known == remains.amounts.end() ? mine.allocated : known->second) + request;
    for (const auto& [sibling, left] : remains.amounts) {
      if (sibling == queue || queues[sibling].parent != queues[queue].parent) continue;
      const auto involved = remains.involved[sibling] | asked;
      const auto& theirs = at_start_[sibling];
      for (const auto share : kShares) {
        if (!involved.test(static_cast<std::size_t>(share))) continue;
        const auto my_ratio = saturation_of(amounts[share], mine.fair_share[share]);
        const auto their_ratio = saturation_of(left[share], theirs.fair_share[share]);
        if (my_ratio > 1 && theirs.fair_share[share] > 0 && my_ratio * saturation_ >= their_ratio) return false;
      }
    }
    if (!reclaimer.preemptible && !at_most(mine.allocated_fixed + request, mine.deserved)) return false;
  }
  return true;
}

}  // namespace muster::kai
