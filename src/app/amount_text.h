#pragma once

#include <string>
#include <string_view>

namespace muster {

// An amount as the Volcano dialect stores it (memory in bytes, pods as a count, everything else in thousandths), as people say it:
// "2.5", "96Gi", "8". Rounded for reading: not for computing, nor for JSON.
std::string amount_text(std::string_view resource, double stored);

// The amount in units of the resource: cores, bytes, devices.
double amount_in_units(std::string_view resource, double stored);

}  // namespace muster
