#include "policy/volcano/plugins/pdb.h"

#include <algorithm>

#include "policy/volcano/session.h"

namespace muster::volcano {

void Pdb::open() {
  for (const auto& [ns, budgets] : session().cluster().budgets())
    for (const auto& [name, budget] : budgets)
      if (budget.selector && (!budget.selector->requirements.empty() || !session().behaviour().keeps(Quirk::kUnlabelledStay)))
        budgets_.push_back({&budget, budget.disruptions_allowed, budget.disruptions_allowed, false});
}

const Pdb::Matching& Pdb::matching(LabelSetId labels) {
  if (!matching_.contains(labels)) matching_.resize(session().books().label_set_count());
  auto& known = matching_[labels];
  if (known) return *known;
  known.emplace();
  const auto& set = session().books().label_set(labels);
  const auto& ns = session().books().symbols().text(set.ns);
  for (std::uint32_t i = 0; i < budgets_.size(); ++i)
    if (budgets_[i].object->meta.ns == ns && budgets_[i].object->selector->matches(set.labels)) known->push_back(i);
  return *known;
}

// Whether the budget has been charged for the pod already.
bool Pdb::is_counted(const Budget& budget, const PodRecord& pod) {
  const auto& gone = budget.object->disrupted_pods;
  return std::find(gone.begin(), gone.end(), pod.name) != gone.end();
}

bool Pdb::charge(PodId pod) {
  const auto& record = session().books().pod(pod);
  bool allowed = true;
  for (const auto i : matching(record.labels)) {
    auto& budget = budgets_[i];
    if (is_counted(budget, record)) continue;
    if (!budget.touched) {
      budget.touched = true;
      touched_.push_back(i);
    }
    if (--budget.left < 0) allowed = false;
  }
  return allowed;
}

std::vector<PodId> Pdb::within_budgets(std::span<const PodId> candidates) {
  std::vector<PodId> victims;
  for (const auto pod : candidates)
    if (may_be_asked_about(pod) && charge(pod)) victims.push_back(pod);
  for (const auto i : touched_) budgets_[i].left = budgets_[i].allowed, budgets_[i].touched = false;
  touched_.clear();
  return victims;
}

bool Pdb::may_be_asked_about(PodId pod) const {
  if (!session().behaviour().keeps(Quirk::kUnlabelledStay)) return true;
  return !session().books().label_set(session().books().pod(pod).labels).labels.empty();
}

std::vector<PodId> Pdb::victim_tasks(std::span<const PodId> running) {
  if (!session().behaviour().keeps(Quirk::kPdbNamesAll)) return {};
  return within_budgets(running);
}

void Pdb::count_eviction(PodId pod, int sign) {
  if (budgets_.empty() || session().behaviour().keeps(Quirk::kBudgetPerQuestion)) return;
  const auto& record = session().books().pod(pod);
  for (const auto i : matching(record.labels)) {
    auto& budget = budgets_[i];
    if (!is_counted(budget, record)) budget.left = budget.allowed -= sign;
  }
}

// Placements that are taken back come here, too; they leave the pod pending.
void Pdb::on_deallocate(PodId pod) {
  if (session().books().pod(pod).state == PodState::kReleasing) count_eviction(pod, +1);
}

void Pdb::on_eviction_undone(PodId pod) { count_eviction(pod, -1); }

}  // namespace muster::volcano
