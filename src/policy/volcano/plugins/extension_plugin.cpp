#include "policy/volcano/plugins/extension_plugin.h"

#include <cmath>

namespace muster::volcano {
namespace {

Dependence dependence_of(muster_dependence declared) {
  switch (declared) {
    case MUSTER_DEPENDS_ON_NODE: return Dependence::kNode;
    case MUSTER_DEPENDS_ON_NOTHING: return Dependence::kNothing;
    case MUSTER_DEPENDS_ON_ANYTHING: break;
  }
  return Dependence::kOthers;  // also for numbers that mean nothing
}

Vote vote_of(muster_vote vote) {
  if (vote == MUSTER_ABSTAIN) return Vote::kAbstain;
  return vote == MUSTER_PERMIT ? Vote::kPermit : Vote::kReject;
}

}  // namespace

ExtensionPlugin::ExtensionPlugin(Session& session, ExtensionInstance& extension)
    : Plugin(session),
      extension_(extension),
      table_(extension.plugin()),
      self_(extension.self()),
      seen_(std::make_unique<ExtensionSession>(session)) {}

Points ExtensionPlugin::points() const {
  Points points;
  const auto answers = [&](bool has, Point point) {
    if (has) points.add(point);
  };
  answers(table_.group_rank != nullptr, Point::kJobOrder);
  answers(table_.compare_pods != nullptr, Point::kTaskOrder);
  answers(table_.compare_queues != nullptr, Point::kQueueOrder);
  answers(table_.group_valid != nullptr, Point::kJobValid);
  answers(table_.group_admissible != nullptr, Point::kJobEnqueueable);
  answers(table_.predicate != nullptr, Point::kPredicate);
  answers(table_.score != nullptr, Point::kNodeOrder);
  answers(table_.preemptable != nullptr, Point::kPreemptable);
  answers(table_.reclaimable != nullptr, Point::kReclaimable);
  return points;
}

void ExtensionPlugin::open() {
  if (table_.session_open != nullptr) table_.session_open(self_, seen_.get());
}

void ExtensionPlugin::close() {
  if (table_.session_close != nullptr) table_.session_close(self_, seen_.get());
}

double ExtensionPlugin::job_rank(const Job& job) {
  const double rank = table_.group_rank(self_, seen_.get(), handle_of(job.id));
  return std::isnan(rank) ? 0 : rank;  // which would be before and after everything
}

int ExtensionPlugin::compare_tasks(PodId left, PodId right) {
  return table_.compare_pods(self_, seen_.get(), handle_of(left), handle_of(right));
}

int ExtensionPlugin::compare_queues(QueueId left, QueueId right) {
  return table_.compare_queues(self_, seen_.get(), handle_of(left), handle_of(right));
}

bool ExtensionPlugin::job_valid(const Job& job) { return table_.group_valid(self_, seen_.get(), handle_of(job.id)); }

Vote ExtensionPlugin::job_enqueueable(const Job& job) {
  return vote_of(table_.group_admissible(self_, seen_.get(), handle_of(job.id)));
}

Dependence ExtensionPlugin::predicate_dependence(PodId pod) const {
  if (table_.predicate_dependence == nullptr) return Dependence::kOthers;
  return dependence_of(table_.predicate_dependence(self_, seen_.get(), handle_of(pod)));
}

void ExtensionPlugin::predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  const auto dependence = predicate_dependence(pod);
  if (dependence == Dependence::kNothing || dependence > up_to) return;
  muster_text why{nullptr, 0};
  const auto fit = table_.predicate(self_, seen_.get(), handle_of(pod), handle_of(node), &why);
  if (fit == MUSTER_FITS) return;
  auto text = text_from(why);
  if (text.empty()) text = "node(s) refused by plugin " + extension_.name();
  const auto code = fit == MUSTER_NOT_NOW ? FitCode::kUnschedulable : FitCode::kUnresolvable;
  verdict.push_back(session().cluster().fits().status(code, text));
}

Dependence ExtensionPlugin::order_dependence(PodId pod) const {
  if (table_.score_dependence == nullptr) return Dependence::kOthers;
  return dependence_of(table_.score_dependence(self_, seen_.get(), handle_of(pod)));
}

void ExtensionPlugin::add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (nodes.empty() || order_dependence(pod) == Dependence::kNothing) return;
  nodes_.clear();
  for (const auto node : nodes) nodes_.push_back(handle_of(node));
  scores_.assign(nodes.size(), 0.0);
  table_.score(self_, seen_.get(), handle_of(pod), nodes_.data(), nodes_.size(), scores_.data());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::isfinite(scores_[i])) totals[i] += scores_[i];
}

std::uint64_t ExtensionPlugin::class_key(PodId pod) const {
  return table_.class_key == nullptr ? 0 : table_.class_key(self_, seen_.get(), handle_of(pod));
}

Ballot ExtensionPlugin::preemptable(PodId pod, std::span<const PodId> candidates) {
  return ballot(table_.preemptable, pod, candidates);
}

Ballot ExtensionPlugin::reclaimable(PodId pod, std::span<const PodId> candidates) {
  return ballot(table_.reclaimable, pod, candidates);
}

Ballot ExtensionPlugin::ballot(AskVictims ask, PodId pod, std::span<const PodId> candidates) {
  std::vector<muster_pod> handles;
  for (const auto candidate : candidates) handles.push_back(handle_of(candidate));
  const auto gives_up = std::make_unique<bool[]>(candidates.size() + 1);
  Ballot ballot{vote_of(ask(self_, seen_.get(), handle_of(pod), handles.data(), handles.size(), gives_up.get())), {}};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (gives_up[i]) ballot.victims.push_back(candidates[i]);
  // Whoever protects pods and has nothing to say about these protects none of them.
  if (ballot.vote == Vote::kAbstain && protects()) ballot.victims.assign(candidates.begin(), candidates.end());
  return ballot;
}

bool ExtensionPlugin::on_allocate(PodId pod) {
  return table_.on_allocate == nullptr || table_.on_allocate(self_, seen_.get(), handle_of(pod)) == MUSTER_OK;
}

void ExtensionPlugin::on_deallocate(PodId pod) {
  if (table_.on_deallocate != nullptr) table_.on_deallocate(self_, seen_.get(), handle_of(pod));
}

bool ExtensionPlugin::undoes_cleanly() const {
  return table_.on_allocate == nullptr || (table_.flags & MUSTER_UNDOES_CLEANLY) != 0;
}

}  // namespace muster::volcano
