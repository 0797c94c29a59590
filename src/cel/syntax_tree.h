#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cel/value.h"

namespace muster::cel {

enum class Op : std::uint8_t {
  kConstant,
  kDevice,    // the variable `device`
  kVariable,  // of a macro, by slot
  kName,      // a name that is not resolved yet
  kSelect,    // kids: operand; text: field
  kHas,       // the same, whether it is there
  kOptionalSelect,
  kIndex,  // kids: operand, key
  kOptionalIndex,
  kCall,        // kids: arguments; text: function
  kMemberCall,  // kids: target, arguments; text: function
  kList,
  kMap,  // kids: key, value, key, value...
  kNot,
  kNegate,
  kAnd,  // two or more kids
  kOr,
  kConditional,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kAll,  // kids: range, body; text: variable
  kExists,
  kExistsOne,
  kFilter,
  kTransform,  // map(); with three kids: range, condition, body
  kBind,       // kids: value, body
};

using NodeIndex = std::uint32_t;

struct SyntaxNode {
  Op op = Op::kConstant;
  std::uint32_t at = 0;  // byte in the expression
  std::uint32_t depth = 1;
  std::uint32_t slot = 0;
  std::vector<NodeIndex> kids;
  std::string text;
  Value constant;
};

// An expression as a tree in one piece of memory: kids come before their parents.
struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  NodeIndex root = 0;
  std::uint32_t slots = 0;  // variables of macros
};

}  // namespace muster::cel
