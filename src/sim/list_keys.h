#pragma once

#include <string_view>

#include "sim/tree.h"

namespace muster::sim {

// How the items of a list are told apart when it is merged.
enum class ListMerge {
  kAtomic,  // they are not: another list replaces it
  kByKey,   // items are maps with a key
  kSet,     // items are texts, each once
};

struct ListRule {
  ListMerge merge = ListMerge::kAtomic;
  std::string_view key = {};
};

// The rule for the list in a field of the kinds that the API server has types for; `parent` is the field around the one that holds
// it ("containers" for the ports of a container, "spec" for those of a service).
ListRule list_rule(std::string_view parent, std::string_view field);

// The item whose key has this value; nullptr where there is none.
Tree* item_with(Tree::List& items, std::string_view key, const Tree& value);

}  // namespace muster::sim
