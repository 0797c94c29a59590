#pragma once

#include <string_view>

#include "base/result.h"
#include "cel/syntax_tree.h"

namespace muster::cel {

// Resolves the names of an expression and checks the kinds of its parts as far as they are known beforehand. Attributes of devices
// are not: they are checked when they are evaluated. The whole must be a truth value or unknown.
Result<void> check(SyntaxTree& tree, std::string_view expression);

}  // namespace muster::cel
