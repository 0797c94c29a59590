#pragma once

#include <string>
#include <string_view>

#include "app/amount_text.h"

namespace muster {

// An amount in units of the resource (cores, bytes, devices) as the Volcano dialect stores it.
inline double amount_of_units(std::string_view resource, double units) {
  const double one = amount_in_units(resource, 1000);  // what a thousand stored ones are
  return units * 1000 / one;
}

// As amount_text(), of an amount in units of the resource.
inline std::string units_text(std::string_view resource, double units) {
  return amount_text(resource, amount_of_units(resource, units));
}

}  // namespace muster
