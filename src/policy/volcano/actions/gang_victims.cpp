#include "policy/volcano/actions/gang_victims.h"

#include <algorithm>

namespace muster::volcano {
namespace {

std::size_t count_pods(const std::vector<VictimBundle>& bundles) {
  std::size_t count = 0;
  for (const auto& bundle : bundles) count += bundle.pods.size();
  return count;
}

}  // namespace

std::vector<PodId> GangVictims::on(const std::vector<NodeId>& nodes) const {
  const auto& taker = session_.cluster().job(demand_.job);
  std::vector<PodId> candidates;
  for (const auto node : nodes)
    for (const auto pod : session_.books().pods_on(node))
      if (may_go(taker, pod)) candidates.push_back(pod);
  return candidates;
}

bool GangVictims::may_go(const Job& taker, PodId pod) const {
  const auto& record = session_.books().pod(pod);
  if (!record.group || !session_.cluster().task(pod).preemptable) return false;
  const auto& job = session_.cluster().job(record.group);
  if (!job.schedulable() || job.forbids_eviction()) return false;
  if (demand_.kind == GangDemand::Kind::kReclaim)
    return record.state == PodState::kRunning && job.queue != taker.queue &&
           session_.cluster().queue(job.queue).reclaimable.value_or(true);
  return (record.state == PodState::kRunning || record.state == PodState::kBound) && job.queue == taker.queue &&
         job.id != taker.id && job.priority < taker.priority;
}

GangVictims::Bundles GangVictims::bundle(std::vector<PodId> candidates, const Amounts& need, const GangRoom* room, Order order) {
  auto bundles = bundle_victims(session_, std::move(candidates), room);
  sort_bundles(session_, bundles, demand_, need);
  if (order == Order::kByNode) {
    bundles = split_surplus(std::move(bundles), *room);
    sort_by_node(session_, bundles, *room);
  }
  const auto asked = count_pods(bundles);
  bundles = permitted_bundles(session_, std::move(bundles), demand_, room);
  const bool refused = count_pods(bundles) != asked;
  if (order == Order::kByLoser) sort_bundles(session_, bundles, demand_, need);
  if (!session_.behaviour().keeps(Quirk::kHalfGangs)) leave_half_gangs(session_, bundles);
  if (gangs_ == Gangs::kStay) std::erase_if(bundles, [](const VictimBundle& b) { return b.kind == VictimBundle::Kind::kRest; });
  if (room != nullptr && order == Order::kByLoser) bundles = split_surplus(std::move(bundles), *room);
  return {std::move(bundles), refused};
}

}  // namespace muster::volcano
