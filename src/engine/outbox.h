#pragma once

#include <deque>
#include <memory>
#include <string_view>

#include "engine/ids.h"
#include "model/selector.h"

namespace muster {

// For whom a pod is evicted. `pod` is the one that takes the place, none when room is made for a group as a whole or for nobody.
struct Beneficiary {
  GroupId group;
  PodId pod;
};

// A request to the outside world. Nothing outside changes before it is carried out, and its success or failure comes back as an
// event.
struct Decision {
  enum class Kind : std::uint8_t { kBind, kEvict };
  Kind kind = Kind::kBind;
  PodId pod;
  NodeId node;                                             // where it is to go, or what it leaves
  std::string_view rule;                                   // the action that decided it: a literal
  Beneficiary for_whom = {};                               // of an eviction
  std::shared_ptr<const StringMap> annotations = nullptr;  // that a bind puts on the pod; none for most
};

// Decisions of a cycle in the order in which they were made. There may be many of them: a vector that grows would touch three times
// the memory.
using Outbox = std::deque<Decision>;

}  // namespace muster
