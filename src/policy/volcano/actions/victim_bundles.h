#pragma once

#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Candidates of one job that are only taken together: those that the job can do without, or the rest, whose loss breaks its gang.
struct VictimBundle {
  enum class Kind : std::uint8_t { kSurplus, kRest };
  Kind kind;
  GroupId job;
  std::vector<PodId> pods;
  Amounts freed;   // by these pods
  Amounts wasted;  // what the whole job holds and asks for, which breaking it costs; nothing for a surplus
};

// At most one bundle of each kind for every job that has candidates. A job that is incomplete already loses nothing more.
std::vector<VictimBundle> bundle_victims(const Session& session, std::vector<PodId> candidates);

// Puts surplus first; then whoever comes last in the order of jobs (kPreempt) or queues (kReclaim) loses first; then whose loss
// brings most of what is needed for what it destroys.
void sort_bundles(Session& session, std::vector<VictimBundle>& bundles, const GangDemand& demand, const Amounts& need);

// Leaves only pods of which all plugins permit it; a rest stays whole or goes.
std::vector<VictimBundle> permitted_bundles(Session& session, std::vector<VictimBundle> bundles, const GangDemand& demand);

}  // namespace muster::volcano
