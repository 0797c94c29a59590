#pragma once

#include <cstdint>
#include <string>

namespace muster::daemon {

// Which cycle decided something, and by which action, for whoever reads logs. 0 and empty: no cycle did, or no action in
// particular.
struct Decided {
  std::uint64_t cycle = 0;
  std::string action = {};
};

// Of a write.
template <class One>
Decided decided_of(const One& write) {
  if constexpr (requires { write.rule; })
    return {write.cycle, write.rule};
  else
    return {write.cycle, {}};
}

}  // namespace muster::daemon
