#include "policy/volcano/plugins/extension_plugin.h"

namespace muster::volcano {
namespace {

Vote extension_vote(muster_vote vote) {
  if (vote == MUSTER_ABSTAIN) return Vote::kAbstain;
  return vote == MUSTER_PERMIT ? Vote::kPermit : Vote::kReject;
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
  answers(table.group_valid != nullptr, Point::kJobValid);
  answers(table.group_admissible != nullptr, Point::kJobEnqueueable);
  answers(table.predicate != nullptr, Point::kPredicate);
  answers(table.score != nullptr, Point::kNodeOrder);
  answers(table.preemptable != nullptr, Point::kPreemptable);
  answers(table.reclaimable != nullptr, Point::kReclaimable);
  return points;
}

Dependence ExtensionPlugin::predicate_dependence(PodId pod) const { return calls_.predicate_dependence(pod); }
Dependence ExtensionPlugin::order_dependence(PodId pod) const { return calls_.score_dependence(pod); }

void ExtensionPlugin::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  const auto dependence = predicate_dependence(pod);
  if (dependence == Dependence::kNothing || dependence > up_to) return;
  const auto refusal = calls_.refusal(pod, node);
  if (!refusal) return;
  const auto text = refusal->why.empty() ? "node(s) refused by plugin " + calls_.name() : refusal->why;
  verdict.push_back(session().cluster().fits().status(refusal->code, text));
}

void ExtensionPlugin::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (order_dependence(pod) != Dependence::kNothing) calls_.add_scores(pod, nodes, totals);
}

Vote ExtensionPlugin::job_enqueueable(const Job& job) { return extension_vote(calls_.admissible(job.id)); }

Ballot ExtensionPlugin::preemptable(PodId pod, std::span<const PodId> candidates) {
  return ballot(calls_.table().preemptable, pod, candidates);
}

Ballot ExtensionPlugin::reclaimable(PodId pod, std::span<const PodId> candidates) {
  return ballot(calls_.table().reclaimable, pod, candidates);
}

Ballot ExtensionPlugin::ballot(ExtensionCalls::AskVictims ask, PodId pod, std::span<const PodId> candidates) {
  auto [vote, given_up] = calls_.opinion(ask, pod, candidates);
  Ballot ballot{extension_vote(vote), std::move(given_up)};
  // Whoever protects pods and has nothing to say about these protects none of them.
  if (ballot.vote == Vote::kAbstain && protects()) ballot.victims.assign(candidates.begin(), candidates.end());
  return ballot;
}

bool ExtensionPlugin::protects() const { return (calls_.table().flags & MUSTER_PROTECTS_PODS) != 0; }

bool ExtensionPlugin::undoes_cleanly() const {
  return calls_.table().on_allocate == nullptr || (calls_.table().flags & MUSTER_UNDOES_CLEANLY) != 0;
}

}  // namespace muster::volcano
