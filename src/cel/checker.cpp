#include "cel/checker.h"

#include <algorithm>
#include <optional>

#include "cel/functions.h"
#include "cel/parser.h"

namespace muster::cel {
namespace {

// What is known of a value beforehand. Lists and optionals have one part, maps two.
struct Type {
  Kind kind = Kind::kDyn;
  std::vector<Type> parts;

  Type() = default;
  Type(Kind k) : kind(k) {}
  Type(Kind k, std::vector<Type> p) : kind(k), parts(std::move(p)) {}

  bool is_dyn() const { return kind == Kind::kDyn; }
  Type part(std::size_t i) const { return i < parts.size() ? parts[i] : Type(); }
  std::string text() const {
    std::string out(name_of(kind));
    for (std::size_t i = 0; i < parts.size(); ++i) out.append(i == 0 ? "(" : ", ").append(parts[i].text());
    return parts.empty() ? out : out + ")";
  }
};

bool is_number(Kind kind) { return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble; }

// Whether a value may be of both types.
bool compatible(const Type& left, const Type& right) {
  if (left.is_dyn() || right.is_dyn()) return true;
  if (left.kind == Kind::kNull || right.kind == Kind::kNull) {
    const auto other = left.kind == Kind::kNull ? right.kind : left.kind;
    return other == Kind::kNull || other == Kind::kQuantity || other == Kind::kSemver;
  }
  if (left.kind != right.kind) return false;
  for (std::size_t i = 0; i < std::min(left.parts.size(), right.parts.size()); ++i)
    if (!compatible(left.parts[i], right.parts[i])) return false;
  return true;
}

constexpr Kind kTypeNames[] = {Kind::kBool,  Kind::kInt,  Kind::kUint, Kind::kDouble, Kind::kString,
                               Kind::kBytes, Kind::kList, Kind::kMap,  Kind::kType,   Kind::kNull};
constexpr std::string_view kNamespaces[] = {"optional", "sets"};

std::string_view operator_name(Op op) {
  switch (op) {
    case Op::kNot: return "!_";
    case Op::kNegate: return "-_";
    case Op::kAnd: return "_&&_";
    case Op::kOr: return "_||_";
    case Op::kConditional: return "_?_:_";
    case Op::kEqual: return "_==_";
    case Op::kNotEqual: return "_!=_";
    case Op::kLess: return "_<_";
    case Op::kLessEqual: return "_<=_";
    case Op::kGreater: return "_>_";
    case Op::kGreaterEqual: return "_>=_";
    case Op::kIn: return "@in";
    case Op::kAdd: return "_+_";
    case Op::kSubtract: return "_-_";
    case Op::kMultiply: return "_*_";
    case Op::kDivide: return "_/_";
    case Op::kModulo: return "_%_";
    case Op::kIndex: return "_[_]";
    default: return "";
  }
}

class Checker {
 public:
  Checker(SyntaxTree& tree, std::string_view text) : tree_(tree), text_(text) {}

  Result<void> run() {
    const auto type = visit(tree_.root);
    if (error_) return fail(std::move(*error_));
    if (type.kind == Kind::kBool || type.is_dyn()) return {};
    return fail("must evaluate to bool or the unknown type, not " + type.text());
  }

 private:
  Type wrong(std::size_t at, const std::string& text) {
    if (!error_) error_ = error_at(text_, at, text);
    return {};
  }
  Type no_overload(const SyntaxNode& node, std::string_view function, const std::vector<Type>& types, bool member) {
    std::string list;
    for (std::size_t i = member ? 1 : 0; i < types.size(); ++i)
      list.append(i == (member ? 1u : 0u) ? "" : ", ").append(types[i].text());
    auto text = "found no matching overload for '" + std::string(function) + "' applied to '";
    text += member ? types.front().text() + ".(" + list + ")'" : "(" + list + ")'";
    return wrong(node.at, text);
  }

