#include "sim/selectors.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"

namespace muster::sim {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// At commas that are in no parentheses.
std::vector<std::string_view> terms_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] != ',' || depth > 0) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

bool is_label_key(std::string_view key) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == '/';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), allowed);
}

ApiError unknown_field(const Kind& kind, std::string_view name) {
  if (!selectable_fields(kind).empty()) return bad_request(fmt::format("field label not supported: {}", name));
  return bad_request(fmt::format("\"{}\" is not a known field selector: only \"metadata.name\"{}", name,
                                 kind.namespaced ? ", \"metadata.namespace\"" : ""));
}

ApiError bad_selector(std::string_view text) { return bad_request(fmt::format("unable to parse requirement: \"{}\"", text)); }

// "key in (a, b)".
Answered<Requirement> set_requirement(std::string_view term) {
  const auto open = term.find('(');
  const auto head = trimmed(term.substr(0, open));
  const auto space = head.rfind(' ');
  if (!term.ends_with(')') || space == std::string_view::npos) return refuse(bad_selector(term));
  const auto op = head.substr(space + 1);
  if (op != "in" && op != "notin") return refuse(bad_selector(term));
  Requirement out{std::string(trimmed(head.substr(0, space))), op == "in" ? SelectorOp::kIn : SelectorOp::kNotIn, {}};
  for (const auto value : split(term.substr(open + 1, term.size() - open - 2), ',')) out.values.emplace_back(trimmed(value));
  if (!is_label_key(out.key)) return refuse(bad_selector(term));
  return out;
}

Answered<Requirement> requirement_of(std::string_view term) {
  if (term.find('(') != std::string_view::npos) return set_requirement(term);
  Requirement out;
  if (const auto at = term.find_first_of("=!<>", 1); at != std::string_view::npos) {
    const bool two = term.substr(at, 2) == "==" || term.substr(at, 2) == "!=";
    if (term[at] == '!' && !two) return refuse(bad_selector(term));
    out.key = trimmed(term.substr(0, at));
    out.op = term[at] == '!'   ? SelectorOp::kNotIn
             : term[at] == '<' ? SelectorOp::kLt
             : term[at] == '>' ? SelectorOp::kGt
                               : SelectorOp::kIn;
    out.values.emplace_back(trimmed(term.substr(at + (two ? 2 : 1))));
  } else {
    const bool absent = term.starts_with('!');
    out.key = trimmed(term.substr(absent ? 1 : 0));
    out.op = absent ? SelectorOp::kDoesNotExist : SelectorOp::kExists;
  }
  if (!is_label_key(out.key)) return refuse(bad_selector(term));
  return out;
}

}  // namespace

Answered<std::vector<Requirement>> parse_label_selector(std::string_view text) {
  std::vector<Requirement> out;
  if (trimmed(text).empty()) return out;
  for (const auto term : terms_of(text)) {
    auto requirement = trimmed(term).empty() ? Answered<Requirement>(refuse(bad_selector(text))) : requirement_of(trimmed(term));
    if (!requirement) return refuse(requirement.error());
    out.push_back(std::move(*requirement));
  }
  return out;
}

Answered<Selection::Field> Selection::parse_field(const Kind& kind, std::string_view term) {
  const auto at = term.find('=');
  if (at == std::string_view::npos || at == 0) return refuse(bad_request(fmt::format("invalid field selector: \"{}\"", term)));
  const bool differs = term[at - 1] == '!';
  const auto name = term.substr(0, differs ? at - 1 : at);
  auto value = term.substr(at + 1);
  if (!differs && value.starts_with('=')) value.remove_prefix(1);
  const auto known = selectable_fields(kind);
  const bool is_known = name == "metadata.name" || (name == "metadata.namespace" && kind.namespaced) ||
                        std::find(known.begin(), known.end(), name) != known.end();
  if (!is_known) return refuse(unknown_field(kind, name));
  return Field{std::string(name), std::string(value), !differs};
}

