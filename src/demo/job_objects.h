#pragma once

#include <cstdint>

#include "demo/dialect.h"
#include "demo/job_stream.h"
#include "demo/world.h"

namespace muster::demo {

// The objects of a job: its group, and its pods, which belong to the group and go with it. Both have the namespace of their queue.
PlannedObject group_of(const PlannedJob& job, Dialect dialect);
std::string pod_name(const PlannedJob& job, std::int64_t index);
// With twice the speed, it runs half as long.
PlannedObject pod_of(const PlannedJob& job, std::int64_t index, const std::string& group_uid, Dialect dialect, double speed);

const sim::Kind& group_kind(Dialect dialect);

}  // namespace muster::demo
