#include "policy/volcano/observed_search.h"

namespace muster::volcano {
namespace {

using Part = CycleObserver::Part;

class ObservedRules final : public PlacementRules {
 public:
  ObservedRules(std::unique_ptr<PlacementRules> rules, CycleObserver& observer) : rules_(std::move(rules)), observer_(observer) {}

  ClassId class_of(PodId pod) override { return rules_->class_of(pod); }
  Dependence filter_dependence(PodId pod) const override { return rules_->filter_dependence(pod); }
  void judge(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override {
    rules_->judge(pod, node, up_to, verdict);
  }
  void restrict_by_others(PodId pod, Bitset& nodes) const override { rules_->restrict_by_others(pod, nodes); }
  Dependence score_dependence(PodId pod) const override { return rules_->score_dependence(pod); }
  bool score(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override {
    const WatchedPart part(&observer_, Part::kScoring);
    return rules_->score(pod, nodes, totals);
  }
  bool has_local_part(PodId pod) const override { return rules_->has_local_part(pod); }
  void score_local_part(PodId pod, std::span<const NodeId> nodes, std::span<ScorePart> parts) override {
    const WatchedPart part(&observer_, Part::kScoring);
    rules_->score_local_part(pod, nodes, parts);
  }
  bool complete_scores(PodId pod, std::span<const NodeId> nodes, std::span<const ScorePart> parts,
                       std::span<double> totals) override {
    const WatchedPart part(&observer_, Part::kScoring);
    return rules_->complete_scores(pod, nodes, parts, totals);
  }

 private:
  std::unique_ptr<PlacementRules> rules_;
  CycleObserver& observer_;
};

class ObservedSearch final : public NodeSearch {
 public:
  ObservedSearch(std::unique_ptr<NodeSearch> search, CycleObserver& observer) : search_(std::move(search)), observer_(observer) {}

  // Whoever wants all nodes rather than one looks ahead, and looks for one later.
  const Bitset& feasible(const Query& query) override { return search_->feasible(query); }
  const Bitset& curable(const Query& query) override {
    const WatchedPart part(&observer_, Part::kSearch);
    return search_->curable(query);
  }
  bool scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override {
    const WatchedPart part(&observer_, Part::kScoring);
    return search_->scores(pod, nodes, totals);
  }
  std::optional<Choice> best(const Query& query) override {
    const WatchedPart part(&observer_, Part::kSearch);
    return search_->best(query);
  }
  void refusals(const Query& query, const std::function<void(NodeId, VerdictId)>& sink) override { search_->refusals(query, sink); }
  std::optional<std::uint64_t> refusal_stamp(const Query& query) override { return search_->refusal_stamp(query); }
  std::vector<std::pair<VerdictId, std::size_t>> refusal_counts(const Query& query) override {
    return search_->refusal_counts(query);
  }

 private:
  std::unique_ptr<NodeSearch> search_;
  CycleObserver& observer_;
};

}  // namespace

std::unique_ptr<PlacementRules> observed(std::unique_ptr<PlacementRules> rules, CycleObserver& observer) {
  return std::make_unique<ObservedRules>(std::move(rules), observer);
}

std::unique_ptr<NodeSearch> observed(std::unique_ptr<NodeSearch> search, CycleObserver& observer) {
  return std::make_unique<ObservedSearch>(std::move(search), observer);
}

}  // namespace muster::volcano
