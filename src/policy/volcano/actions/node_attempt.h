#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// The search for nodes for several tasks of one job, one after the other. With errors remembered, a node that refused a task is not
// asked again for later tasks of the same role, even if the reason has gone meanwhile: the original's error cache. A domain
// confines the search to its nodes.
class NodeAttempt {
 public:
  enum class Resources { kChecked, kIgnored };
  enum class Errors { kForgotten, kRemembered };
  NodeAttempt(Session& session, Resources resources, Errors errors, const Bitset* domain = nullptr);

  struct Outcome {
    bool feasible = false;                     // some node would do, even if none was chosen
    std::optional<NodeSearch::Choice> choice;  // the best node
    std::shared_ptr<FitErrors> errors;         // set when nothing is feasible
    std::optional<std::uint64_t> refusals;     // then, if it can be told: a stamp that holds as long as the errors do
  };
  Outcome find(PodId pod);
  // The node that an earlier action or cycle cleared for the pod, if it still would do.
  std::optional<NodeSearch::Choice> find_nominated(PodId pod);
  // The stamp that find() would give if it failed.
  std::optional<std::uint64_t> refusal_stamp(PodId pod);

 private:
  struct RoleErrors {
    SymbolId role;
    Bitset failed;
    std::vector<VerdictId> verdicts;     // by node, for the failed ones
    std::optional<std::uint64_t> stamp;  // of the refusals that it has taken in last
  };
  bool remembers_errors() const { return errors_ == Errors::kRemembered; }
  NodeSearch::Query query_for(PodId pod) const;
  RoleErrors* errors_of(SymbolId role);
  void remember(PodId pod, const NodeSearch::Query& query);
  std::shared_ptr<FitErrors> explain(const NodeSearch::Query& query, const RoleErrors* earlier);

  Session& session_;
  Resources resources_;
  Errors errors_;
  const Bitset* domain_;           // none: all nodes
  std::optional<Bitset> sharded_;  // the domain's nodes within the shard, if only those may be used
  std::vector<RoleErrors> roles_;
};

// The error of a task that no node can cure, as if so many nodes, or all, had said it.
std::shared_ptr<FitErrors> error_on_nodes(Session& session, std::string_view text, std::size_t nodes);
std::shared_ptr<FitErrors> error_on_all_nodes(Session& session, std::string_view text);
std::size_t known_nodes(const Books& books);
// Whether an earlier action or cycle cleared a node for the pod, which is then tried before all others.
bool has_cleared_node(const Session& session, PodId pod);

}  // namespace muster::volcano