Answered<Selection> Selection::parse(const Kind& kind, std::string ns, std::string_view labels, std::string_view fields) {
  Selection out;
  out.ns_ = std::move(ns);
  auto requirements = parse_label_selector(labels);
  if (!requirements) return refuse(requirements.error());
  out.labels_ = std::move(*requirements);
  if (trimmed(fields).empty()) return out;
  for (const auto term : split(fields, ',')) {
    if (trimmed(term).empty()) continue;
    auto field = parse_field(kind, trimmed(term));
    if (!field) return refuse(field.error());
    out.fields_.push_back(std::move(*field));
  }
  return out;
}

std::string_view Selection::value_of(const Object& object, const std::string& field) {
  if (field == "metadata.name") return object.key.name;
  if (field == "metadata.namespace") return object.key.ns;
  return object.fields.get(field);
}

bool Selection::matches(const Object& object) const {
  if (!ns_.empty() && object.key.ns != ns_) return false;
  return std::all_of(labels_.begin(), labels_.end(),
                     [&](const Requirement& one) { return one.matches(object.labels.find(one.key)); }) &&
         std::all_of(fields_.begin(), fields_.end(),
                     [&](const Field& one) { return (value_of(object, one.name) == one.value) == one.equal; });
}

namespace {

// One of the matchExpressions of a selector.
Requirement requirement_of(const Tree& expression) {
  const auto op = expression.text_at("operator");
  Requirement out{std::string(expression.text_at("key")),
                  op == "In"       ? SelectorOp::kIn
                  : op == "NotIn"  ? SelectorOp::kNotIn
                  : op == "Exists" ? SelectorOp::kExists
                                   : SelectorOp::kDoesNotExist,
                  {}};
  if (const auto* values = expression.find("values"); values != nullptr && values->is_list())
    for (const auto& value : *values->as_list()) out.values.push_back(value.scalar_text());
  return out;
}

std::vector<Requirement> expressions_of(const Tree& selector) {
  std::vector<Requirement> out;
  const auto* expressions = selector.find("matchExpressions");
  if (expressions == nullptr || !expressions->is_list()) return out;
  for (const auto& expression : *expressions->as_list()) out.push_back(requirement_of(expression));
  return out;
}

std::string requirement_text(Requirement one) {
  if (one.op == SelectorOp::kExists) return one.key;
  if (one.op == SelectorOp::kDoesNotExist) return "!" + one.key;
  std::sort(one.values.begin(), one.values.end());
  return fmt::format("{} {} ({})", one.key, one.op == SelectorOp::kIn ? "in" : "notin", fmt::join(one.values, ","));
}

std::string joined_by_key(std::vector<std::pair<std::string, std::string>> terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [key, term] : terms) out += (out.empty() ? "" : ",") + term;
  return out;
}

std::vector<std::pair<std::string, std::string>> label_terms(const Tree* labels) {
  auto out = texts_of(labels);
  for (auto& [key, term] : out) term = key + "=" + term;
  return out;
}

}  // namespace

bool label_selector_matches(const Tree* selector, const StringMap& labels) {
  if (selector == nullptr || !selector->is_map()) return false;
  for (const auto& [key, value] : texts_of(selector->find("matchLabels"))) {
    const auto* own = labels.find(key);
    if (own == nullptr || *own != value) return false;
  }
  const auto expressions = expressions_of(*selector);
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Requirement& one) { return one.matches(labels.find(one.key)); });
}

std::string label_selector_text(const Tree* selector) {
  if (selector == nullptr || !selector->is_map()) return {};
  auto terms = label_terms(selector->find("matchLabels"));
  for (auto& one : expressions_of(*selector)) {
    auto key = one.key;
    terms.emplace_back(std::move(key), requirement_text(std::move(one)));
  }
  return joined_by_key(std::move(terms));
}

std::string labels_text(const Tree* labels) { return joined_by_key(label_terms(labels)); }

}  // namespace muster::sim
