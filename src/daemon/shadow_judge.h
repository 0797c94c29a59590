#pragma once

#include <optional>
#include <vector>

#include "daemon/shadow_compare.h"
#include "daemon/shadow_findings.h"

namespace muster::daemon::shadow {

struct JudgeSettings {
  kube::Duration skew = std::chrono::seconds(2);  // by how much older or newer the other's view may have been
  int most_plans = 64;                            // for decisions that came together
};

// Compares decisions that came together with what muster decides. They were made from a state that nobody has seen: the one just
// before the first of them is tried first; then, for what is left, the one just before its own first decision, with all that was
// decided before it; then states of a moment before and after.
class Judge {
 public:
  using Decide = std::function<std::optional<Plan>(const State&, const Timestamp&)>;
  Judge(const History& history, const Subject& subject, JudgeSettings settings, Decide decide)
      : history_(history), subject_(subject), settings_(settings), decide_(std::move(decide)) {}

  // The moves in the order of their steps, at least one.
  std::vector<Finding> judge(const std::vector<Move>& moves);

 private:
  struct Case {
    Unit unit;
    std::vector<Move> left;  // those that are not explained yet
    bool is_closed = false;
  };
  struct Sight {
    State state;
    Timestamp at;
    Plan plan;
  };
  Case* next_case();
  bool look(Case& focus);
  std::optional<Sight> sight_at(const Case& focus);
  std::optional<Plan> plan_for(const State& state, const Timestamp& now);
  void close(Case& one, Verdict verdict, const Plan& plan, const State& state, std::string why = {});
  void explain(Case& one, const Sight& sight);
  void explain_bind(Case& one, const Sight& sight);
  void explain_eviction(Case& one, const Sight& sight);
  bool is_known(const Case& one) const;
  bool agrees(const Case& one, const State& state, const Timestamp& now);
  bool agrees_earlier(const Case& one);
  bool agrees_later(const Case& one, const State& state);

  const History& history_;
  const Subject& subject_;
  const JudgeSettings settings_;
  const Decide decide_;
  std::vector<Case> cases_;
  std::vector<Finding> findings_;
  int plans_ = 0;
};

}  // namespace muster::daemon::shadow
