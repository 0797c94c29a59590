#pragma once

#include <string>
#include <vector>

#include "sim/schema.h"
#include "sim/unknown_field.h"

namespace muster::sim {

// Fields of a custom resource, by its definition, as a server with it treats them before anything else is looked at.

// The fields that it does not know, sorted by their paths; the first ones where there are many. What is around every object,
// metadata, is not looked into.
std::vector<UnknownField> fields_not_in(const Schema& schema, const Tree& object);

// Drops them, and what is null where it may not be; writes the defaults. As in a real server these make nothing around them: a
// PodGroup without networkTopology gets none.
void shape(const Schema& schema, Tree& object);

// What server-side apply cannot read: ".spec.minMember: expected numeric (int or float), got string".
std::optional<std::string> untyped_field(const Schema& schema, const Tree& applied);

}  // namespace muster::sim
