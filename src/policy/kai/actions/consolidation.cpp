#include "policy/kai/actions/consolidation.h"

#include <algorithm>

#include "policy/kai/actions/make_room.h"
#include "policy/kai/gpu_capacity.h"
#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

bool nobody_lost_its_place(const Session& session, const Scenario& scenario) {
  const auto left = [&](PodId pod) { return session.cluster().task(pod).status == Status::kReleasing; };
  const auto victims = scenario.victims();
  return std::none_of(victims.begin(), victims.end(),
                      [&](const VictimBatch& victim) { return std::any_of(victim.tasks.begin(), victim.tasks.end(), left); });
}

}  // namespace

bool enough_gpus(Session& session, Job& job) {
  const auto& cluster = session.cluster();
  double gpus = 0;
  std::int64_t memory = 0;
  for (const auto node : cluster.nodes_by_name()) {
    if (!cluster.node_info(node).ready) continue;
    for (const auto& free : {idle_gpus(cluster, node), releasing_gpus(cluster, node)}) {
      gpus += free.gpus;
      memory += free.memory;
    }
  }
  for (const auto pod : next_tasks(session, job, Mode::kSimulation)) {
    const auto& gpu = cluster.task(pod).gpu;
    gpus -= gpu.quota();
    memory -= gpu.memory;
  }
  return gpus >= 0 && memory >= 0;
}

void consolidate(Session& session) {
  const auto most = session.cluster().options().max_consolidation_preemptees;
  if (most == 0) return;
  RoomRules rules;
  rules.action = "consolidation";
  rules.preemptible_only = true;
  rules.remembers_by_queue = false;
  rules.counts_victims = most != -1;
  rules.make_victim_filter = [&](Job& preemptor) {
    return [&, most, chosen = std::int64_t{0}](const Job& job) mutable {
      if (!job.preemptible || job.id == preemptor.id || (most != -1 && chosen > most)) return false;
      if (!job.has_places()) return false;
      ++chosen;
      return true;
    };
  };
  rules.is_allowed = [&](Job& job) { return enough_gpus(session, job); };
  rules.is_valid = [&](const Scenario& scenario) { return nobody_lost_its_place(session, scenario); };
  rules.yields = true;
  make_room(session, rules);
}

}  // namespace muster::kai
