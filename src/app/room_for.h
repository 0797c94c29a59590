#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "policy/volcano/session.h"

namespace muster {

// Whether nodes take each of these pods now, one after the other, however far apart: of these nodes, or of all (nullptr).
bool room_for(volcano::Session& session, std::span<const PodId> pods, const Bitset* nodes = nullptr);

// Where the pods that a job misses for its minimum have room now, should its network topology let them.
struct WiderRoom {
  std::optional<std::int64_t> tier;  // the lowest above the one that it allows of which a HyperNode has room for all of them
  bool anywhere = false;             // all nodes together have
};
WiderRoom wider_room(volcano::Session& session, const volcano::Job& job, std::int64_t tier);

}  // namespace muster
