#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/quantity.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

// How KAI's scheduler writes numbers and amounts into what it tells.

// With at most three decimals, the rest cut off: "1.5", "8.589".
std::string cut_number(double value);
// With three digits: "0.5", "8", "1e+03".
std::string short_number(double value);
// As a plain number is written, with as many digits as it needs.
std::string full_number(double value);
// Of a queue, in this unit; -1 is "Unlimited".
std::string queue_number(double value, double unit);

inline constexpr double kMilliPerCore = 1000;
inline constexpr double kBytesPerGb = 1e9;

// "GPU: 4, CPU: 2.5 (cores), memory: 8.589 (GB)". Of one GPU or more only whole ones are told.
std::string amounts_text(const Quantities& amounts);
// The same as a list of resources.
ResourceList resource_list(const Quantities& amounts);

// Of nanoseconds: "1h0m0s", "1m30s", "2.5s", "300ms".
std::string duration_text(std::int64_t nanos);

// For so long a text is not told again of which only numbers have changed: how many nodes have how much changes with every pod that
// comes or goes.
inline constexpr std::int64_t kNumbersLast = 60;  // seconds

}  // namespace muster::kai
