#pragma once

#include <span>
#include <string_view>

#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// A default of a definition in deploy/crds, with which a test compares the table.
struct CustomDefault {
  std::string_view group;
  std::string_view plural;
  std::string_view path;   // "spec.subGroupPolicy[].subGroupSize": of each item of a list
  std::string_view value;  // as JSON
};

std::span<const CustomDefault> custom_defaults();

// Writes them where an object says nothing, or null. As in a real server they make nothing around them: a PodGroup without
// networkTopology gets none.
void set_custom_defaults(const Kind& kind, Tree& object);

}  // namespace muster::sim