  std::vector<Type> kids(const SyntaxNode& node) {
    std::vector<Type> types;
    for (const auto kid : node.kids) types.push_back(visit(kid));
    return types;
  }

  Type visit(NodeIndex index) {
    auto& node = tree_.nodes[index];
    if (error_) return {};
    switch (node.op) {
      case Op::kConstant: return node.constant.kind();
      case Op::kDevice: return Kind::kDevice;
      case Op::kVariable: return {};
      case Op::kName: return name(node);
      case Op::kSelect:
      case Op::kHas:
      case Op::kOptionalSelect: return selection(node);
      case Op::kIndex:
      case Op::kOptionalIndex: return indexing(node);
      case Op::kCall:
      case Op::kMemberCall: return call(node);
      case Op::kList: return list(node);
      case Op::kMap: return map(node);
      case Op::kAll:
      case Op::kExists:
      case Op::kExistsOne:
      case Op::kFilter:
      case Op::kTransform: return comprehension(node);
      case Op::kBind: return bind(node);
      case Op::kConditional: return conditional(node);
      default: return operation(node);
    }
  }

  Type name(SyntaxNode& node) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (scope->name == node.text) {
        node.op = Op::kVariable;
        node.slot = scope->slot;
        return scope->type;
      }
    if (node.text == "device") {
      node.op = Op::kDevice;
      return Kind::kDevice;
    }
    for (const auto kind : kTypeNames)
      if (name_of(kind) == node.text) {
        node.op = Op::kConstant;
        node.constant = Value::TypeName{node.text};
        return Kind::kType;
      }
    return wrong(node.at, "undeclared reference to '" + node.text + "' (in container '')");
  }

  Type field_of(const SyntaxNode& node, const Type& operand) {
    switch (operand.kind) {
      case Kind::kDyn: return {};
      case Kind::kMap: return operand.part(1);
      case Kind::kDevice:
        if (node.text == "driver") return Kind::kString;
        if (node.text == "allowMultipleAllocations") return Kind::kBool;
        if (node.text == "attributes") return domains({});
        if (node.text == "capacity") return domains(Kind::kQuantity);
        return wrong(node.at, "undefined field '" + node.text + "'");
      default: return wrong(node.at, "type '" + operand.text() + "' does not support field selection");
    }
  }
  static Type domains(Type value) { return Type(Kind::kMap, {Kind::kString, Type(Kind::kMap, {Kind::kString, std::move(value)})}); }
  static Type optional_of(Type type) { return Type(Kind::kOptional, {std::move(type)}); }

  Type selection(const SyntaxNode& node) {
    const auto operand = visit(node.kids[0]);
    if (error_) return {};
    if (operand.kind == Kind::kOptional) {
      const auto inner = field_of(node, operand.part(0));
      return node.op == Op::kHas ? Type(Kind::kBool) : optional_of(inner);
    }
    const auto type = field_of(node, operand);
    if (node.op == Op::kHas) return Kind::kBool;
    return node.op == Op::kOptionalSelect ? optional_of(type) : type;
  }

  Type indexing(const SyntaxNode& node) {
    const auto types = kids(node);
    if (error_) return {};
    const bool chained = types[0].kind == Kind::kOptional;
    const auto operand = chained ? types[0].part(0) : types[0];
    Type item;
    if (operand.kind == Kind::kList && (types[1].is_dyn() || is_number(types[1].kind)))
      item = operand.part(0);
    else if (operand.kind == Kind::kMap && compatible(operand.part(0), types[1]))
      item = operand.part(1);
    else if (!operand.is_dyn())
      return no_overload(node, "_[_]", types, false);
    return chained || node.op == Op::kOptionalIndex ? optional_of(item) : item;
  }

