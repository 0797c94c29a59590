#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Finds the best of several domains by trying them. The original tries all of them, undoes each trial, and repeats the one that
// turned out best. If it is known beforehand how good a domain can be at most, and a trial that is undone leaves no trace, they are
// tried best first, and the first one that none of the others can beat stays in effect: the choice is the same. `Rest` is what
// remains to be placed after a trial.
template <class Rest>
class DomainContest {
 public:
  struct Trial {
    std::vector<Statement> statements;  // in effect
    Rest rest;
    double score = 0;
  };
  struct Winner {
    HyperNodeId domain;
    Statement statement;  // in effect
    Rest rest;
    double score = 0;
  };

  DomainContest(Session& session, std::span<const HyperNodeId> domains) : session_(session) {
    for (std::size_t i = 0; i < domains.size(); ++i) entrants_.push_back({domains[i], 0, i});
  }
  // The most that each domain's score can be, in the order of the domains.
  void foresee(std::span<const double> bounds) {
    foreseen_ = true;
    for (auto& entrant : entrants_) entrant.bound = bounds[entrant.place];
    std::stable_sort(entrants_.begin(), entrants_.end(), [](const Entrant& l, const Entrant& r) { return l.bound > r.bound; });
  }

  // The next domain to try, after which comes passed() or failed(); none when it is decided.
  HyperNodeId next() const { return next_ == entrants_.size() || held_ ? HyperNodeId() : entrants_[next_].domain; }
  double bound_of_next() const { return entrants_[next_].bound; }
  void failed() { ++next_; }
  void passed(Trial trial) {
    const auto& entrant = entrants_[next_++];
    if (foreseen_ && solutions_.empty() && unbeatable(entrant, trial.score)) {
      held_.emplace(Solution{entrant, {}, std::move(trial.rest), trial.score});
      for (auto& statement : trial.statements) statement_.merge(std::move(statement));
      return;
    }
    Statement::Plan plan;
    for (const auto& statement : trial.statements) plan.append(statement.save());
    for (auto& statement : trial.statements) statement.discard();
    solutions_.push_back({entrant, std::move(plan), std::move(trial.rest), trial.score});
  }

  // The domains that passed, as long as none of them is in effect; their scores, if trials do not tell them.
  std::vector<HyperNodeId> unrated() const {
    std::vector<HyperNodeId> domains;
    for (const auto& solution : solutions_) domains.push_back(solution.entrant.domain);
    return domains;
  }
  void rate(std::span<const double> scores) {
    for (std::size_t i = 0; i < solutions_.size(); ++i) solutions_[i].score = scores[i];
  }

  // The best, the first among equals. None: no domain passed, or the best could not be repeated; what was done of that stays done
  // until the end of the cycle, as in the original.
  std::optional<Winner> winner() {
    if (held_) return Winner{held_->entrant.domain, std::move(statement_), std::move(held_->rest), held_->score};
    if (solutions_.empty()) return std::nullopt;
    auto& best = *std::max_element(solutions_.begin(), solutions_.end(), [](const Solution& l, const Solution& r) {
      return l.score != r.score ? l.score < r.score : l.entrant.place > r.entrant.place;
    });
    if (statement_.replay(best.plan)) return Winner{best.entrant.domain, std::move(statement_), std::move(best.rest), best.score};
    session_.keep(std::move(statement_));
    return std::nullopt;
  }

 private:
  struct Entrant {
    HyperNodeId domain;
    double bound;
    std::size_t place;  // decides between equals
  };
  struct Solution {
    Entrant entrant;
    Statement::Plan plan;
    Rest rest;
    double score;
  };
  bool unbeatable(const Entrant& entrant, double score) const {
    return std::all_of(entrants_.begin() + static_cast<std::ptrdiff_t>(next_), entrants_.end(), [&](const Entrant& other) {
      return other.bound < score || (other.bound == score && other.place > entrant.place);
    });
  }

  Session& session_;
  std::vector<Entrant> entrants_;
  std::size_t next_ = 0;
  bool foreseen_ = false;
  std::vector<Solution> solutions_;
  std::optional<Solution> held_;
  Statement statement_{session_};
};

}  // namespace muster::volcano
