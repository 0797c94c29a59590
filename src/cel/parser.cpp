#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "cel/lexer.h"

namespace muster::cel {
namespace {

struct Operator {
  std::string_view symbol;
  Op op;
};
constexpr Operator kRelations[] = {{"==", Op::kEqual}, {"!=", Op::kNotEqual},     {"<=", Op::kLessEqual},
                                   {"<", Op::kLess},   {">=", Op::kGreaterEqual}, {">", Op::kGreater}};
constexpr Operator kSums[] = {{"+", Op::kAdd}, {"-", Op::kSubtract}};
constexpr Operator kProducts[] = {{"*", Op::kMultiply}, {"/", Op::kDivide}, {"%", Op::kModulo}};
constexpr std::string_view kReserved[] = {"as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
                                          "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

// Recursive descent. The first error is kept, and everything returns as soon as there is one.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}

  Result<SyntaxTree> run() {
    if (text_.size() > kMaxExpressionLength)
      return fail("the expression is longer than " + std::to_string(kMaxExpressionLength) + " bytes");
    advance();
    const auto root = expression();
    if (!error_ && token_.kind != Token::Kind::kEnd) unexpected();
    if (error_) return fail(std::move(*error_));
    tree_.root = root;
    return std::move(tree_);
  }

 private:
  // ---- tokens and errors
  void advance() {
    if (error_) return;
    auto token = lexer_.next();
    if (token)
      token_ = std::move(*token);
    else
      error_ = std::move(token.error());
  }
  void wrong(std::size_t at, std::string_view text) {
    if (!error_) error_ = error_at(text_, at, text);
  }
  void unexpected() {
    wrong(token_.at, token_.kind == Token::Kind::kEnd ? "Syntax error: the expression ends too early"
                                                      : "Syntax error: unexpected '" + std::string(token_.text) + "'");
  }
  bool at(std::string_view symbol) const { return !error_ && token_.is(symbol); }
  bool eat(std::string_view symbol) {
    if (!at(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!eat(symbol) && !error_) unexpected();
  }

  // ---- nodes
  NodeIndex add(Op op, std::size_t at, std::vector<NodeIndex> kids, std::string text = {}) {
    SyntaxNode node;
    node.op = op;
    node.at = static_cast<std::uint32_t>(at);
    node.text = std::move(text);
    for (const auto kid : kids) node.depth = std::max(node.depth, tree_.nodes[kid].depth + 1);
    if (node.depth > kMaxExpressionDepth) wrong(at, "the expression is nested too deeply");
    node.kids = std::move(kids);
    tree_.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }
  NodeIndex constant(std::size_t at, Value value) {
    const auto index = add(Op::kConstant, at, {});
    tree_.nodes[index].constant = std::move(value);
    return index;
  }
  NodeIndex nothing() { return constant(token_.at, Value()); }  // what is returned along with an error

  // ---- the grammar, from weakest to strongest binding
  NodeIndex expression() {
    if (error_) return nothing();
    if (++nesting_ > kMaxExpressionDepth) {
      wrong(token_.at, "expression recursion limit exceeded: " + std::to_string(kMaxExpressionDepth));
      return nothing();
    }
    auto condition = any();
    if (at("?")) {
      const auto where = token_.at;
      advance();
      const auto yes = any();
      expect(":");
      const auto no = expression();
      condition = add(Op::kConditional, where, {condition, yes, no});
    }
    --nesting_;
    return condition;
  }

  template <class Next>
  NodeIndex chain(std::string_view symbol, Op op, Next next) {
    const auto first = next();
    if (!at(symbol)) return first;
    const auto where = token_.at;
    std::vector<NodeIndex> kids = {first};
    while (eat(symbol)) kids.push_back(next());
    return error_ ? nothing() : add(op, where, std::move(kids));
  }
  NodeIndex any() {
    return chain("||", Op::kOr, [&] { return every(); });
  }
  NodeIndex every() {
    return chain("&&", Op::kAnd, [&] { return relation(); });
  }

  template <std::size_t N, class Next>
  NodeIndex binary(const Operator (&operators)[N], bool has_in, Next next) {
    auto left = next();
    while (!error_) {
      const auto found = std::find_if(std::begin(operators), std::end(operators), [&](const Operator& o) { return at(o.symbol); });
      const bool is_in = has_in && token_.kind == Token::Kind::kName && token_.text == "in";
      if (found == std::end(operators) && !is_in) break;
      const auto where = token_.at;
      const auto op = is_in ? Op::kIn : found->op;
      advance();
      const auto right = next();
      if (!error_) left = add(op, where, {left, right});
    }
    return left;
  }
  NodeIndex relation() {
    return binary(kRelations, true, [&] { return sum(); });
  }
  NodeIndex sum() {
    return binary(kSums, false, [&] { return product(); });
  }
  NodeIndex product() {
    return binary(kProducts, false, [&] { return unary(); });
  }

  NodeIndex unary() {
    const auto where = token_.at;
    bool odd = false;
    if (at("!")) {
      while (eat("!")) odd = !odd;
      const auto operand = member();
      return odd && !error_ ? add(Op::kNot, where, {operand}) : operand;
    }
    if (at("-")) {
      while (eat("-")) odd = !odd;
      if (odd && token_.kind == Token::Kind::kLiteral && is_plain_number()) return negative_literal(where);
      const auto operand = member();
      return odd && !error_ ? add(Op::kNegate, where, {operand}) : operand;
    }
    return member();
  }

  bool is_plain_number() const {
    return token_.literal.is(Kind::kInt) || token_.literal.is(Kind::kDouble) || is_smallest_integer();
  }
  bool is_smallest_integer() const {
    return token_.kind == Token::Kind::kLiteral && token_.literal.is(Kind::kUint) && !token_.text.ends_with('u') &&
           !token_.text.ends_with('U');
  }
  NodeIndex negative_literal(std::size_t where) {
    const auto& literal = token_.literal;
    auto value = literal.is(Kind::kDouble) ? Value(-literal.real())
                 : literal.is(Kind::kUint) ? Value(std::numeric_limits<std::int64_t>::min())
                                           : Value(-literal.integer());
    advance();
    return suffixes(constant(where, std::move(value)));
  }

  NodeIndex member() { return suffixes(primary()); }

  NodeIndex suffixes(NodeIndex operand) {
    while (!error_) {
      const auto where = token_.at;
      if (eat("."))
        operand = selection(operand, where);
      else if (eat("["))
        operand = index(operand, where);
      else
        break;
    }
    return operand;
  }

  NodeIndex selection(NodeIndex operand, std::size_t where) {
    const bool optional = eat("?");
    if (token_.kind == Token::Kind::kQuotedName) {
      auto name = token_.name;
      advance();
      return add(optional ? Op::kOptionalSelect : Op::kSelect, where, {operand}, std::move(name));
    }
    if (token_.kind != Token::Kind::kName) {
      unexpected();
      return nothing();
    }
    std::string name(token_.text);
    advance();
    const auto call_at = token_.at;
    if (!optional && eat("(")) return member_call(operand, std::move(name), call_at);
    return add(optional ? Op::kOptionalSelect : Op::kSelect, where, {operand}, std::move(name));
  }

  NodeIndex index(NodeIndex operand, std::size_t where) {
    const bool optional = eat("?");
    const auto key = expression();
    expect("]");
    return error_ ? nothing() : add(optional ? Op::kOptionalIndex : Op::kIndex, where, {operand, key});
  }

  std::vector<NodeIndex> list_until(std::string_view close) {
    std::vector<NodeIndex> items;
    while (!error_ && !at(close)) {
      items.push_back(expression());
      if (!eat(",")) break;
    }
    expect(close);
    return items;
  }

  // ---- calls and macros
  NodeIndex member_call(NodeIndex target, std::string name, std::size_t where) {
    auto arguments = list_until(")");
    if (error_) return nothing();
    if (const auto macro = member_macro(target, name, arguments, where)) return *macro;
    arguments.insert(arguments.begin(), target);
    return add(Op::kMemberCall, where, std::move(arguments), std::move(name));
  }

  // The name that a macro gives to its variable.
  std::optional<std::string> variable(NodeIndex node) {
    if (tree_.nodes[node].op == Op::kName) return tree_.nodes[node].text;
    wrong(tree_.nodes[node].at, "argument must be a simple name");
    return std::nullopt;
  }

  std::optional<NodeIndex> member_macro(NodeIndex target, const std::string& name, const std::vector<NodeIndex>& arguments,
                                        std::size_t where) {
    if (name == "bind" && tree_.nodes[target].op == Op::kName && tree_.nodes[target].text == "cel" && arguments.size() == 3) {
      auto bound = variable(arguments[0]);
      if (!bound) return nothing();
      return add(Op::kBind, where, {arguments[1], arguments[2]}, std::move(*bound));
    }
    constexpr std::array<std::pair<std::string_view, Op>, 6> kMacros = {{{"all", Op::kAll},
                                                                         {"exists", Op::kExists},
                                                                         {"exists_one", Op::kExistsOne},
                                                                         {"existsOne", Op::kExistsOne},
                                                                         {"filter", Op::kFilter},
                                                                         {"map", Op::kTransform}}};
    const auto found = std::find_if(kMacros.begin(), kMacros.end(), [&](const auto& macro) { return macro.first == name; });
    if (found == kMacros.end()) return std::nullopt;
    const bool filtered_map = found->second == Op::kTransform && arguments.size() == 3;
    if (arguments.size() != 2 && !filtered_map) return std::nullopt;
    auto item = variable(arguments[0]);
    if (!item) return nothing();
    std::vector<NodeIndex> kids = {target};
    kids.insert(kids.end(), arguments.begin() + 1, arguments.end());
    return add(found->second, where, std::move(kids), std::move(*item));
  }

  NodeIndex global_call(std::string name, std::size_t name_at) {
    const auto where = token_.at;
    advance();
    auto arguments = list_until(")");
    if (error_) return nothing();
    if (name != "has") return add(Op::kCall, where, std::move(arguments), std::move(name));
    if (arguments.size() != 1 || tree_.nodes[arguments[0]].op != Op::kSelect) {
      wrong(name_at, "invalid argument to has() macro");
      return nothing();
    }
    tree_.nodes[arguments[0]].op = Op::kHas;
    return arguments[0];
  }

  // ---- what stands by itself
  NodeIndex primary() {
    if (error_) return nothing();
    const auto where = token_.at;
    if (token_.kind == Token::Kind::kLiteral) {
      if (is_smallest_integer()) wrong(where, "invalid int literal");
      const auto index = constant(where, token_.literal);
      advance();
      return index;
    }
    if (eat("(")) {
      const auto inner = expression();
      expect(")");
      return inner;
    }
    if (eat("[")) {
      auto items = list_until("]");
      return error_ ? nothing() : add(Op::kList, where, std::move(items));
    }
    if (eat("{")) return map_literal(where);
    eat(".");  // a name from the root
    if (token_.kind == Token::Kind::kName) return name();
    unexpected();
    return nothing();
  }

  NodeIndex map_literal(std::size_t where) {
    std::vector<NodeIndex> kids;
    while (!error_ && !at("}")) {
      kids.push_back(expression());
      expect(":");
      kids.push_back(expression());
      if (!eat(",")) break;
    }
    expect("}");
    return error_ ? nothing() : add(Op::kMap, where, std::move(kids));
  }

  NodeIndex name() {
    const auto where = token_.at;
    std::string text(token_.text);
    if (text == "in" || std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved)) {
      wrong(where, "reserved identifier: " + text);
      return nothing();
    }
    advance();
    if (text == "true" || text == "false") return constant(where, Value(text == "true"));
    if (text == "null") return constant(where, Value());
    if (at("(")) return global_call(std::move(text), where);
    return add(Op::kName, where, {}, std::move(text));
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  SyntaxTree tree_;
  std::optional<Error> error_;
  std::uint32_t nesting_ = 0;
};

}  // namespace

Result<SyntaxTree> parse(std::string_view expression) { return Parser(expression).run(); }

Error error_at(std::string_view expression, std::size_t at, std::string_view text) {
  at = std::min(at, expression.size());
  const auto before = expression.substr(0, at);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto end = std::min(expression.find('\n', at), expression.size());
  const auto column = at - begin;
  std::string out = "ERROR: <input>:" + std::to_string(line) + ":" + std::to_string(column + 1) + ": ";
  out.append(text).append("\n | ").append(expression.substr(begin, end - begin)).append("\n | ");
  out.append(column, '.').append("^");
  return Error(std::move(out), Location{"", line, column + 1});
}

}  // namespace muster::cel
