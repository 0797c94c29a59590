#pragma once

#include <cstdint>

namespace muster {

// How much work was done. Unlike seconds these are the same on every machine, so tests bound them for the large shapes.
struct WorkCounters {
  std::uint64_t searches = 0;         // questions for a node
  std::uint64_t nodes_judged = 0;     // pairs of pod class and node that the filters looked at
  std::uint64_t scores_computed = 0;  // pairs of pod class and node that were scored
  std::uint64_t nodes_scanned = 0;    // remembered answers that were read one by one
  std::uint64_t undo_steps = 0;       // placements taken back
};

}  // namespace muster
