#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/selector.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// The name of an object among those of its kind. The namespace of cluster-wide ones is empty.
struct Key {
  std::string ns;
  std::string name;

  auto operator<=>(const Key&) const = default;
};

// An object as it was at one revision. Never changes; a write makes another one. It is kept as the text that is sent, with what the
// store and selectors need of it beside.
struct Object {
  Key key;
  std::string uid;
  std::uint64_t revision = 0;
  bool is_deleting = false;
  StringMap labels;
  StringMap fields;                 // those by which its kind can be selected; absent ones are empty
  std::vector<std::string> owners;  // their uids
  std::string text;
  std::size_t levels = 0;  // how deep the text is nested

  Tree tree() const;
};
using ObjectPtr = std::shared_ptr<const Object>;

// Reads what is needed of a tree whose metadata.resourceVersion is that revision.
ObjectPtr make_object(const Kind& kind, const Tree& tree, std::uint64_t revision);

}  // namespace muster::sim
