#pragma once

#include <string_view>
#include <vector>

#include "engine/ids.h"

namespace muster {

// A request to the outside world. Nothing outside changes before it is carried out, and its success or failure comes back as an
// event.
struct Decision {
  enum class Kind : std::uint8_t { kBind, kEvict };
  Kind kind = Kind::kBind;
  PodId pod;
  NodeId node;
  std::string_view rule;  // the action that decided it: a literal
};

// Decisions of a cycle in the order in which they were made.
using Outbox = std::vector<Decision>;

}  // namespace muster
