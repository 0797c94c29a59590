#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/ids.h"
#include "model/selector.h"

namespace muster {

// A request to the outside world. Nothing outside changes before it is carried out, and its success or failure comes back as an
// event.
struct Decision {
  enum class Kind : std::uint8_t { kBind, kEvict };
  Kind kind = Kind::kBind;
  PodId pod;
  NodeId node;
  std::string_view rule;                         // the action that decided it: a literal
  std::shared_ptr<const StringMap> annotations;  // that the bind puts on the pod; none for most
};

// Decisions of a cycle in the order in which they were made.
using Outbox = std::vector<Decision>;

}  // namespace muster
