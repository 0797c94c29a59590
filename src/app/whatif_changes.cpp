#include "app/whatif_changes.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/printable_text.h"
#include "app/whatif_amounts.h"
#include "app/whatif_fields.h"
#include "app/whatif_places.h"

namespace muster {
namespace {

constexpr std::size_t kQueuesTried = 8;
constexpr std::size_t kJobsTried = 8;     // alone
constexpr std::size_t kChoicesTried = 8;  // one by one, of what was found by halving

std::string value_text(const FitsIf::Value& value) {
  return std::visit([](const auto& known) { return fmt::format("{}", known); }, value);
}

// A question that was changed, and how that is to be said.
struct Changed {
  WhatIfQuestion question;
  FitsIf change;
};

// The change that a copy is tried with.
using MakeChange = std::function<Changed(std::size_t)>;

// A search by halving that is over.
struct Halving {
  MakeChange with;
  std::size_t found;              // where its change is among those that were found
  std::size_t taken;              // which that is
  std::set<std::size_t> in_vain;  // smaller ones that were tried
};

class ChangeSearch {
 public:
  ChangeSearch(WhatIfTries& tries, const WhatIfQuestion& question, std::size_t job, const WhatIfRun& run)
      : tries_(tries), question_(question), job_(job), run_(run) {}

  std::vector<FitsIf> find() {
    for (const auto kind :
         {&ChangeSearch::try_patience, &ChangeSearch::try_levels, &ChangeSearch::try_queues, &ChangeSearch::try_members,
          &ChangeSearch::try_amounts, &ChangeSearch::try_ends, &ChangeSearch::try_what_halving_passed})
      if (!tries_.gave_up()) (this->*kind)();
    for (auto& change : found_) tell_places(places(), change.parts);
    return std::move(found_);
  }

 private:
  const std::string& name() const { return question_.jobs[job_].name; }
  const std::optional<FieldPlaces>& places() const { return question_.jobs[job_].places; }

  // "spec.minMember were 2 and not 3", "there were no spec.minMember (now 3)".
  std::string text_of(const FitsIf::Part& part) const {
    const auto field = told_field(places(), part.path);
    const auto from = value_text(part.from), to = value_text(part.to);
    if (!to.empty()) return fmt::format("{} were {} and not {}", field.text(), to, from);
    return fmt::format("{} no {} (now {})", field.is_of_group ? "its PodGroup had" : "there were", field.path, from);
  }

  // The change that is made for one more copy, if that may be run and the job starts in it. No question is copied in vain.
  template <class Make>
  std::optional<FitsIf> helping(Make make) {
    if (!tries_.may_go_on()) return std::nullopt;
    Changed changed = make();
    if (!tries_.starts(changed.question, job_)) return std::nullopt;
    return std::move(changed.change);
  }

  // It started when others who were leaving had gone. Pods of its own that counted and were evicted meanwhile are not waited for.
  void try_patience() {
    auto gone = run_.left;
    std::erase_if(gone, [&](const std::string& pod) { return question_.jobs[job_].members.contains(pod); });
    if (!run_.started || gone.empty()) return;
    std::set<std::string> without;
    for (const auto& pod : gone) without.insert("Pod " + pod);
    if (!tries_.starts(question_, job_, without)) return;
    auto text = who_goes(gone) + ", had gone";
    found_.push_back({.kind = FitsIf::Kind::kLeaving, .text = std::move(text), .gone = std::move(gone)});
  }

  // Who runs and would be evicted, for others or for nobody, is not said to be leaving.
  std::string who_goes(const std::vector<std::string>& gone) const {
    std::vector<std::string> leaving, evicted;
    for (const auto& pod : gone) (run_.evicted.contains(pod) ? evicted : leaving).push_back(pod);
    std::string out;
    if (!leaving.empty())
      out = fmt::format("{}, which {} leaving", listed(leaving, kMostNamed), leaving.size() == 1 ? "is" : "are");
    if (evicted.empty()) return out;
    if (!out.empty()) out += ", and ";
    return out + listed(evicted, kMostNamed) + ", which would be evicted meanwhile";
  }

  // The first that helps: they come from the one that is nearest to what was asked for.
  void try_levels() {
    for (const auto& level : wider_levels(tries_.cluster().objects(), question_.objects, name())) {
      auto change = helping([&] {
        Changed changed{question_, {.kind = FitsIf::Kind::kLevel, .text = text_of(level), .parts = {level}}};
        allow_level(changed.question.objects, name(), level);
        return changed;
      });
      if (!change) continue;
      found_.push_back(std::move(*change));
      return;
    }
  }

  void try_queues() {
    const auto queues = other_queues(tries_.cluster().objects(), question_.objects, name());
    std::size_t named = 0;
    for (std::size_t i = 0; i < std::min(queues.names.size(), kQueuesTried) && named < kMostNamed; ++i) {
      const auto& queue = queues.names[i];
      auto change = helping([&] {
        Changed changed{question_,
                        {.kind = FitsIf::Kind::kQueue,
                         .text = fmt::format("it were in queue {} and not in {}", queue, queues.own),
                         .parts = {{"spec.queue", queues.own, queue}}}};
        set_queue(changed.question.objects, name(), queue);
        return changed;
      });
      if (!change) continue;
      found_.push_back(std::move(*change));
      ++named;
    }
  }

  void try_members() {
    const auto minimum = minimum_of(question_.objects, name());
    if (minimum < 2) return;
    const auto with = [this, minimum](std::size_t less) {
      const auto fewer = static_cast<std::int32_t>(minimum - 1 - static_cast<std::int64_t>(less));
      Changed changed{question_, {.kind = FitsIf::Kind::kMembers, .text = {}}};
      changed.change.parts = set_minimum(changed.question.objects, name(), fewer);
      changed.change.text = text_of(changed.change.parts.front());
      lower_roles_in(changed);
      return changed;
    };
    take_least(static_cast<std::size_t>(minimum - 1), with);
  }

