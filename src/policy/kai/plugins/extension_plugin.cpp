#include "policy/kai/plugins/extension_plugin.h"

#include <bit>
#include <limits>

#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

// Whole numbers in the order of the numbers.
std::int64_t ordered(double number) {
  if (number == 0) return 0;  // of either sign
  const auto bits = std::bit_cast<std::int64_t>(number);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}

}  // namespace

ExtensionPlugin::ExtensionPlugin(Session& session, ExtensionInstance& extension)
    : Plugin(session), seen_(std::make_unique<ExtensionSession>(session)), calls_(extension, *seen_) {}

Points ExtensionPlugin::points() const {
  Points points;
  const auto& table = calls_.table();
  const auto answers = [&](bool has, Point point) {
    if (has) points.add(point);
  };
  answers(table.group_rank != nullptr, Point::kJobOrder);
  answers(table.compare_pods != nullptr, Point::kTaskOrder);
  answers(table.compare_queues != nullptr, Point::kQueueOrder);
  answers(table.predicate != nullptr, Point::kPredicate);
  answers(table.score != nullptr, Point::kNodeOrder);
  answers(table.preemptable != nullptr, Point::kPreemptVictim);
  answers(table.reclaimable != nullptr, Point::kReclaimVictim);
  answers(table.on_allocate != nullptr, Point::kEvents);
  return points;
}

std::int64_t ExtensionPlugin::job_rank(const Job& job) const { return ordered(calls_.rank(job.id)); }

NodeScores ExtensionPlugin::node_scores(PodId pod) {
  return calls_.score_dependence(pod) == Dependence::kNothing ? NodeScores::kNone : NodeScores::kWhole;
}

void ExtensionPlugin::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (node_scores(pod) != NodeScores::kNone) calls_.add_scores(pod, nodes, totals);
}

FitStatus ExtensionPlugin::predicate(PodId pod, NodeId node) {
  const auto refusal = calls_.refusal(pod, node);
  if (!refusal) return {};
  return session().cluster().fits().status(refusal->code,
                                           refusal->why.empty() ? "refused by plugin " + calls_.name() : refusal->why);
}

bool ExtensionPlugin::reclaim_victim(Job& reclaimer, const Job& victim) {
  return gives_up(calls_.table().reclaimable, reclaimer, victim);
}
bool ExtensionPlugin::preempt_victim(Job& preemptor, const Job& victim) {
  return gives_up(calls_.table().preemptable, preemptor, victim);
}

bool ExtensionPlugin::gives_up(ExtensionCalls::AskVictims ask, Job& winner, const Job& victim) {
  std::vector<PodId> pods;
  victim.for_each_pod([&](PodId pod) {
    if (kActiveAllocated.contains(session().cluster().task(pod).status)) pods.push_back(pod);
  });
  const auto& tasks = next_tasks(session(), winner, Mode::kSimulation);
  const auto opinion = calls_.opinion(ask, tasks.empty() ? PodId() : tasks.front(), pods);
  return opinion.vote == MUSTER_ABSTAIN || (opinion.vote == MUSTER_PERMIT && opinion.given_up.size() == pods.size());
}

}  // namespace muster::kai
