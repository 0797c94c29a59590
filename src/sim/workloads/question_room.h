#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workloads/made_pods.h"

namespace muster::sim {

// Pods that a part of a workload asks for: what each of them is made of, nullptr for nothing.
struct PodsAsked {
  std::int64_t count;  // of those that are asked about: none where they are made later
  const Tree* from;
};

// Nothing made yet, but room for all that is asked for: at least one pod, not too many of them, and not too much in them.
Result<MadePods> room_for(const Submitted& workload, const std::string& field, const std::vector<PodsAsked>& asked);

// What a tree takes in memory, in bytes: many times its text where that is short.
std::size_t footprint(const Tree& tree);

}  // namespace muster::sim
