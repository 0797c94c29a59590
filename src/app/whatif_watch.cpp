#include "app/whatif_watch.h"

#include <algorithm>

namespace muster {

WhatIfWatch::WhatIfWatch(const WhatIfQuestion& question, Dialect dialect) : jobs_(question.jobs), dialect_(dialect) {
  for (const auto& job : jobs_) runs_.emplace_back().job = job.name;
}

std::vector<std::string> WhatIfWatch::waiting() const {
  std::vector<std::string> names;
  for (const auto& run : runs_)
    if (!run.started) names.push_back(run.job);
  return names;
}

void WhatIfWatch::take(const std::map<std::string, std::string>& binds, const std::vector<Eviction>& evictions,
                       std::vector<Explanation> explanations) {
  ++cycle_;
  for (const auto& eviction : evictions) evicted_.insert(eviction.pod);
  quiet_ = binds.empty() && evictions.empty() ? quiet_ + 1 : 0;
  auto explanation = explanations.begin();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    auto& run = runs_[i];
    if (run.started) continue;
    run.explanation = std::move(*explanation++);
    for (const auto& [pod, role] : jobs_[i].pods)
      if (const auto bind = binds.find(pod); bind != binds.end()) run.placement.insert(*bind);
    for (const auto& eviction : evictions)
      if (eviction.for_job == run.job) run.victims.push_back(eviction);
    if (has_minimum(jobs_[i], run)) run.started = cycle_;
  }
}

// Of a job that was there before, what it holds besides counts too, and in Volcano's gangs who has succeeded.
bool WhatIfWatch::has_minimum(const WhatIfJob& job, const WhatIfRun& run) const {
  if (run.placement.empty()) return false;
  const auto& outlook = run.explanation.job;
  const auto succeeded = dialect_ == Dialect::kVolcano ? outlook.succeeded : 0;
  const auto stays = [&](const auto& bind) { return !evicted_.contains(bind.first); };
  const auto members = job.is_new ? std::ranges::count_if(run.placement, stays) : outlook.holding + succeeded;
  if (members < outlook.minimum) return false;
  if (!roles_matter(job.role_minimums, outlook.minimum)) return true;
  return std::ranges::all_of(job.role_minimums,
                             [&](const auto& needed) { return members_of_role(job, run, needed.first) >= needed.second; });
}

// Who was placed or counted before, and was not evicted: a job may lose pods while it waits for others, and in the cycle that
// places them.
std::int64_t WhatIfWatch::members_of_role(const WhatIfJob& job, const WhatIfRun& run, const std::string& role) const {
  const auto is_of_role = [&](const std::string& pod, const std::string& its) { return its == role && !evicted_.contains(pod); };
  const auto is_placed = [&](const auto& bind) { return is_of_role(bind.first, job.pods.at(bind.first)); };
  const auto is_there = [&](const auto& member) { return is_of_role(member.first, member.second); };
  return std::ranges::count_if(run.placement, is_placed) + std::ranges::count_if(job.members, is_there);
}

void WhatIfWatch::take_left(const std::vector<std::string>& pods) {
  if (!pods.empty()) quiet_ = 0;
  for (auto& run : runs_) {
    if (run.started) continue;
    for (const auto& pod : pods)
      if (std::ranges::find(run.victims, pod, &Eviction::pod) == run.victims.end()) {
        run.left.push_back(pod);
        if (evicted_.contains(pod)) run.evicted.insert(pod);
      }
  }
}

// One quiet cycle is not enough: it may have let a job in that the next one places.
bool WhatIfWatch::is_over() const {
  const bool all_started = std::ranges::all_of(runs_, [](const WhatIfRun& run) { return run.started.has_value(); });
  return all_started || quiet_ >= 2 || cycle_ >= kMostWhatIfCycles;
}

}  // namespace muster
