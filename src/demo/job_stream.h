#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "demo/scenario.h"

namespace muster::demo {

// A job that comes.
struct PlannedJob {
  std::int64_t at_millis = 0;  // after the beginning
  const JobPlan* plan;         // of the scenario
  std::string name;            // unique in its queue
  std::int64_t pods = 1;
  std::int64_t least = 1;                        // how many of them must start together
  std::optional<std::int64_t> run_seconds = {};  // nothing: for ever
};

// The jobs of a scenario in the order in which they come. The same scenario, seed and load give the same jobs. The scenario must
// outlive it.
class JobStream {
 public:
  // With twice the load, jobs come twice as often and there are twice as many at the beginning: for clusters that are larger than
  // the scenario was written for.
  JobStream(const Scenario& scenario, double load);

  // The next job, if it comes until then.
  std::optional<PlannedJob> next_until(std::int64_t millis);

 private:
  struct Source {
    const JobPlan* plan;
    std::uint64_t random;
    std::int64_t at_millis;
    std::optional<std::int64_t> left;  // nothing: without end
    std::int64_t made = 0;
  };
  PlannedJob take(Source& source) const;

  std::vector<Source> sources_;
  double load_;
};

}  // namespace muster::demo
