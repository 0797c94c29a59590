#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/books.h"

namespace muster {

// What keeps pods of a shape off a node, whoever leaves it, by what both say of themselves: of several rules that refuse, sessions
// tell the first alone.
struct NodeBars {
  bool unselected = false;           // the pod's node selector or affinity does not want it
  bool cordoned = false;             // whether or not the pod tolerates the taint that a cordon sets
  std::vector<std::string> taints;   // not tolerated, as "key=value:Effect", but for those of the cordon and
  std::vector<std::string> passing;  // those that the cluster sets as long as something is wrong with the node

  // Without what passes.
  std::size_t count() const { return static_cast<std::size_t>(unselected) + static_cast<std::size_t>(cordoned) + taints.size(); }
};

NodeBars bars_on(const NodeRecord& node, const PodShape& shape);

}  // namespace muster
