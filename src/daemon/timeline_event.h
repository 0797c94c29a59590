#pragma once

#include <string>
#include <vector>

#include "model/time.h"

namespace muster::daemon {

// Something that happened to a job.
struct TimelineEvent {
  Timestamp time;
  std::string kind;  // one word, for programs
  std::string text;  // for people
};

// {"events": […]}, of several lists of which each has the latest first: all in one order, the latest first.
std::string timeline_json(std::vector<TimelineEvent> some, const std::vector<TimelineEvent>& more);

}  // namespace muster::daemon
