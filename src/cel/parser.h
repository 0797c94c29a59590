#pragma once

#include <string_view>

#include "base/result.h"
#include "cel/syntax_tree.h"

namespace muster::cel {

// Longer expressions are refused, as Kubernetes does, and so are deeper ones.
inline constexpr std::size_t kMaxExpressionLength = 10 * 1024;
inline constexpr std::uint32_t kMaxExpressionDepth = 250;

// Reads an expression. Macros are already tree nodes in the result. Errors carry line and column.
Result<SyntaxTree> parse(std::string_view expression);

// "ERROR: <input>:1:8: text", with the line of the expression and a mark under the place.
Error error_at(std::string_view expression, std::size_t at, std::string_view text);

}  // namespace muster::cel
