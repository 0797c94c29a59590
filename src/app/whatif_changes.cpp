#include "app/whatif_changes.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/printable_text.h"
#include "app/whatif_amounts.h"
#include "app/whatif_places.h"

namespace muster {
namespace {

constexpr std::size_t kQueuesTried = 8;
constexpr std::size_t kJobsTried = 8;  // alone

// A question that was changed, and how that is to be said.
struct Changed {
  WhatIfQuestion question;
  FitsIf change;
};

// The change that a copy is tried with; nothing: the question has nothing of this kind.
using MakeChange = std::function<std::optional<Changed>(std::size_t)>;

class ChangeSearch {
 public:
  ChangeSearch(WhatIfTries& tries, const WhatIfQuestion& question, std::size_t job, const WhatIfRun& run)
      : tries_(tries), question_(question), job_(job), run_(run) {}

  std::vector<FitsIf> find() {
    try_patience();
    try_levels();
    try_queues();
    try_members();
    try_amounts();
    try_ends();
    return std::move(found_);
  }

 private:
  const std::string& name() const { return question_.jobs[job_].name; }

  bool helps(const Changed& changed) { return tries_.starts(changed.question, job_); }

  // It started when others who were leaving had gone.
  void try_patience() {
    if (!run_.started || run_.left.empty()) return;
    std::set<std::string> without;
    for (const auto& pod : run_.left) without.insert("Pod " + pod);
    if (!tries_.starts(question_, job_, without)) return;
    found_.push_back(
        {.kind = FitsIf::Kind::kLeaving,
         .text = fmt::format("{}, which {} leaving, had gone", listed(run_.left, kMostNamed), run_.left.size() == 1 ? "is" : "are"),
         .gone = run_.left});
  }

  // The first that helps: they come from the one that is nearest to what was asked for.
  void try_levels() {
    for (const auto& level : wider_levels(tries_.cluster().objects(), question_.objects, name())) {
      Changed changed{question_, {.kind = FitsIf::Kind::kLevel, .text = level.text, .parts = {level.part}}};
      allow_level(changed.question.objects, name(), level);
      if (!helps(changed)) continue;
      found_.push_back(std::move(changed.change));
      return;
    }
  }

  void try_queues() {
    const auto queues = other_queues(tries_.cluster().objects(), question_.objects, name());
    std::vector<FitsIf> helping;
    for (std::size_t i = 0; i < std::min(queues.names.size(), kQueuesTried) && helping.size() < kMostNamed; ++i) {
      const auto& queue = queues.names[i];
      auto changed = question_;
      set_queue(changed.objects, name(), queue);
      if (tries_.starts(changed, job_))
        helping.push_back({.kind = FitsIf::Kind::kQueue,
                           .text = fmt::format("it were in queue {} and not in {}", queue, queues.own),
                           .parts = {{"spec.queue", queues.own, queue}}});
    }
    found_.insert(found_.end(), helping.begin(), helping.end());
  }

  void try_members() {
    const auto minimum = minimum_of(question_.objects, name());
    if (minimum < 2) return;
    const auto with = [&](std::size_t less) -> std::optional<Changed> {
      const auto fewer = static_cast<std::int32_t>(minimum - 1 - static_cast<std::int64_t>(less));
      Changed changed{question_, {.kind = FitsIf::Kind::kMembers, .text = {}}};
      changed.change.parts = set_minimum(changed.question.objects, name(), fewer);
      changed.change.text = fmt::format("spec.minMember were {} and not {}", fewer, minimum);
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
          fmt::format(", and {} {} and not {}", part.path, std::get<std::int64_t>(part.to), std::get<std::int64_t>(part.from));
    }
  }

  void try_amounts() {
    for (const auto& resource : asked_resources(question_, job_)) {
      const auto caps = smaller_amounts(question_, job_, resource);
      const auto with = [&](std::size_t at) -> std::optional<Changed> {
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
    auto best = with(count - 1);
    if (!best || !helps(*best)) return;
    std::size_t low = 0, high = count - 1;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      auto changed = with(middle);
      if (changed && helps(*changed)) {
        best = std::move(changed);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    found_.push_back(std::move(best->change));
  }

  bool starts_without(const std::vector<RunningJob>& jobs) {
    std::set<std::string> without;
    for (const auto& job : jobs) without.insert(job.objects.begin(), job.objects.end());
    return tries_.starts(question_, job_, without);
  }

  // One of the smaller jobs, or else the fewest of the larger ones.
  void try_ends() {
    auto jobs = running_jobs(tries_.cluster().objects(), tries_.cluster().dialect());
    if (jobs.empty() || !starts_without(jobs)) return;
    std::ranges::stable_sort(jobs, {}, &RunningJob::pods);
    for (std::size_t i = 0; i < std::min(jobs.size(), kJobsTried); ++i)
      if (starts_without({jobs[i]})) return take_ends({jobs[i].name});
    std::ranges::stable_sort(jobs, std::greater<>(), &RunningJob::pods);
    std::size_t low = 0, high = jobs.size();
    while (low + 1 < high) {
      const auto middle = low + (high - low) / 2;
      const bool enough = starts_without({jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(middle)});
      (enough ? high : low) = middle;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < high; ++i) names.push_back(jobs[i].name);
    take_ends(std::move(names));
  }

  void take_ends(std::vector<std::string> jobs) {
    found_.push_back(
        {.kind = FitsIf::Kind::kEnded, .text = fmt::format("{} had ended", listed(jobs, kMostNamed)), .gone = std::move(jobs)});
  }

  WhatIfTries& tries_;
  const WhatIfQuestion& question_;
  const std::size_t job_;
  const WhatIfRun& run_;
  std::vector<FitsIf> found_;
};

}  // namespace

bool WhatIfTries::starts(const WhatIfQuestion& question, std::size_t job, const std::set<std::string>& without) {
  gave_up_ |= done_ >= bounds_.tries || (bounds_.enough && bounds_.enough());
  if (gave_up_) return false;
  ++done_;
  const auto runs = cluster_.run(question, without);
  return runs && verdict_of((*runs)[job]) == WhatIfVerdict::kStarts;
}

std::vector<FitsIf> changes_that_help(WhatIfTries& tries, const WhatIfQuestion& question, std::size_t job, const WhatIfRun& run) {
  return ChangeSearch(tries, question, job, run).find();
}

}  // namespace muster
