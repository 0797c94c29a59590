#include "engine/extension/calls.h"

#include <cmath>
#include <memory>

namespace muster {
namespace {

Dependence dependence_of(muster_dependence declared) {
  switch (declared) {
    case MUSTER_DEPENDS_ON_NODE: return Dependence::kNode;
    case MUSTER_DEPENDS_ON_NOTHING: return Dependence::kNothing;
    case MUSTER_DEPENDS_ON_ANYTHING: break;
  }
  return Dependence::kOthers;  // also for numbers that mean nothing
}

}  // namespace

void ExtensionCalls::open() {
  if (table_.session_open != nullptr) table_.session_open(self_, &session_);
}

void ExtensionCalls::close() {
  if (table_.session_close != nullptr) table_.session_close(self_, &session_);
}

bool ExtensionCalls::allocated(PodId pod) {
  return table_.on_allocate == nullptr || table_.on_allocate(self_, &session_, handle_of(pod)) == MUSTER_OK;
}

void ExtensionCalls::deallocated(PodId pod) {
  if (table_.on_deallocate != nullptr) table_.on_deallocate(self_, &session_, handle_of(pod));
}

Dependence ExtensionCalls::predicate_dependence(PodId pod) const {
  if (table_.predicate_dependence == nullptr) return Dependence::kOthers;
  return dependence_of(table_.predicate_dependence(self_, &session_, handle_of(pod)));
}

Dependence ExtensionCalls::score_dependence(PodId pod) const {
  if (table_.score_dependence == nullptr) return Dependence::kOthers;
  return dependence_of(table_.score_dependence(self_, &session_, handle_of(pod)));
}

std::uint64_t ExtensionCalls::class_key(PodId pod) const {
  return table_.class_key == nullptr ? 0 : table_.class_key(self_, &session_, handle_of(pod));
}

double ExtensionCalls::rank(GroupId group) const {
  const double rank = table_.group_rank(self_, &session_, handle_of(group));
  return std::isnan(rank) ? 0 : rank;  // which would be before and after everything
}

int ExtensionCalls::compare(PodId left, PodId right) const {
  return table_.compare_pods(self_, &session_, handle_of(left), handle_of(right));
}

int ExtensionCalls::compare(QueueId left, QueueId right) const {
  return table_.compare_queues(self_, &session_, handle_of(left), handle_of(right));
}

bool ExtensionCalls::valid(GroupId group) const { return table_.group_valid(self_, &session_, handle_of(group)); }

muster_vote ExtensionCalls::admissible(GroupId group) const { return table_.group_admissible(self_, &session_, handle_of(group)); }

std::optional<ExtensionCalls::Refusal> ExtensionCalls::refusal(PodId pod, NodeId node) const {
  muster_text why{nullptr, 0};
  const auto fit = table_.predicate(self_, &session_, handle_of(pod), handle_of(node), &why);
  if (fit == MUSTER_FITS) return std::nullopt;
  return Refusal{fit == MUSTER_NOT_NOW ? FitCode::kUnschedulable : FitCode::kUnresolvable, text_from(why)};
}

void ExtensionCalls::add_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (nodes.empty()) return;
  nodes_.clear();
  for (const auto node : nodes) nodes_.push_back(handle_of(node));
  scores_.assign(nodes.size(), 0.0);
  table_.score(self_, &session_, handle_of(pod), nodes_.data(), nodes_.size(), scores_.data());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::isfinite(scores_[i])) totals[i] += scores_[i];
}

ExtensionCalls::Opinion ExtensionCalls::opinion(AskVictims ask, PodId taker, std::span<const PodId> candidates) const {
  std::vector<muster_pod> handles;
  for (const auto candidate : candidates) handles.push_back(handle_of(candidate));
  const auto gives_up = std::make_unique<bool[]>(candidates.size() + 1);
  Opinion opinion{ask(self_, &session_, handle_of(taker), handles.data(), handles.size(), gives_up.get()), {}};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (gives_up[i]) opinion.given_up.push_back(candidates[i]);
  return opinion;
}

}  // namespace muster
