#pragma once

#include <optional>
#include <string>

#include "app/job_outlook.h"

namespace muster {

// What a job still asks for, in the sense that matters where it stands.
struct JobNeeds {
  enum class Of {
    kMinimum,       // its pending pods up to its minimum
    kMinResources,  // spec.minResources, with which it is let in or not
    kRest,          // all its pending pods: the minimum has a place
  };
  Of of = Of::kMinimum;
  std::int64_t pods = 0;
  Amounts amounts;
};

JobNeeds needs_of(const volcano::Session& session, const volcano::Job& job, JobState state);

// A role of which fewer pods have or found a node than spec.minTaskMember asks for.
struct MissedRole {
  std::string name;
  std::int64_t minimum = 0;
  std::int64_t fit = 0;
};
// The first such role, if minimums of roles count for the job.
std::optional<MissedRole> missed_role(const volcano::Session& session, const volcano::Job& job);

// What a job asks for as a whole before it can start: with what it holds already.
Amounts whole_minimum(const volcano::Session& session, const volcano::Job& job);

// Whether the configuration has the action that places pods like those of the job that wait.
bool has_placing_action(const volcano::Session& session, const volcano::Job& job);

}  // namespace muster
