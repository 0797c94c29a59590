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

// {"events": […]}, of several lists of which each has the latest first: all in one order, the latest first. That a job was let in
// comes before what is possible only then, though it may have been heard later.
std::string timeline_json(std::vector<TimelineEvent> some, const std::vector<TimelineEvent>& more);

}  // namespace muster::daemon
