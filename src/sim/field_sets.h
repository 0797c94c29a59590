#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/tree.h"

namespace muster::sim {

// Whether lists may have keys: those of kinds that the API server has types for. All others are replaced as a whole.
enum class ListKeys { kTyped, kNone };

// The way to a field of an object, in the steps of FieldsV1: "f:spec", "k:{\"name\":\"a\"}" for the item of a list, "v:\"x\"" for
// one of a set, "." for the item itself.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;
// With what is in them, inside the document that they are of.
using Fields = std::map<FieldPath, const Tree*>;

// Objects may have hundreds of thousands of fields. Everything here looks at each of them once, and finds others in sorted sets.

// Every field that a document sets, without those that no manager owns: its kind, its name, what the server writes itself. A null
// sets nothing.
Fields fields_of(const Tree& document, ListKeys keys);
void erase_fields(Tree& document, const FieldSet& gone, ListKeys keys);
// Maps merge, lists with keys merge item by item, everything else is taken over.
void merge_fields(Tree& document, const Tree& applied, ListKeys keys);

// ".spec.containers[name=\"a\"].image", as messages write it.
std::string path_text(const FieldPath& path);

Tree fields_v1(const FieldSet& fields);
FieldSet read_fields_v1(const Tree& tree);

// How many members and items the functions above have looked at on this thread; for tests.
std::uint64_t fields_looked_at();

inline const FieldPath& path_of(const FieldPath& path) { return path; }
inline const FieldPath& path_of(const Fields::value_type& field) { return field.first; }

// Whether a field, or something in it, is among those of a FieldSet or of Fields.
template <class Sorted>
bool has_any_below(const Sorted& fields, FieldPath path) {
  if (!path.empty() && path.back() == ".") path.pop_back();
  const auto next = fields.lower_bound(path);
  return next != fields.end() && path_of(*next).size() >= path.size() &&
         std::equal(path.begin(), path.end(), path_of(*next).begin());
}

}  // namespace muster::sim
