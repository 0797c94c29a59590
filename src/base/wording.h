#pragma once

#include <string>
#include <string_view>

namespace muster {

// The text with 0 for every number, be it one with decimals or a unit ("12", "1.5", "40Gi", "1m30s", "3/5"): for telling whether
// something else is said or only other numbers. Digits that are part of a name stay: "node-3", "team/7", "10.0.0.5".
std::string without_numbers(std::string_view text);

}  // namespace muster
