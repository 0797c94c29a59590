#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/api_error.h"
#include "sim/kinds.h"
#include "sim/run_time.h"

namespace muster::sim {

// How pods and nodes are simulated is written on them. Times are in seconds, with or without a unit.

// Of a pod: from its binding to Running (1).
inline constexpr std::string_view kStartSeconds = "sim.muster/start-seconds";
// Of a pod: from Running to its end, or a range of which it gets a time.
inline constexpr std::string_view kRunSeconds = "sim.muster/run-seconds";
// Of a pod: how it ends (0).
inline constexpr std::string_view kExitCode = "sim.muster/exit-code";
// Of a pod: from its deletion until it has gone, at most its grace period (0).
inline constexpr std::string_view kStopSeconds = "sim.muster/stop-seconds";
// Of a node: "true" while it does not answer.
inline constexpr std::string_view kNodeDown = "sim.muster/down";
// Of a node: until its pods are given up while it is down, at the latest.
inline constexpr std::string_view kEvictAfterSeconds = "sim.muster/evict-after-seconds";

// Nothing where it is not said, or was kept by a version that took what means nothing.
std::optional<std::int64_t> annotated_seconds(const Tree& object, std::string_view key);
std::optional<RunTime> annotated_run_time(const Tree& pod);

// What a write must not say, because nobody could act on it. What an object says already may stay: it must still be possible to
// change the rest of it. `before` is empty for a new one.
std::vector<Cause> wrong_life_annotations(const Kind& kind, const Tree& before, const Tree& after);

}  // namespace muster::sim
