#include "policy/kai/actions/node_ranking.h"

#include <algorithm>
#include <cmath>

namespace muster::kai {

NodeRanking::NodeRanking(Session& session, PodId pod, const NodeSet& nodes) : session_(session), pod_(pod), nodes_(nodes) {
  of_ = session.node_classes().find(pod);
  class_ = of_;
  if (class_ == nullptr) score_all(pod);
}

void NodeRanking::score_all(PodId pod) {
  std::vector<double> totals(nodes_.size(), 0);
  session_.add_node_scores(pod, nodes_, totals);
  heap_.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (!std::isnan(totals[i])) heap_.push_back({{totals[i], 0}, session_.cluster().name_rank(nodes_[i]), nodes_[i]});
  std::make_heap(heap_.begin(), heap_.end());
}

// Most tasks go to the first node, so the others are put in order only when there is a second question.
NodeId NodeRanking::find_best() const {
  const auto& cluster = session_.cluster();
  if (nodes_.size() == cluster.nodes_by_name().size()) return class_->any() ? cluster.nodes_by_name()[class_->best()] : NodeId();
  NodeId best;
  NodeClass::Grade grade;
  std::uint32_t best_rank = 0;
  for (const auto node : nodes_) {
    const auto rank = cluster.name_rank(node);
    const auto& other = class_->grade(rank);
    if (!other.has_room()) continue;
    if (best && !other.is_better(grade) && (grade.is_better(other) || rank > best_rank)) continue;
    best = node;
    grade = other;
    best_rank = rank;
  }
  return best;
}

void NodeRanking::rank_all() {
  const auto& cluster = session_.cluster();
  for (const auto node : nodes_) {
    const auto rank = cluster.name_rank(node);
    if (node != best_ && class_->grade(rank).has_room()) heap_.push_back({class_->grade(rank), rank, node});
  }
  class_ = nullptr;
  std::make_heap(heap_.begin(), heap_.end());
}

// What a runtime needs besides is told of single pods, so it is not remembered.
void NodeRanking::tell_left_out(FitTally& out) {
  if (of_ == nullptr) return;
  if (session_.cluster().task(pod_).overhead == nullptr) return of_->lacks().tally(session_, pod_, nodes_, out);
  for (const auto node : nodes_)
    if (!session_.fits_later(pod_, node)) tell_lacks(session_, pod_, node, out);
}

NodeId NodeRanking::next() {
  if (class_ != nullptr) {
    if (!best_) {
      best_ = find_best();
      if (!best_) class_ = nullptr;
      return best_;
    }
    rank_all();
  }
  if (heap_.empty()) return NodeId();
  std::pop_heap(heap_.begin(), heap_.end());
  const auto node = heap_.back().node;
  heap_.pop_back();
  return node;
}

}  // namespace muster::kai
