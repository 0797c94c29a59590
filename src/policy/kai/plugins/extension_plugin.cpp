#include "policy/kai/plugins/extension_plugin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "policy/kai/next_tasks.h"

namespace muster::kai {
namespace {

// Whole numbers in the order of the numbers.
std::int64_t ordered(double number) {
  if (std::isnan(number) || number == 0) return 0;  // the former would be before and after everything
  const auto bits = std::bit_cast<std::int64_t>(number);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
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
  answers(table_.predicate != nullptr, Point::kPredicate);
  answers(table_.score != nullptr, Point::kNodeOrder);
  answers(table_.preemptable != nullptr, Point::kPreemptVictim);
  answers(table_.reclaimable != nullptr, Point::kReclaimVictim);
  answers(table_.on_allocate != nullptr, Point::kEvents);
  return points;
}

void ExtensionPlugin::open() {
  if (table_.session_open != nullptr) table_.session_open(self_, seen_.get());
}

void ExtensionPlugin::close() {
  if (table_.session_close != nullptr) table_.session_close(self_, seen_.get());
}

int ExtensionPlugin::compare_queues(const QueueSide& left, const QueueSide& right) {
  return table_.compare_queues(self_, seen_.get(), handle_of(left.queue), handle_of(right.queue));
}

std::int64_t ExtensionPlugin::job_rank(const Job& job) const {
  return ordered(table_.group_rank(self_, seen_.get(), handle_of(job.id)));
}

int ExtensionPlugin::compare_tasks(PodId left, PodId right) {
  return table_.compare_pods(self_, seen_.get(), handle_of(left), handle_of(right));
}

NodeScores ExtensionPlugin::node_scores(PodId pod) {
  const bool silent = table_.score_dependence != nullptr &&
                      table_.score_dependence(self_, seen_.get(), handle_of(pod)) == MUSTER_DEPENDS_ON_NOTHING;
  return silent ? NodeScores::kNone : NodeScores::kWhole;
}

void ExtensionPlugin::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (nodes.empty() || node_scores(pod) == NodeScores::kNone) return;
  nodes_.clear();
  for (const auto node : nodes) nodes_.push_back(handle_of(node));
  scores_.assign(nodes.size(), 0.0);
  table_.score(self_, seen_.get(), handle_of(pod), nodes_.data(), nodes_.size(), scores_.data());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::isfinite(scores_[i])) totals[i] += scores_[i];
}

FitStatus ExtensionPlugin::predicate(PodId pod, NodeId node) {
  muster_text why{nullptr, 0};
  const auto fit = table_.predicate(self_, seen_.get(), handle_of(pod), handle_of(node), &why);
  if (fit == MUSTER_FITS) return {};
  auto text = text_from(why);
  if (text.empty()) text = "refused by plugin " + extension_.name();
  return session().cluster().fits().status(fit == MUSTER_NOT_NOW ? FitCode::kUnschedulable : FitCode::kUnresolvable, text);
}

bool ExtensionPlugin::reclaim_victim(Job& reclaimer, const Job& victim) { return gives_up(table_.reclaimable, reclaimer, victim); }
bool ExtensionPlugin::preempt_victim(Job& preemptor, const Job& victim) { return gives_up(table_.preemptable, preemptor, victim); }

bool ExtensionPlugin::gives_up(AskVictims ask, Job& winner, const Job& victim) {
  std::vector<muster_pod> pods;
  victim.for_each_pod([&](PodId pod) {
    if (kActiveAllocated.contains(session().cluster().task(pod).status)) pods.push_back(handle_of(pod));
  });
  const auto& tasks = next_tasks(session(), winner, Mode::kSimulation);
  const auto asker = handle_of(tasks.empty() ? PodId() : tasks.front());
  const auto given_up = std::make_unique<bool[]>(pods.size() + 1);
  const auto vote = ask(self_, seen_.get(), asker, pods.data(), pods.size(), given_up.get());
  return vote == MUSTER_ABSTAIN ||
         (vote == MUSTER_PERMIT && std::all_of(given_up.get(), given_up.get() + pods.size(), [](bool up) { return up; }));
}

void ExtensionPlugin::on_allocate(PodId pod) { table_.on_allocate(self_, seen_.get(), handle_of(pod)); }

void ExtensionPlugin::on_deallocate(PodId pod) {
  if (table_.on_deallocate != nullptr) table_.on_deallocate(self_, seen_.get(), handle_of(pod));
}

}  // namespace muster::kai
