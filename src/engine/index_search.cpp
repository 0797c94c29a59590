// The fast path: answers are remembered per class of pods, and only changed nodes are asked again. Gives what the reference gives.

#include <algorithm>

#include "engine/class_index.h"
#include "engine/node_search.h"
#include "engine/resource_fit.h"

namespace muster {

// One index per class, and one more per class for questions that leave resources aside.
class IndexMemory {
 public:
  ClassIndex& of(ClassId id, bool ignore_resources) {
    auto& list = lists_[ignore_resources ? 1 : 0];
    if (list.size() <= id.index()) list.resize(id.index() + 1);
    if (!list[id]) list[id] = std::make_unique<ClassIndex>();
    return *list[id];
  }

  std::uint64_t versions = 0;

 private:
  std::array<IdVector<ClassId, std::unique_ptr<ClassIndex>>, 2> lists_;
};

std::shared_ptr<IndexMemory> make_index_memory() { return std::make_shared<IndexMemory>(); }

namespace {

class IndexSearch final : public NodeSearch {
 public:
  IndexSearch(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work, std::shared_ptr<IndexMemory> memory)
      : books_(books),
        rules_(rules),
        work_(work),
        fit_(books, fits),
        memory_(std::move(memory)),
        source_{books, fits, rules, fit_, work, memory_->versions},
        reference_(make_reference_search(books, fits, rules, work)) {}

  const Bitset& feasible(const Query& query) override {
    const auto dependence = rules_.filter_dependence(query.pod);
    if (dependence == Dependence::kHistory) return reference_->feasible(query);
    auto& index = fresh_index(query);
    nodes_ = index.now();
    nodes_ |= index.later();
    narrow(query, dependence, nodes_);
    return nodes_;
  }

  const Bitset& curable(const Query& query) override {
    const auto dependence = rules_.filter_dependence(query.pod);
    if (dependence > Dependence::kNode) return reference_->curable(query);
    auto& index = fresh_index(query);
    nodes_ = index.curable();
    narrow(query, dependence, nodes_);
    return nodes_;
  }

  bool scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override {
    if (rules_.score_dependence(pod) > Dependence::kNode) return reference_->scores(pod, nodes, totals);
    Query query;
    query.pod = pod;
    query.ignore_resources = true;
    auto& index = fresh_index(query);
    index.refresh_scores(source_, pod);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!index.has_score(nodes[i].index())) return reference_->scores(pod, nodes, totals);
      totals[i] = index.score(nodes[i].index());
    }
    return true;
  }

  std::optional<Choice> best(const Query& query) override {
    const auto dependence = rules_.filter_dependence(query.pod);
    if (dependence == Dependence::kHistory) return reference_->best(query);
    ++work_.searches;
    auto& index = fresh_index(query);
    const bool remembered = rules_.score_dependence(query.pod) <= Dependence::kNode;
    if (remembered) index.refresh_scores(source_, query.pod);
    in_part_ = !remembered && rules_.has_local_part(query.pod);
    if (in_part_) index.refresh_parts(source_, query.pod);
    // Excluding nodes that would not do anyway changes nothing.
    const bool excludes =
        query.excluded != nullptr && (index.now().intersects(*query.excluded) || index.later().intersects(*query.excluded));
    const bool plain = dependence <= Dependence::kNode && query.nodes == nullptr && !excludes;
    if (plain && remembered && query.preferred == nullptr)
      if (const auto node = index.best()) return Choice{node, When::kNow};

    for (const auto when : {When::kNow, When::kLater}) {
      nodes_ = when == When::kNow ? index.now() : index.later();
      narrow(query, dependence, nodes_);
      if (!nodes_.any()) continue;
      const bool use_index = (remembered || in_part_) && when == When::kNow;
      if (query.preferred == nullptr) {
        if (const auto node = best_of(query.pod, nodes_, use_index ? &index : nullptr)) return Choice{node, when};
        continue;
      }
      auto first = nodes_;
      first &= *query.preferred;
      if (const auto node = best_of(query.pod, first, use_index ? &index : nullptr)) return Choice{node, when};
      nodes_.subtract(*query.preferred);
      if (const auto node = best_of(query.pod, nodes_, use_index ? &index : nullptr)) return Choice{node, when};
    }
    return std::nullopt;
  }

