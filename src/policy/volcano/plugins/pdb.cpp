#include "policy/volcano/plugins/pdb.h"

#include <algorithm>

#include "policy/volcano/session.h"

namespace muster::volcano {

void Pdb::open() {
  for (const auto& [ns, budgets] : session().cluster().budgets())
    for (const auto& [name, budget] : budgets)
      // A budget without a selector, or with an empty one, is for nobody.
      if (budget.selector && !budget.selector->requirements.empty())
        budgets_.push_back({&budget, budget.disruptions_allowed, false});
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

bool Pdb::charge(PodId pod) {
  const auto& record = session().books().pod(pod);
  bool allowed = true;
  for (const auto i : matching(record.labels)) {
    auto& budget = budgets_[i];
    const auto& gone = budget.object->disrupted_pods;
    if (std::find(gone.begin(), gone.end(), record.name) != gone.end()) continue;  // counted already
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
    if (!session().books().label_set(session().books().pod(pod).labels).labels.empty() && charge(pod)) victims.push_back(pod);
  for (const auto i : touched_) budgets_[i].left = budgets_[i].object->disruptions_allowed, budgets_[i].touched = false;
  touched_.clear();
  return victims;
}

}  // namespace muster::volcano
