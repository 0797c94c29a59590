#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "policy/kai/actions/scenario.h"
#include "policy/kai/session.h"

namespace muster::kai {

// Looks for room for a job's next tasks that others would have to leave. Every generator of the configuration tries in turn: first
// for how many of the tasks room can be made, by doubling and then halving, each success telling victims that later attempts take
// for granted; then for all of them.
class JobSolver {
 public:
  struct Rules {
    std::string_view action;  // a literal
    // Whether others may leave like that, once it is seen who found another place.
    std::function<bool(const Scenario&)> is_valid;
    // Made anew for every attempt, because it may count.
    std::function<std::function<bool(const Job&)>()> make_victim_filter;
    VictimQueues queues = VictimQueues::kAll;
    bool counts_victims = false;
    std::string_view own_queue_action = {};  // by which those of the job's own queue leave; a literal; empty: the action
  };
  JobSolver(Session& session, Job& job, Rules rules) : session_(session), job_(job), rules_(std::move(rules)) {}

  // A statement that makes the room and promises it, to be committed.
  std::optional<Statement> solve();
  // The same with these victims, or as few of them as will do.
  std::optional<Statement> solve_with(const std::vector<VictimBatch>& victims);

 private:
  struct Solution {
    Statement statement;
    std::vector<VictimBatch> victims;  // that did leave or move
    std::vector<VictimBatch> asked;    // all that it was tried with
  };
  bool is_conceivable(const std::vector<PodId>& tasks);
  std::optional<Statement> solve_by(Plugin& generator_of, const std::vector<PodId>& tasks);
  std::optional<Solution> probe(Plugin& generator_of, const std::vector<PodId>& tasks, const std::vector<VictimBatch>& recorded);
  std::optional<Solution> with_fewest(Solution solution, const std::vector<PodId>& tasks);
  std::vector<VictimBatch> one_by_one(const std::vector<VictimBatch>& victims, const std::vector<NodeId>& nodes) const;
  Job partial_with(const std::vector<PodId>& tasks) const;
  // Who has its turn first: whoever comes first in line, or the job that room is made for.
  enum class First : std::uint8_t { kInLine, kJob };
  std::optional<Solution> simulate(const Scenario& scenario, First first = First::kInLine);
  std::vector<SubGroupId> complete_parts(const Job& job) const;
  bool place_all(Statement& statement, const Scenario& scenario, const NodeSet& nodes, First first);
  bool place_one(Statement& statement, const Scenario& scenario, Job& job, const NodeSet& nodes, bool& placed);
  NodeSet feasible_nodes() const;
  void sort_by_name(NodeSet& nodes) const;  // each once
  bool reached_minimums() const;

  Session& session_;
  Job& job_;
  Rules rules_;
  bool came_first_ = false;              // the job, in the latest simulation
  std::set<std::vector<PodId>> failed_;  // scenarios, as the tasks to be placed and those to leave
};

}  // namespace muster::kai
