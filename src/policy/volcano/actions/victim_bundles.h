#pragma once

#include <vector>

#include "policy/volcano/actions/gang_room.h"

namespace muster::volcano {

// Candidates of one job that are taken together. A surplus is what the job can do without, pod by pod; a sub-job that it can do
// without goes as a whole; so does the rest, whose loss breaks the gang.
struct VictimBundle {
  enum class Kind : std::uint8_t { kSurplus, kSubJob, kRest };
  Kind kind;
  GroupId job;
  std::vector<PodId> pods;
  Amounts freed;   // by these pods
  Amounts wasted;  // what the whole job holds and asks for, which breaking it costs; nothing for what it can do without
};

// For every job that has candidates at most one surplus, one rest and a bundle for each of its sub-jobs. A job that is incomplete
// already loses nothing more. If it is known where room helps, who is there comes first; nobody else is surplus, and of what goes
// as a whole some must be there; and only what is freed there counts.
std::vector<VictimBundle> bundle_victims(const Session& session, std::vector<PodId> candidates, const GangRoom* room = nullptr);

// What its loss brings of what is needed, for what it destroys.
double gain_of(const VictimBundle& bundle, const Amounts& need);
// Puts surplus first; then whoever comes last in the order of jobs (kPreempt) or queues (kReclaim) loses first; then whose loss
// brings most of what is needed for what it destroys.
void sort_bundles(Session& session, std::vector<VictimBundle>& bundles, const GangDemand& demand, const Amounts& need);
// Puts together who is on one node, the best nodes first.
void sort_by_node(const Session& session, std::vector<VictimBundle>& bundles, const GangRoom& room);

// Leaves only pods of which all plugins permit it; what goes as a whole stays whole or is left out.
std::vector<VictimBundle> permitted_bundles(Session& session, std::vector<VictimBundle> bundles, const GangDemand& demand,
                                            const GangRoom* room);

// A gang or sub-job of which some pods are in no bundle would run on without being complete: it is left its minimum.
void leave_half_gangs(const Session& session, std::vector<VictimBundle>& bundles);

// Makes a bundle of its own of every pod that its job can do without.
std::vector<VictimBundle> split_surplus(std::vector<VictimBundle> bundles, const GangRoom& room);

}  // namespace muster::volcano