  bool shadowed(const std::string& name) const {
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) { return scope.name == name; });
  }

  Type call(SyntaxNode& node) {
    if (node.op == Op::kMemberCall) {
      // "optional.of(x)" is no call on something named optional.
      const auto& target = tree_.nodes[node.kids[0]];
      const bool qualified = target.op == Op::kName && !shadowed(target.text) &&
                             std::find(std::begin(kNamespaces), std::end(kNamespaces), target.text) != std::end(kNamespaces);
      if (qualified) {
        node.text = target.text + "." + node.text;
        node.op = Op::kCall;
        node.kids.erase(node.kids.begin());
      }
    }
    const bool member = node.op == Op::kMemberCall;
    const auto overloads = find_functions(node.text, member ? Overload::Style::kMember : Overload::Style::kGlobal);
    if (overloads.empty()) return wrong(node.at, "undeclared reference to '" + node.text + "' (in container '')");
    const auto types = kids(node);
    if (error_) return {};
    std::optional<Type> result;
    for (const auto& overload : overloads) {
      if (!takes(overload, types)) continue;
      if (result && result->kind != overload.result) return {};
      result = overload.result;
    }
    return result ? *result : no_overload(node, node.text, types, member);
  }
  static bool takes(const Overload& overload, const std::vector<Type>& types) {
    if (overload.parameters.size() != types.size()) return false;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (overload.parameters[i] != Kind::kDyn && !types[i].is_dyn() && overload.parameters[i] != types[i].kind) return false;
    return true;
  }

  // The common type of items that should all be of one.
  std::optional<Type> join(std::optional<Type> so_far, const Type& next, std::size_t at) {
    if (!so_far) return next;
    if (!compatible(*so_far, next)) {
      wrong(at, "expected type '" + so_far->text() + "' but found '" + next.text() + "'");
      return so_far;
    }
    return next.is_dyn() ? next : so_far;
  }

  Type list(const SyntaxNode& node) {
    std::optional<Type> item;
    for (const auto kid : node.kids) item = join(item, visit(kid), tree_.nodes[kid].at);
    return Type(Kind::kList, {item.value_or(Type())});
  }

  Type map(const SyntaxNode& node) {
    std::optional<Type> key, value;
    for (std::size_t i = 0; i + 1 < node.kids.size(); i += 2) {
      key = join(key, visit(node.kids[i]), tree_.nodes[node.kids[i]].at);
      if (!may_be(*key, {Kind::kBool, Kind::kInt, Kind::kUint, Kind::kString}))
        return wrong(tree_.nodes[node.kids[i]].at, "unsupported key type: " + key->text());
      value = join(value, visit(node.kids[i + 1]), tree_.nodes[node.kids[i + 1]].at);
    }
    return Type(Kind::kMap, {key.value_or(Type()), value.value_or(Type())});
  }

  // Gives a variable to the parts that may use it.
  template <class F>
  Type with_variable(SyntaxNode& node, Type type, F f) {
    node.slot = static_cast<std::uint32_t>(scopes_.size());
    scopes_.push_back({node.text, node.slot, std::move(type)});
    tree_.slots = std::max(tree_.slots, node.slot + 1);
    auto result = f();
    scopes_.pop_back();
    return result;
  }

  Type comprehension(SyntaxNode& node) {
    const auto range = visit(node.kids[0]);
    if (error_) return {};
    if (!range.is_dyn() && range.kind != Kind::kList && range.kind != Kind::kMap)
      return wrong(tree_.nodes[node.kids[0]].at,
                   "expression of type '" + range.text() + "' cannot be range of a comprehension (must be list, map, or dynamic)");
    const auto item = range.is_dyn() ? Type() : range.part(0);
    return with_variable(node, item, [&]() -> Type {
      std::vector<Type> bodies;
      for (std::size_t i = 1; i < node.kids.size(); ++i) bodies.push_back(visit(node.kids[i]));
      if (error_) return {};
      const bool transforms = node.op == Op::kTransform;
      const auto conditions = bodies.size() - (transforms ? 1 : 0);
      for (std::size_t i = 0; i < conditions; ++i)
        if (!bodies[i].is_dyn() && bodies[i].kind != Kind::kBool)
          return wrong(tree_.nodes[node.kids[i + 1]].at, "expected type 'bool' but found '" + bodies[i].text() + "'");
      if (transforms) return Type(Kind::kList, {bodies.back()});
      return node.op == Op::kFilter ? Type(Kind::kList, {item}) : Type(Kind::kBool);
    });
  }

  Type bind(SyntaxNode& node) {
    auto value = visit(node.kids[0]);
    return with_variable(node, std::move(value), [&] { return visit(node.kids[1]); });
  }

  Type conditional(const SyntaxNode& node) {
    const auto types = kids(node);
    if (error_) return {};
    if ((!types[0].is_dyn() && types[0].kind != Kind::kBool) || !compatible(types[1], types[2]))
      return no_overload(node, operator_name(node.op), types, false);
    return types[1].is_dyn() ? types[1] : types[2];
  }

  Type operation(const SyntaxNode& node) {
    const auto types = kids(node);
    if (error_) return {};
    const auto result = result_of(node.op, types);
    return result ? *result : no_overload(node, operator_name(node.op), types, false);
  }

  static bool may_be(const Type& type, std::initializer_list<Kind> kinds) {
    return type.is_dyn() || std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
  }

  static std::optional<Type> result_of(Op op, const std::vector<Type>& types) {
    switch (op) {
      case Op::kNot: return may_be(types[0], {Kind::kBool}) ? std::optional<Type>(Kind::kBool) : std::nullopt;
      case Op::kNegate: return may_be(types[0], {Kind::kInt, Kind::kDouble}) ? std::optional<Type>(types[0]) : std::nullopt;
      case Op::kAnd:
      case Op::kOr:
        if (std::all_of(types.begin(), types.end(), [](const Type& type) { return may_be(type, {Kind::kBool}); }))
          return Kind::kBool;
        return std::nullopt;
      case Op::kEqual:
      case Op::kNotEqual: return compatible(types[0], types[1]) ? std::optional<Type>(Kind::kBool) : std::nullopt;
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual: return has_order(types[0], types[1]) ? std::optional<Type>(Kind::kBool) : std::nullopt;
      case Op::kIn:
        if (!may_be(types[1], {Kind::kList, Kind::kMap})) return std::nullopt;
        return types[1].is_dyn() || compatible(types[0], types[1].part(0)) ? std::optional<Type>(Kind::kBool) : std::nullopt;
      case Op::kAdd: return arithmetic(types, {Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kString, Kind::kBytes, Kind::kList});
      case Op::kModulo: return arithmetic(types, {Kind::kInt, Kind::kUint});
      default: return arithmetic(types, {Kind::kInt, Kind::kUint, Kind::kDouble});
    }
  }
  static bool has_order(const Type& left, const Type& right) {
    const std::initializer_list<Kind> ordered = {Kind::kBool, Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kString, Kind::kBytes};
    if (!may_be(left, ordered) || !may_be(right, ordered)) return false;
    return compatible(left, right) || (is_number(left.kind) && is_number(right.kind));
  }
  static std::optional<Type> arithmetic(const std::vector<Type>& types, std::initializer_list<Kind> kinds) {
    if (!may_be(types[0], kinds) || !may_be(types[1], kinds) || !compatible(types[0], types[1])) return std::nullopt;
    return types[0].is_dyn() ? types[1] : types[0];
  }

  struct Scope {
    std::string name;
    std::uint32_t slot;
    Type type;
  };

  SyntaxTree& tree_;
  std::string_view text_;
  std::vector<Scope> scopes_;
  std::optional<Error> error_;
};

}  // namespace

Result<void> check(SyntaxTree& tree, std::string_view expression) { return Checker(tree, expression).run(); }

}  // namespace muster::cel
