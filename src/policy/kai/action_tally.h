#pragma once

#include <cstdint>

namespace muster::kai {

// What an action did in a cycle that its decisions alone do not tell.
struct ActionTally {
  std::uint64_t jobs = 0;       // that it tried to serve
  std::uint64_t simulated = 0;  // sets of victims that it tried out
  std::uint64_t filtered = 0;   // that it set aside without trying them out
};

}  // namespace muster::kai