  void refusals(const Query& query, const std::function<void(NodeId, VerdictId)>& sink) override {
    if (rules_.filter_dependence(query.pod) > Dependence::kNode) return reference_->refusals(query, sink);
    auto& index = fresh_index(query);
    const auto tell = [&](NodeId node) {
      ++work_.nodes_scanned;
      const auto verdict = index.verdict(node);
      if (verdict && verdict != FitTable::fits() && asked(query, node)) sink(node, verdict);
    };
    if (query.nodes != nullptr)
      query.nodes->for_each([&](std::size_t n) { tell(NodeId(n)); });
    else
      for (const auto node : IdRange<NodeId>(books_.node_count())) tell(node);
  }

  std::vector<std::pair<VerdictId, std::size_t>> refusal_counts(const Query& query) override {
    if (rules_.filter_dependence(query.pod) > Dependence::kNode) return reference_->refusal_counts(query);
    if (query.nodes == nullptr && query.excluded == nullptr) {
      const auto& counts = fresh_index(query).refusals();
      return {counts.begin(), counts.end()};
    }
    boost::container::flat_map<VerdictId, std::size_t> counts;
    refusals(query, [&](NodeId, VerdictId verdict) { ++counts[verdict]; });
    return {counts.begin(), counts.end()};
  }

  std::optional<std::uint64_t> refusal_stamp(const Query& query) override {
    if (rules_.filter_dependence(query.pod) > Dependence::kNode || query.excluded != nullptr) return std::nullopt;
    return fresh_index(query).version();
  }

 private:
  ClassIndex& fresh_index(const Query& query) {
    auto& index = memory_->of(rules_.class_of(query.pod), query.ignore_resources);
    index.refresh(source_, query.pod, query.ignore_resources);
    return index;
  }

  static bool asked(const Query& query, NodeId node) {
    return (query.nodes == nullptr || query.nodes->test(node.index())) &&
           (query.excluded == nullptr || !query.excluded->test(node.index()));
  }

  void narrow(const Query& query, Dependence dependence, Bitset& nodes) const {
    if (query.nodes != nullptr) nodes &= *query.nodes;
    if (query.excluded != nullptr) nodes.subtract(*query.excluded);
    if (dependence > Dependence::kNode) rules_.restrict_by_others(query.pod, nodes);
  }

  // The best of a set of nodes: by remembered scores, or by asking for all of them together.
  NodeId best_of(PodId pod, const Bitset& nodes, const ClassIndex* index) {
    if (index != nullptr && in_part_) return best_by_parts(pod, nodes, *index);
    NodeId best;
    if (index != nullptr) {
      nodes.for_each([&](std::size_t n) {
        ++work_.nodes_scanned;
        const bool chosen = best ? index->score(n) > index->score(best.index()) : index->has_score(n);
        if (chosen) best = NodeId(n);
      });
      return best;
    }
    list_.clear();
    nodes.for_each([&](std::size_t n) { list_.push_back(NodeId(n)); });
    if (list_.size() <= 1) return list_.empty() ? NodeId() : list_.front();
    scores_.resize(list_.size());
    work_.scores_computed += list_.size();
    if (!rules_.score(pod, list_, scores_)) return NodeId();
    return list_[static_cast<std::size_t>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin())];
  }

  NodeId best_by_parts(PodId pod, const Bitset& nodes, const ClassIndex& index) {
    list_.clear();
    parts_.clear();
    nodes.for_each([&](std::size_t n) {
      list_.push_back(NodeId(n));
      parts_.push_back(index.part(n));
    });
    if (list_.size() <= 1) return list_.empty() ? NodeId() : list_.front();
    work_.nodes_scanned += list_.size();
    scores_.resize(list_.size());
    if (!rules_.complete_scores(pod, list_, parts_, scores_)) return NodeId();
    return list_[static_cast<std::size_t>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin())];
  }

  const Books& books_;
  PlacementRules& rules_;
  WorkCounters& work_;
  ResourceFit fit_;
  std::shared_ptr<IndexMemory> memory_;
  ClassIndex::Source source_;
  std::unique_ptr<NodeSearch> reference_;
  bool in_part_ = false;  // scores of the pod in question are remembered in part only
  Bitset nodes_;
  std::vector<NodeId> list_;
  std::vector<PlacementRules::ScorePart> parts_;
  std::vector<double> scores_;
};

}  // namespace

std::unique_ptr<NodeSearch> make_index_search(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work,
                                              std::shared_ptr<IndexMemory> memory) {
  return std::make_unique<IndexSearch>(books, fits, rules, work, std::move(memory));
}

}  // namespace muster
