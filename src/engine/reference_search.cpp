// The plain path: every question looks at every node. Slow and obviously right; the index is compared with it.

#include <algorithm>

#include "engine/node_search.h"
#include "engine/resource_fit.h"

namespace muster {
namespace {

class ReferenceSearch final : public NodeSearch {
 public:
  ReferenceSearch(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work)
      : books_(books), fits_(fits), rules_(rules), work_(work), fit_(books, fits) {}

  const Bitset& feasible(const Query& query) override {
    feasible_.resize(books_.node_count());
    for_each_candidate(query, [&](NodeId node) {
      if (judge(query, node).empty()) feasible_.set(node.index());
    });
    return feasible_;
  }

  const Bitset& curable(const Query& query) override {
    feasible_.resize(books_.node_count());
    for_each_candidate(query, [&](NodeId node) {
      if (is_curable(judge(query, node))) feasible_.set(node.index());
    });
    return feasible_;
  }

  bool scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override {
    work_.scores_computed += nodes.size();
    return rules_.score(pod, nodes, totals);
  }

  std::optional<Choice> best(const Query& query) override {
    ++work_.searches;
    std::array<std::vector<NodeId>, 4> lists;
    feasible(query).for_each([&](std::size_t n) {
      const NodeId node(n);
      const bool now = query.ignore_resources || fit_.fits_now(books_.shape_of(query.pod).request, node);
      const bool preferred = query.preferred == nullptr || query.preferred->test(n);
      lists[(now ? 0u : 2u) + (preferred ? 0u : 1u)].push_back(node);
    });
    for (std::size_t i = 0; i < lists.size(); ++i)
      if (const auto node = best_of(query.pod, lists[i])) return Choice{*node, i < 2 ? When::kNow : When::kLater};
    return std::nullopt;
  }

  void refusals(const Query& query, const std::function<void(NodeId, VerdictId)>& sink) override {
    for_each_candidate(query, [&](NodeId node) {
      if (const auto& verdict = judge(query, node); !verdict.empty()) sink(node, fits_.intern(verdict));
    });
  }

  std::vector<std::pair<VerdictId, std::size_t>> refusal_counts(const Query& query) override {
    std::vector<std::pair<VerdictId, std::size_t>> counts;
    refusals(query, [&](NodeId, VerdictId verdict) {
      const auto at = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == verdict; });
      if (at == counts.end())
        counts.emplace_back(verdict, 1);
      else
        ++at->second;
    });
    return counts;
  }

 private:
  template <class F>
  void for_each_candidate(const Query& query, F f) {
    for (const auto node : IdRange<NodeId>(books_.node_count())) {
      if (!books_.node(node).known) continue;
      if (query.nodes != nullptr && !query.nodes->test(node.index())) continue;
      if (query.excluded != nullptr && query.excluded->test(node.index())) continue;
      f(node);
    }
  }

  const Verdict& judge(const Query& query, NodeId node) {
    ++work_.nodes_judged;
    verdict_.clear();
    if (!query.ignore_resources)
      if (const auto lacking = fit_.first_lacking(books_.shape_of(query.pod).request, node)) {
        verdict_.push_back(fit_.refusal(lacking));
        return verdict_;
      }
    rules_.judge(query.pod, node, Dependence::kHistory, verdict_);
    return verdict_;
  }

  std::optional<NodeId> best_of(PodId pod, const std::vector<NodeId>& nodes) {
    if (nodes.empty()) return std::nullopt;
    if (nodes.size() == 1) return nodes.front();
    scores_.assign(nodes.size(), 0);
    work_.scores_computed += nodes.size();
    if (!rules_.score(pod, nodes, scores_)) return std::nullopt;
    return nodes[static_cast<std::size_t>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin())];
  }

  const Books& books_;
  FitTable& fits_;
  PlacementRules& rules_;
  WorkCounters& work_;
  ResourceFit fit_;
  Bitset feasible_;
  Verdict verdict_;
  std::vector<double> scores_;
};

}  // namespace

std::unique_ptr<NodeSearch> make_reference_search(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work) {
  return std::make_unique<ReferenceSearch>(books, fits, rules, work);
}

}  // namespace muster
