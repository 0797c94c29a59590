#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/whatif.h"

namespace muster {

// How many cycles a run may take. Enqueueing takes one, evicting another, and room comes when the evicted have gone.
inline constexpr int kMostWhatIfCycles = 12;

// Follows the jobs of a question through the cycles of a run.
class WhatIfWatch {
 public:
  WhatIfWatch(const WhatIfQuestion& question, Dialect dialect);

  // The jobs that have not started: the next cycle is to explain them, in this order.
  std::vector<std::string> waiting() const;
  // What a cycle decided, and how those that waited stood in it.
  void take(const std::map<std::string, std::string>& binds, const std::vector<Eviction>& evictions,
            std::vector<Explanation> explanations);
  // Pods that were gone before the next cycle.
  void take_left(const std::vector<std::string>& pods);
  // Every job has started, or nothing happens any more.
  bool is_over() const;

  std::vector<WhatIfRun> take_runs() { return std::move(runs_); }

 private:
  bool has_minimum(const WhatIfJob& job, const WhatIfRun& run) const;

  std::int64_t members_of_role(const WhatIfJob& job, const WhatIfRun& run, const std::string& role) const;

  const std::vector<WhatIfJob>& jobs_;
  const Dialect dialect_;
  std::vector<WhatIfRun> runs_;
  std::set<std::string> evicted_;  // by whatever action, for whomever
  int cycle_ = 0;
  int quiet_ = 0;  // cycles in a row in which nothing happened
};

}  // namespace muster
