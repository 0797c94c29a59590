#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bitset.h"
#include "engine/books.h"
#include "engine/fit.h"
#include "engine/node_filter.h"
#include "engine/work_counters.h"

namespace muster {

// What a dialect's enabled plugins say about pods and nodes, put together. The search asks, and remembers answers only as far as
// the declared dependences allow.
class PlacementRules {
 public:
  virtual ~PlacementRules() = default;

  // Pods of one class get the same answers from every rule that depends on kNode only.
  virtual ClassId class_of(PodId pod) = 0;

  // The widest dependence of any filter on this pod. With kNothing every node passes that has the resources.
  virtual Dependence filter_dependence(PodId pod) const = 0;
  // Appends what speaks against the node, resources aside, in the order in which the dialect says it. `up_to` leaves out filters
  // that depend on more than that.
  virtual void judge(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const = 0;
  // Removes the nodes that filters with dependence kOthers refuse.
  virtual void restrict_by_others(PodId pod, Bitset& nodes) const = 0;

  // The widest dependence of any scorer on this pod.
  virtual Dependence score_dependence(PodId pod) const = 0;
  // Total score of each node. `nodes` is the whole set of candidates unless score_dependence is at most kNode. False: scoring
  // failed, and no node of the set can be chosen.
  virtual bool score(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) = 0;

  // Scores that depend on other pods may still have a part that depends on the node alone, and that comes first in both sums that
  // make up the total: what scorers say node by node, and what they say about all candidates together.
  struct ScorePart {
    double single = 0;
    double batch = 0;
    bool operator==(const ScorePart&) const = default;
  };
  virtual bool has_local_part(PodId) const { return false; }
  virtual void score_local_part(PodId, std::span<const NodeId>, std::span<ScorePart>) {}
  // score() of the whole set of candidates, given their local parts.
  virtual bool complete_scores(PodId pod, std::span<const NodeId> nodes, std::span<const ScorePart>, std::span<double> totals) {
    return score(pod, nodes, totals);
  }
};

// Finds nodes for pods. Nodes with enough free now come before nodes that will have enough when others have gone, whatever the
// score; among equals the highest score wins, then the first node.
class NodeSearch {
 public:
  enum class When : std::uint8_t { kNow, kLater };
  struct Choice {
    NodeId node;
    When when = When::kNow;
  };

  // The nodes among which is searched, and those preferred among them: two passes over the same answers.
  struct Query {
    PodId pod;
    const Bitset* nodes = nullptr;      // nullptr: all known nodes
    const Bitset* excluded = nullptr;   // taken out beforehand, for example after an earlier failure
    const Bitset* preferred = nullptr;  // kNow-preferred, kNow-others, kLater-preferred, kLater-others; nullptr: no preference
    bool ignore_resources = false;      // for pods that ask for nothing
  };

  virtual ~NodeSearch() = default;

  // Nodes that the pod may go to. Valid until the next call.
  virtual const Bitset& feasible(const Query& query) = 0;
  // Nodes that the pod may go to, or might if others left: those that speak against it say nothing that evictions could not cure.
  // Only asked with resources left aside. Valid until the next call.
  virtual const Bitset& curable(const Query& query) = 0;
  // Total scores of nodes, which are taken for the whole set of candidates. False: scoring failed.
  virtual bool scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) = 0;
  // The best of them; none only when feasible() is empty or every scoring failed.
  virtual std::optional<Choice> best(const Query& query) = 0;
  // Why the nodes of the query (without the excluded ones) that are not feasible are not: calls sink(node, verdict) in node order.
  virtual void refusals(const Query& query, const std::function<void(NodeId, VerdictId)>& sink) = 0;
  // A number that stays the same as long as the refusals of this query do and no node becomes feasible; none: it cannot be told.
  virtual std::optional<std::uint64_t> refusal_stamp(const Query&) { return std::nullopt; }
  // The same, counted per verdict.
  virtual std::vector<std::pair<VerdictId, std::size_t>> refusal_counts(const Query& query) = 0;
};

enum class SearchKind { kIndex, kReference };

std::unique_ptr<NodeSearch> make_reference_search(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work);

// Remembers answers per class across cycles; the rules may be replaced between cycles as long as they would give the same answers.
class IndexMemory;
std::shared_ptr<IndexMemory> make_index_memory();
std::unique_ptr<NodeSearch> make_index_search(const Books& books, FitTable& fits, PlacementRules& rules, WorkCounters& work,
                                              std::shared_ptr<IndexMemory> memory);

}  // namespace muster
