#pragma once

#include "app/job_outlook.h"

namespace muster {

// All states of jobs, in the order in which they are counted for people.
inline constexpr JobState kJobStates[] = {JobState::kPlaced,  JobState::kRunning, JobState::kPartial, JobState::kPipelined,
                                          JobState::kWaiting, JobState::kEnding,  JobState::kFinished};

}  // namespace muster
