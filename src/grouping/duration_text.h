#pragma once

#include <cstdint>
#include <string>

namespace muster::grouping {

// A duration as Go writes it: "1h0m0s", "1.5s", "250ms", "0s".
std::string go_duration_text(std::int64_t nanos);

}  // namespace muster::grouping
