#pragma once

#include <string_view>

namespace muster::volcano {

// Annotations that more than one part of the dialect reads.
inline constexpr std::string_view kTaskSpecKey = "volcano.sh/task-spec";
inline constexpr std::string_view kPreemptableKey = "volcano.sh/preemptable";

}  // namespace muster::volcano
