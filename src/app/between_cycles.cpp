#include "app/between_cycles.h"

namespace muster {
namespace {

void spend_budgets(volcano::Cluster& cluster, PodId pod) {
  const auto& books = cluster.books();
  const auto& set = books.label_set(books.pod(pod).labels);
  const auto here = cluster.budgets().find(books.symbols().text(set.ns));
  if (here == cluster.budgets().end()) return;
  std::vector<PodDisruptionBudget> spent;
  for (const auto& [name, budget] : here->second)
    if (budget.disruptions_allowed > 0 && budget.selector && budget.selector->matches(set.labels)) spent.push_back(budget);
  for (auto& budget : spent) {
    --budget.disruptions_allowed;
    cluster.apply(Object(std::move(budget)));
  }
}

std::vector<PodId> leaving_pods(const Books& books) {
  std::vector<PodId> leaving;
  for (const auto pod : IdRange<PodId>(books.pod_count()))
    if (!books.removed(pod) && books.pod(pod).terminating && books.pod(pod).state == PodState::kReleasing) leaving.push_back(pod);
  return leaving;
}

}  // namespace

Result<Between> parse_between(std::string_view text) {
  if (text.empty() || text == "none") return Between::kNothing;
  if (text == "bound-pods-run") return Between::kBoundPodsRun;
  if (text == "bound-pods-run-evicted-linger") return Between::kBoundPodsRunEvictedLinger;
  if (text == "recreate") return Between::kRecreate;
  return fail("unknown value of \"between\": \"" + std::string(text) +
              "\" (known: none, bound-pods-run, bound-pods-run-evicted-linger, recreate)");
}

void BetweenCycles::play(volcano::Cluster& cluster, const Outbox& decisions) {
  if (mode_ == Between::kNothing) return;
  if (!std::exchange(begun_, true) && budgets_ == Budgets::kSpent) lingering_ = leaving_pods(cluster.books());
  for (const auto pod : std::exchange(lingering_, {})) cluster.remove_pod(pod);
  for (const auto& decision : decisions) {
    if (decision.kind == Decision::Kind::kBind) {
      if (cluster.books().pod(decision.pod).state == PodState::kBinding) cluster.pod_runs(decision.pod);
      continue;
    }
    if (budgets_ == Budgets::kSpent) spend_budgets(cluster, decision.pod);
    if (mode_ == Between::kBoundPodsRun) {
      cluster.remove_pod(decision.pod);
    } else {
      cluster.pod_terminates(decision.pod);
      lingering_.push_back(decision.pod);
    }
  }
}

}  // namespace muster
