#include "cel/evaluator.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "cel/functions.h"

namespace muster::cel {
namespace {

Value not_a_number() { return no_such_overload(); }
Value overflow() { return Value::error("integer overflow"); }
Value unsigned_overflow() { return Value::error("unsigned integer overflow"); }

Value calculate(Op op, std::int64_t left, std::int64_t right) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  std::int64_t out = 0;
  switch (op) {
    case Op::kAdd: return __builtin_add_overflow(left, right, &out) ? overflow() : Value(out);
    case Op::kSubtract: return __builtin_sub_overflow(left, right, &out) ? overflow() : Value(out);
    case Op::kMultiply: return __builtin_mul_overflow(left, right, &out) ? overflow() : Value(out);
    case Op::kDivide:
      if (right == 0) return Value::error("division by zero");
      return left == kMin && right == -1 ? overflow() : Value(left / right);
    default:
      if (right == 0) return Value::error("modulus by zero");
      return left == kMin && right == -1 ? overflow() : Value(left % right);
  }
}

Value calculate(Op op, std::uint64_t left, std::uint64_t right) {
  std::uint64_t out = 0;
  switch (op) {
    case Op::kAdd: return __builtin_add_overflow(left, right, &out) ? unsigned_overflow() : Value(out);
    case Op::kSubtract: return left < right ? unsigned_overflow() : Value(left - right);
    case Op::kMultiply: return __builtin_mul_overflow(left, right, &out) ? unsigned_overflow() : Value(out);
    case Op::kDivide: return right == 0 ? Value::error("division by zero") : Value(left / right);
    default: return right == 0 ? Value::error("modulus by zero") : Value(left % right);
  }
}

Value calculate(Op op, double left, double right) {
  switch (op) {
    case Op::kAdd: return left + right;
    case Op::kSubtract: return left - right;
    case Op::kMultiply: return left * right;
    case Op::kDivide: return left / right;
    default: return not_a_number();
  }
}

bool fits(const Overload& overload, std::span<const Value> arguments) {
  if (overload.parameters.size() != arguments.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (overload.parameters[i] != Kind::kDyn && overload.parameters[i] != arguments[i].kind()) return false;
  return true;
}

class Evaluator {
 public:
  Evaluator(const SyntaxTree& tree, const Value& device, std::uint64_t limit)
      : tree_(tree), device_(device), budget_(limit), variables_(tree.slots) {}

  Value run() {
    auto value = visit(tree_.root);
    return budget_.exhausted() ? Budget::error() : value;
  }

 private:
  const SyntaxNode& node(NodeIndex index) const { return tree_.nodes[index]; }

  Value visit(NodeIndex index) {
    const auto& n = node(index);
    if (n.op == Op::kConstant) return n.constant;
    if (!budget_.spend(1)) return Budget::error();
    switch (n.op) {
      case Op::kVariable: return variables_[n.slot];
      case Op::kDevice: return device_;
      case Op::kSelect:
      case Op::kOptionalSelect: return select(n);
      case Op::kHas: return has(n);
      case Op::kIndex:
      case Op::kOptionalIndex: return index_into(n);
      case Op::kCall:
      case Op::kMemberCall: return call(n);
      case Op::kList: return list(n);
      case Op::kMap: return map(n);
      case Op::kNot: return negate_truth(visit(n.kids[0]));
      case Op::kNegate: return negate(visit(n.kids[0]));
      case Op::kAnd: return logic(n, false);
      case Op::kOr: return logic(n, true);
      case Op::kConditional: return conditional(n);
      case Op::kAll: return quantify(n, false);
      case Op::kExists: return quantify(n, true);
      case Op::kExistsOne: return exists_one(n);
      case Op::kFilter:
      case Op::kTransform: return transform(n);
      case Op::kBind: return bind(n);
      case Op::kName: return no_such_overload();  // the checker leaves none
      default: return binary(n);
    }
  }

  // ---- fields and items
  static const Value& empty_map() {
    static const Value kEmpty = Value::map({});
    return kEmpty;
  }

  // An item of a container; nullptr with an empty `error`: it is not there.
  const Value* find(const Value& container, const Value& key, Value& error) {
    if (container.is(Kind::kMap)) {
      if (!budget_.spend(container.map().entries.size() / 8)) {
        error = Budget::error();
        return nullptr;
      }
      const auto* found = container.map().find(key);
      return found == nullptr && container.map().has_default ? &empty_map() : found;
    }
    if (container.is(Kind::kList) && key.is_number()) {
      for (std::int64_t i = 0; const auto& item : container.items()) {
        if (!budget_.spend(1)) break;
        if (equal(Value(i++), key)) return &item;
      }
      return nullptr;
    }
    error = no_such_overload();
    return nullptr;
  }

  static Value missing(const Value& container, const Value& key) {
    if (!container.is(Kind::kList)) return no_such_key(key);
    return Value::error("index out of bounds: " + (key.is(Kind::kInt) ? std::to_string(key.integer()) : std::string("?")));
  }

  static Value some(const Value& value) { return Value::Optional{std::make_shared<const Value>(value)}; }

  // operand.key or operand[key]; on an optional, or when asked for, the answer is an optional.
  Value item(const Value& operand, const Value& key, bool optional) {
    if (operand.is_error()) return operand;
    if (key.is_error()) return key;
    const bool chained = operand.is(Kind::kOptional);
    if (chained && operand.optional() == nullptr) return operand;
    const auto& container = chained ? *operand.optional() : operand;
    Value error;
    const auto* found = find(container, key, error);
    if (found != nullptr) return chained || optional ? some(*found) : *found;
    if (error.is_error()) return error;
    return chained || optional ? Value(Value::Optional{}) : missing(container, key);
  }

  Value select(const SyntaxNode& n) { return item(visit(n.kids[0]), Value(n.text), n.op == Op::kOptionalSelect); }

  Value has(const SyntaxNode& n) {
    const auto found = item(visit(n.kids[0]), Value(n.text), true);
    return found.is(Kind::kOptional) ? Value(found.optional() != nullptr) : found;
  }

  Value index_into(const SyntaxNode& n) {
    const auto operand = visit(n.kids[0]);
    const auto key = visit(n.kids[1]);
    return item(operand, key, n.op == Op::kOptionalIndex);
  }

  // ---- calls
  Value call(const SyntaxNode& n) {
    std::vector<Value> arguments;
    arguments.reserve(n.kids.size());
    std::uint64_t weight = 0;
    for (const auto kid : n.kids) {
      arguments.push_back(visit(kid));
      if (arguments.back().is_error()) return arguments.back();
      if (arguments.back().is(Kind::kString)) weight += arguments.back().weight();
    }
    if (!budget_.spend(weight)) return Budget::error();
    const bool member = n.op == Op::kMemberCall;
    for (const auto& overload : find_functions(n.text, member ? Overload::Style::kMember : Overload::Style::kGlobal))
      if (fits(overload, arguments)) return overload.call(arguments, budget_);
    std::string signature;
    for (const auto& argument : arguments) signature.append(signature.empty() ? "" : ", ").append(name_of(argument.kind()));
    return Value::error("no such overload: " + n.text + "(" + signature + ")");
  }

  Value list(const SyntaxNode& n) {
    std::vector<Value> items;
    items.reserve(n.kids.size());
    for (const auto kid : n.kids) {
      items.push_back(visit(kid));
      if (items.back().is_error()) return items.back();
    }
    if (!budget_.spend(10)) return Budget::error();
    return Value::list(std::move(items));
  }

  Value map(const SyntaxNode& n) {
    std::vector<std::pair<Value, Value>> entries;
    for (std::size_t i = 0; i + 1 < n.kids.size(); i += 2) {
      auto key = visit(n.kids[i]);
      auto value = visit(n.kids[i + 1]);
      if (key.is_error()) return key;
      if (value.is_error()) return value;
      const bool plain = key.is(Kind::kString) || key.is(Kind::kInt) || key.is(Kind::kUint) || key.is(Kind::kBool);
      if (!plain) return Value::error("unsupported key type");
      if (!budget_.spend(entries.size())) return Budget::error();
      for (const auto& [known, unused] : entries)
        if (equal(known, key)) return Value::error("Failed with repeated key");
      entries.emplace_back(std::move(key), std::move(value));
    }
    if (!budget_.spend(30)) return Budget::error();
    return Value::map(std::move(entries));
  }

  // ---- operators
  static Value negate_truth(const Value& value) {
    if (value.is_error()) return value;
    return value.is(Kind::kBool) ? Value(!value.boolean()) : no_such_overload();
  }

  static Value negate(const Value& value) {
    if (value.is_error()) return value;
    if (value.is(Kind::kDouble)) return -value.real();
    if (!value.is(Kind::kInt)) return no_such_overload();
    return calculate(Op::kSubtract, std::int64_t{0}, value.integer());
  }

  // One operand that decides is enough, whatever is wrong with the others.
  Value logic(const SyntaxNode& n, bool decisive) {
    Value error;
    for (const auto kid : n.kids) {
      auto value = visit(kid);
      if (budget_.exhausted()) return Budget::error();
      if (value.is(Kind::kBool) && value.boolean() == decisive) return decisive;
      if (!value.is(Kind::kBool) && !error.is_error()) error = value.is_error() ? std::move(value) : no_such_overload();
    }
    return error.is_error() ? error : Value(!decisive);
  }

  Value conditional(const SyntaxNode& n) {
    const auto condition = visit(n.kids[0]);
    if (condition.is_error()) return condition;
    if (!condition.is(Kind::kBool)) return no_such_overload();
    return visit(n.kids[condition.boolean() ? 1 : 2]);
  }

  Value binary(const SyntaxNode& n) {
    const auto left = visit(n.kids[0]);
    if (left.is_error()) return left;
    const auto right = visit(n.kids[1]);
    if (right.is_error()) return right;
    switch (n.op) {
      case Op::kEqual:
      case Op::kNotEqual:
        if (!budget_.spend(std::min(left.weight(), right.weight()))) return Budget::error();
        return equal(left, right) == (n.op == Op::kEqual);
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual: return relation(n.op, left, right);
      case Op::kIn: return contained(left, right);
      default: return arithmetic(n.op, left, right);
    }
  }

  Value relation(Op op, const Value& left, const Value& right) {
    if (!budget_.spend(std::min(left.weight(), right.weight()))) return Budget::error();
    const auto order = compare(left, right);
    if (order.is_error()) return order;
    switch (op) {
      case Op::kLess: return order.integer() < 0;
      case Op::kLessEqual: return order.integer() <= 0;
      case Op::kGreater: return order.integer() > 0;
      default: return order.integer() >= 0;
    }
  }

  Value contained(const Value& left, const Value& right) {
    if (!budget_.spend(right.weight())) return Budget::error();
    if (right.is(Kind::kMap)) return right.map().find(left) != nullptr;
    if (!right.is(Kind::kList)) return no_such_overload();
    return std::any_of(right.items().begin(), right.items().end(), [&](const Value& item) { return equal(item, left); });
  }

  Value arithmetic(Op op, const Value& left, const Value& right) {
    if (left.kind() != right.kind()) return no_such_overload();
    switch (left.kind()) {
      case Kind::kInt: return calculate(op, left.integer(), right.integer());
      case Kind::kUint: return calculate(op, left.unsigned_integer(), right.unsigned_integer());
      case Kind::kDouble: return calculate(op, left.real(), right.real());
      default: break;
    }
    if (op != Op::kAdd) return no_such_overload();
    // What is put together is copied. Lists are copied item by item, however much is in the items.
    const bool lists = left.is(Kind::kList);
    if (!budget_.spend(lists ? left.size() + right.size() : left.weight() + right.weight())) return Budget::error();
    if (left.is(Kind::kString)) return left.string() + right.string();
    if (left.is(Kind::kBytes)) return Value::Bytes{left.bytes() + right.bytes()};
    if (!lists) return no_such_overload();
    auto items = left.items();
    items.insert(items.end(), right.items().begin(), right.items().end());
    return Value::list(std::move(items));
  }

  // ---- macros
  // Calls f(item) for every item of a list or key of a map, until it returns false. An error: the range is none.
  template <class F>
  Value for_each(const SyntaxNode& n, F f) {
    const auto range = visit(n.kids[0]);
    if (range.is_error()) return range;
    const auto step = [&](const Value& value) {
      variables_[n.slot] = value;
      return budget_.spend(1) && f();
    };
    if (range.is(Kind::kList)) {
      for (const auto& item : range.items())
        if (!step(item)) break;
    } else if (range.is(Kind::kMap)) {
      for (const auto& [key, value] : range.map().entries)
        if (!step(key)) break;
    } else {
      return no_such_overload();
    }
    return budget_.exhausted() ? Budget::error() : Value();
  }

  Value quantify(const SyntaxNode& n, bool decisive) {
    Value error;
    bool decided = false;
    const auto walked = for_each(n, [&] {
      auto value = visit(n.kids[1]);
      decided = value.is(Kind::kBool) && value.boolean() == decisive;
      if (!value.is(Kind::kBool) && !error.is_error()) error = value.is_error() ? std::move(value) : no_such_overload();
      return !decided;
    });
    if (walked.is_error()) return walked;
    if (decided) return decisive;
    return error.is_error() ? error : Value(!decisive);
  }

  Value exists_one(const SyntaxNode& n) {
    Value error;
    std::size_t count = 0;
    const auto walked = for_each(n, [&] {
      auto value = visit(n.kids[1]);
      if (value.is(Kind::kBool))
        count += value.boolean();
      else
        error = value.is_error() ? std::move(value) : no_such_overload();
      return !error.is_error();
    });
    if (walked.is_error()) return walked;
    return error.is_error() ? error : Value(count == 1);
  }

  // filter(x, condition), map(x, body), map(x, condition, body)
  Value transform(const SyntaxNode& n) {
    std::vector<Value> items;
    Value error;
    const bool filters = n.op == Op::kFilter || n.kids.size() == 3;
    const auto walked = for_each(n, [&] {
      if (filters) {
        auto keep = visit(n.kids[1]);
        if (!keep.is(Kind::kBool)) {
          error = keep.is_error() ? std::move(keep) : no_such_overload();
          return false;
        }
        if (!keep.boolean()) return true;
      }
      auto value = n.op == Op::kFilter ? variables_[n.slot] : visit(n.kids.back());
      if (value.is_error()) error = value;
      items.push_back(std::move(value));
      return !error.is_error();
    });
    if (walked.is_error()) return walked;
    return error.is_error() ? error : Value::list(std::move(items));
  }

  Value bind(const SyntaxNode& n) {
    variables_[n.slot] = visit(n.kids[0]);  // an error counts only where the variable is used
    return visit(n.kids[1]);
  }

  const SyntaxTree& tree_;
  const Value& device_;
  Budget budget_;
  std::vector<Value> variables_;
};

}  // namespace

Value evaluate(const SyntaxTree& tree, const Value& device, std::uint64_t cost_limit) {
  return Evaluator(tree, device, cost_limit).run();
}

}  // namespace muster::cel
