#pragma once

#include <string_view>
#include <vector>

#include "sim/schema.h"

namespace muster::sim {

// What is wrong with a custom resource by its definition, in the words of a real server; a hundred causes at most, or fewer where
// they are long. Rules in CEL are not evaluated.
std::vector<Cause> wrong_fields(const Schema& schema, const Tree& object);

// The same of a change, which is not blamed for what was there before: equal values are passed over, but not within lists, where
// a server cannot tell which item was which.
std::vector<Cause> newly_wrong_fields(const Schema& schema, const Tree& before, const Tree& after);

// The same of a change of the status alone.
std::vector<Cause> newly_wrong_status(const Schema& schema, const Tree& before, const Tree& after);

}  // namespace muster::sim
