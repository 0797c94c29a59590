#pragma once

#include <cstdint>

#include "cel/syntax_tree.h"

namespace muster::cel {

// The value of a checked expression, with `device` as a map of its fields; an error when it has none or costs too much.
Value evaluate(const SyntaxTree& tree, const Value& device, std::uint64_t cost_limit);

}  // namespace muster::cel
