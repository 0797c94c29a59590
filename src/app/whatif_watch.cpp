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
  const auto members = job.is_new ? static_cast<std::int64_t>(run.placement.size()) : outlook.holding + succeeded;
  if (members < outlook.minimum) return false;
  return std::ranges::all_of(job.role_minimums, [&](const auto& needed) {
    const auto has_role = [&](const auto& bind) { return job.pods.at(bind.first) == needed.first; };
    return std::ranges::count_if(run.placement, has_role) >= needed.second;
  });
}

void WhatIfWatch::take_left(const std::vector<std::string>& pods) {
  if (!pods.empty()) quiet_ = 0;
  for (auto& run : runs_) {
    if (run.started) continue;
    for (const auto& pod : pods)
      if (std::ranges::find(run.victims, pod, &Eviction::pod) == run.victims.end()) run.left.push_back(pod);
  }
}

// One quiet cycle is not enough: it may have let a job in that the next one places.
bool WhatIfWatch::is_over() const {
  const bool all_started = std::ranges::all_of(runs_, [](const WhatIfRun& run) { return run.started.has_value(); });
  return all_started || quiet_ >= 2 || cycle_ >= kMostWhatIfCycles;
}

}  // namespace muster
