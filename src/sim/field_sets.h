#pragma once

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

// Every field that a document sets, without those that no manager owns: its kind, its name, what the server writes itself.
FieldSet fields_set_by(const Tree& document, ListKeys keys);
// What is at a path; nullptr where there is nothing.
const Tree* at_path(const Tree& document, const FieldPath& path);
void erase_path(Tree& document, const FieldPath& path);
// ".spec.containers[name=\"a\"].image", as messages write it.
std::string path_text(const FieldPath& path);
// Maps merge, lists with keys merge item by item, everything else is taken over.
void merge_fields(Tree& document, const Tree& applied, ListKeys keys);

Tree fields_v1(const FieldSet& fields);
FieldSet read_fields_v1(const Tree& tree);

}  // namespace muster::sim
