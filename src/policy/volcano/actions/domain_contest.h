#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Finds the best of several domains by trying them. The original tries all of them, undoes each trial, and repeats the one that
// turned out best. If it is known beforehand how good a domain can be at most, and how many tasks find a place at most, they are
// tried best first, those without enough room are left out, and the first one that none of the others can beat stays in effect: the
// choice is the same.
//
// A trial also leaves notes: why tasks found no node, and where others would have gone. The original tries in no particular order,
// so any order is right for them: what was planned for a task before is what it was before the contest if the winner places it, as
// if the winner had been tried first; why others found no node is what the winner says, as if it had been tried last; and if there
// is no winner, the domain that came furthest counts as tried last.
//
// `Rest` is what remains to be placed after a trial.
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
  // What is known of a domain before it is tried.
  struct Prospect {
    double score = 0;      // at most
    std::size_t room = 0;  // so many tasks at most
  };

  // Repeatable: a trial that is made twice leaves nothing else behind than one that is made once.
  DomainContest(Session& session, Job& job, std::span<const HyperNodeId> domains, bool repeatable)
      : session_(session), job_(job), repeatable_(repeatable) {
    for (const auto domain : domains) entrants_.push_back({domain, {}, false});
    for (std::size_t i = 0; i < entrants_.size(); ++i) order_.push_back(i);
    before_ = remembered();
  }
  // In the order of the domains; `needed` tasks have to find a place. If tasks are alike, those that do are always the first ones.
  void foresee(std::span<const Prospect> prospects, std::size_t needed, bool alike) {
    foreseen_ = true;
    alike_ = alike;
    for (std::size_t i = 0; i < entrants_.size(); ++i) entrants_[i].prospect = prospects[i];
    std::erase_if(order_, [&](std::size_t i) { return entrants_[i].prospect.room < needed; });
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t l, std::size_t r) { return entrants_[l].prospect.score > entrants_[r].prospect.score; });
  }

  // The next domain to try, after which comes passed() or failed(); none when it is decided.
  HyperNodeId next() {
    if (held_ || (at_ == order_.size() && !(solutions_.empty() && try_for_notes()))) return {};
    current_ = order_[at_++];
    noted_ = remembered();
    for (const auto& [pod, last] : noted_) job_.notes->task(pod).last.reset();
    return entrants_[current_].domain;
  }
  double foreseen_score() const { return entrants_[current_].prospect.score; }

  // So many tasks had found a place.
  void failed(std::size_t placed) {
    entrants_[current_].tried = true;
    remember_unless_newer(noted_, [](PodId) { return true; });
    if (!furthest_ || placed > placed_ || (placed == placed_ && current_ < *furthest_)) {
      furthest_ = current_;
      placed_ = placed;
    }
  }
  void passed(Trial trial) {
    boost::unordered_flat_set<PodId> placed;
    for (const auto& statement : trial.statements)
      for (const auto pod : statement.placed()) placed.insert(pod);
    remember_unless_newer(before_, [&](PodId pod) { return placed.contains(pod); });
    remember_unless_newer(noted_, [&](PodId pod) { return !placed.contains(pod); });
    if (foreseen_ && solutions_.empty() && unbeatable(trial.score)) {
      held_.emplace(Solution{current_, {}, {}, std::move(trial.rest), trial.score});
      for (auto& statement : trial.statements) statement_.merge(std::move(statement));
      return;
    }
    Statement::Plan plan;
    for (const auto& statement : trial.statements) plan.append(statement.save());
    for (auto& statement : trial.statements) statement.discard();
    auto errors = job_.notes ? job_.notes->errors() : JobNotes::Errors{};
    solutions_.push_back({current_, std::move(plan), std::move(errors), std::move(trial.rest), trial.score});
  }

  // The domains that passed, as long as none of them is in effect; their scores, if trials do not tell them.
  std::vector<HyperNodeId> unrated() const {
    std::vector<HyperNodeId> domains;
    for (const auto& solution : solutions_) domains.push_back(entrants_[solution.entrant].domain);
    return domains;
  }
  void rate(std::span<const double> scores) {
    for (std::size_t i = 0; i < solutions_.size(); ++i) solutions_[i].score = scores[i];
  }

  // The best, the first among equals. None: no domain passed, or the best could not be repeated; what was done of that stays done
  // until the end of the cycle, as in the original.
  std::optional<Winner> winner() {
    if (held_) return Winner{entrants_[held_->entrant].domain, std::move(statement_), std::move(held_->rest), held_->score};
    if (solutions_.empty()) return std::nullopt;
    auto& best = *std::max_element(solutions_.begin(), solutions_.end(), [](const Solution& l, const Solution& r) {
      return l.score != r.score ? l.score < r.score : l.entrant > r.entrant;
    });
    if (job_.notes) job_.notes->set_errors(best.errors);
    if (statement_.replay(best.plan))
      return Winner{entrants_[best.entrant].domain, std::move(statement_), std::move(best.rest), best.score};
    session_.keep(std::move(statement_));
    return std::nullopt;
  }

 private:
  struct Entrant {
    HyperNodeId domain;
    Prospect prospect;
    bool tried = false;
  };
  struct Solution {
    std::size_t entrant = 0;
    Statement::Plan plan;
    JobNotes::Errors errors;
    Rest rest;
    double score = 0;
  };

  // What earlier transactions had planned for the job's tasks.
  using Remembered = std::vector<std::pair<PodId, LastTransaction>>;
  Remembered remembered() const {
    Remembered all;
    if (job_.notes)
      for (const auto& task : job_.notes->tasks())
        if (task.last) all.emplace_back(task.pod, *task.last);
    return all;
  }
  template <class Concerns>
  void remember_unless_newer(const Remembered& earlier, Concerns concerns) {
    for (const auto& [pod, last] : earlier)
      if (concerns(pod))
        if (auto& known = job_.notes->task(pod).last; !known) known = last;
  }

  bool unbeatable(double score) const {
    return std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(at_), order_.end(), [&](std::size_t other) {
      const auto most = entrants_[other].prospect.score;
      return most < score || (most == score && other > current_);
    });
  }

  // No domain passed. Lines up one more trial as long as the one that came furthest is not the last one tried. Of alike tasks a
  // trial places the first so many, so that all that is noted elsewhere is overwritten by it; else all have to be made.
  bool try_for_notes() {
    if (!repeatable_ || entrants_.empty()) return false;
    if (foreseen_ && !alike_) {
      foreseen_ = false;
      for (std::size_t i = 0; i < entrants_.size(); ++i) order_.push_back(i);
      return true;
    }
    if (const auto roomiest = foreseen_ ? untried_further() : std::nullopt)
      order_.push_back(*roomiest);
    else if (*furthest_ != current_)
      order_.push_back(*furthest_);
    return at_ != order_.size();
  }
  std::optional<std::size_t> untried_further() const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < entrants_.size(); ++i)
      if (!entrants_[i].tried && (!found || entrants_[i].prospect.room > entrants_[*found].prospect.room)) found = i;
    if (!found || !furthest_) return found;
    const auto room = entrants_[*found].prospect.room;
    return room > placed_ || (room == placed_ && *found < *furthest_) ? found : std::nullopt;
  }

  Session& session_;
  Job& job_;
  bool repeatable_;
  bool foreseen_ = false;
  bool alike_ = false;
  std::vector<Entrant> entrants_;   // in the order in which they came, which decides between equals
  std::vector<std::size_t> order_;  // in which they are tried
  std::size_t at_ = 0;
  std::size_t current_ = 0;
  std::optional<std::size_t> furthest_;
  std::size_t placed_ = 0;  // by the furthest
  Remembered before_;       // when the contest began
  Remembered noted_;        // when the trial at hand began, which starts without
  std::vector<Solution> solutions_;
  std::optional<Solution> held_;
  Statement statement_{session_};
};

}  // namespace muster::volcano