  void lower_roles_in(Changed& changed) const {
    auto& minimums = changed.question.jobs[job_].role_minimums;
    for (const auto& part : changed.change.parts) {
      const auto lowered = role_in(part);
      if (!lowered) continue;
      minimums[lowered->role] -= lowered->less;
      changed.change.text +=
          fmt::format(", and {} {} and not {}", told_field(places(), part.path).path, value_text(part.to), value_text(part.from));
    }
  }

  void try_amounts() {
    for (const auto& resource : asked_resources(question_, job_)) {
      const auto caps = smaller_amounts(question_, job_, resource, most_on_a_node(tries_.cluster().objects(), resource));
      const auto with = [this, resource, caps](std::size_t at) {
        Changed changed{question_, {.kind = FitsIf::Kind::kAmount, .text = {}}};
        changed.change.parts = cap_amounts(changed.question, job_, resource, caps.amounts[at]);
        changed.change.text = fmt::format("no container asked for more than {} of {} (now {})", caps.amounts[at].text(), resource,
                                          caps.largest.text());
        return changed;
      };
      take_least(caps.amounts.size(), with);
    }
  }

  // Of changes from the smallest to the largest, the smallest that helps, found by halving: if the largest does not, none is
  // looked for.
  void take_least(std::size_t count, const MakeChange& with) {
    if (count == 0) return;
    auto best = helping([&] { return with(count - 1); });
    if (!best) return;
    std::size_t low = 0, high = count - 1;
    std::set<std::size_t> in_vain;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (auto change = helping([&] { return with(middle); })) {
        best = std::move(change);
        high = middle;
      } else {
        in_vain.insert(middle);
        low = middle + 1;
      }
    }
    if (count <= kChoicesTried) halvings_.push_back({with, found_.size(), high, std::move(in_vain)});
    found_.push_back(std::move(*best));
  }

  void try_what_halving_passed() {
    for (const auto& halving : halvings_) try_smaller(halving);
  }

  // Less may be worse: a smaller request may go to a node on which it is in the way. So halving may have passed over something, and
  // where the choices are few, those that it has not tried are, after all else.
  void try_smaller(const Halving& halving) {
    for (std::size_t choice = 0; choice < halving.taken; ++choice) {
      if (halving.in_vain.contains(choice)) continue;
      auto change = helping([&] { return halving.with(choice); });
      if (!change) continue;
      found_[halving.found] = std::move(*change);
      return;
    }
  }

  bool starts_without(const std::vector<RunningJob>& jobs) {
    if (!tries_.may_go_on()) return false;
    std::set<std::string> without;
    for (const auto& job : jobs) without.insert(job.objects.begin(), job.objects.end());
    return tries_.starts(question_, job_, without);
  }

  // One of the smaller jobs, or else the fewest of the larger ones.
  void try_ends() {
    auto jobs = running_jobs(tries_.cluster().objects(), tries_.cluster().dialect());
    std::erase_if(jobs, [&](const RunningJob& job) { return job.name == name(); });  // it is not to end but to start
    if (jobs.empty() || !starts_without(jobs)) return;
    std::ranges::stable_sort(jobs, {}, &RunningJob::pods);
    for (std::size_t i = 0; i < std::min(jobs.size(), kJobsTried); ++i)
      if (starts_without({jobs[i]})) return take_ends({jobs[i]});
    std::ranges::stable_sort(jobs, std::greater<>(), &RunningJob::pods);
    std::size_t low = 0, high = jobs.size();
    while (low + 1 < high) {
      const auto middle = low + (high - low) / 2;
      const bool enough = starts_without({jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(middle)});
      (enough ? high : low) = middle;
    }
    jobs.resize(high);
    if (high <= kJobsTried) keep_needed(jobs);
    take_ends(jobs);
  }

  // Leaves out who may as well run on, until everybody is needed who is left.
  void keep_needed(std::vector<RunningJob>& jobs) {
    for (std::size_t i = 0; i < jobs.size() && jobs.size() > 1 && !tries_.gave_up();) {
      auto fewer = jobs;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (starts_without(fewer)) {
        jobs = std::move(fewer);
        i = 0;
      } else {
        ++i;
      }
    }
  }

  void take_ends(const std::vector<RunningJob>& jobs) {
    std::vector<std::string> names;
    for (const auto& job : jobs) names.push_back(job.name);
    found_.push_back(
        {.kind = FitsIf::Kind::kEnded, .text = fmt::format("{} had ended", listed(names, kMostNamed)), .gone = std::move(names)});
  }

  WhatIfTries& tries_;
  const WhatIfQuestion& question_;
  const std::size_t job_;
  const WhatIfRun& run_;
  std::vector<FitsIf> found_;
  std::vector<Halving> halvings_;
};

}  // namespace

bool WhatIfTries::may_go_on() {
  gave_up_ = gave_up_ || done_ >= bounds_.tries || (bounds_.enough && bounds_.enough());
  return !gave_up_;
}

bool WhatIfTries::starts(const WhatIfQuestion& question, std::size_t job, const std::set<std::string>& without) {
  if (!may_go_on()) return false;
  ++done_;
  const auto runs = cluster_.run(question, without);
  return runs && verdict_of((*runs)[job]) == WhatIfVerdict::kStarts;
}

std::vector<FitsIf> changes_that_help(WhatIfTries& tries, const WhatIfQuestion& question, std::size_t job, const WhatIfRun& run) {
  return ChangeSearch(tries, question, job, run).find();
}

}  // namespace muster
