#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/whatif.h"

namespace muster {

// Copies that are run to see whether a job starts in them, as many as the bounds allow.
class WhatIfTries {
 public:
  WhatIfTries(WhatIfCluster& cluster, const WhatIfBounds& bounds) : cluster_(cluster), bounds_(bounds) {}

  const WhatIfCluster& cluster() const { return cluster_; }
  // Whether one more copy may be run. Who wants to and may not has given up, and so does everybody after it.
  bool may_go_on();
  // Whether this job of the question starts beside everybody. False as well when the bounds are reached.
  bool starts(const WhatIfQuestion& question, std::size_t job, const std::set<std::string>& without = {});
  bool gave_up() const { return gave_up_; }

 private:
  WhatIfCluster& cluster_;
  const WhatIfBounds& bounds_;
  int done_ = 0;
  bool gave_up_ = false;
};

// The smallest changes of each kind with which a job of the question starts, best first: what asks for nothing but patience, then
// what costs the job nothing, then what it would do with less of, then others who would have to end.
std::vector<FitsIf> changes_that_help(WhatIfTries& tries, const WhatIfQuestion& question, std::size_t job, const WhatIfRun& run);

}  // namespace muster
