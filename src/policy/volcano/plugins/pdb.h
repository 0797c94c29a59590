#pragma once

#include <optional>
#include <vector>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Gives up only pods whose disruption budgets allow it: budgets as their objects state them, less what this cycle has evicted. What
// the original does instead says Quirk: kBudgetPerQuestion, kUnlabelledStay, kPdbNamesAll.
class Pdb final : public Plugin {
 public:
  explicit Pdb(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kPreemptable, Point::kReclaimable, Point::kVictimTasks); }

  void open() override;
  bool protects() const override { return true; }
  Ballot preemptable(PodId, std::span<const PodId> candidates) override { return {Vote::kPermit, within_budgets(candidates)}; }
  Ballot reclaimable(PodId, std::span<const PodId> candidates) override { return {Vote::kPermit, within_budgets(candidates)}; }
  std::vector<PodId> victim_tasks(std::span<const PodId> running) override;
  void on_deallocate(PodId pod) override;
  void on_eviction_undone(PodId pod) override;

 private:
  struct Budget {
    const PodDisruptionBudget* object = nullptr;
    std::int64_t allowed = 0;  // before a question
    std::int64_t left = 0;     // of the question that is being answered
    bool touched = false;
  };
  using Matching = std::vector<std::uint32_t>;  // indexes of budgets

  std::vector<PodId> within_budgets(std::span<const PodId> candidates);
  bool may_be_asked_about(PodId pod) const;
  // Evictions that are decided or tried out count until they are undone.
  void count_eviction(PodId pod, int sign);
  static bool is_counted(const Budget& budget, const PodRecord& pod);
  // Whether taking the pod leaves every budget whole; the budgets are charged in either case.
  bool charge(PodId pod);
  const Matching& matching(LabelSetId labels);

  std::vector<Budget> budgets_;
  std::vector<std::uint32_t> touched_;
  IdVector<LabelSetId, std::optional<Matching>> matching_;  // found when first asked for
};

}  // namespace muster::volcano
