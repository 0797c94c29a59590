#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/controllers/volcano_job.h"

namespace muster::sim {

// The status of a Volcano Job, as far as it counts.
struct VolcanoJobStatus {
  std::string phase;
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t terminating = 0;
  std::int64_t unknown = 0;
  std::int64_t version = 0;
  std::int64_t retries = 0;
  std::int64_t min_available = 0;
  std::map<std::string, std::map<std::string, std::int64_t>> tasks;  // pods by phase

  bool operator==(const VolcanoJobStatus&) const = default;

  static VolcanoJobStatus of(const Tree& job);
  // With everything that is counted set to nothing.
  VolcanoJobStatus uncounted() const;
  void count(const Object& pod);
  bool has_living() const { return terminating != 0 || pending != 0 || running != 0; }
  // Into the object; a phase that is new gets a time and a condition.
  void write_to(Tree& job, const std::string& now) const;
};

// When a Job goes from one phase to the next by itself. Each says whether it did.
bool leave_pending(const VolcanoJob& job, VolcanoJobStatus& status);
bool leave_running(const VolcanoJob& job, VolcanoJobStatus& status);
bool leave_restarting(const VolcanoJob& job, VolcanoJobStatus& status);

}  // namespace muster::sim
