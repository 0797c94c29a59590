#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "sim/tree.h"

namespace muster::sim {

// How the items of a list are told apart when it is merged.
enum class ListMerge {
  kAtomic,  // they are not: another list replaces it
  kByKey,   // items are maps with keys
  kSet,     // items are texts, each once
};

// A field by which items are told apart. Every item has the first one; of the others, what one does not say is the usual value, or
// is left out where there is none.
struct ListKey {
  std::string_view name;
  std::string_view usual = {};
};

struct ListRule {
  ListMerge merge = ListMerge::kAtomic;
  std::span<const ListKey> keys = {};
};

// The rule for the list in a field of the kinds that the API server has types for; `parent` is the field around the one that holds
// it ("containers" for the ports of a container, "spec" for those of a service). Strategic merge patches know one key for each
// list, so that ports are one by their number alone; server-side apply knows all of them, and some lists that those replace.
ListRule patched_list(std::string_view parent, std::string_view field);
ListRule applied_list(std::string_view parent, std::string_view field);

// The keys of an item with their values; nothing where it has none.
std::optional<Tree> keys_of(const Tree& item, std::span<const ListKey> keys);

// The item whose key has this value; nullptr where there is none.
Tree* item_with(Tree::List& items, std::string_view key, const Tree& value);

}  // namespace muster::sim
