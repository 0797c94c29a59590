#include "codec/object_fields.h"

#include <algorithm>

#include "model/quoted.h"

namespace muster {
namespace {

bool read_owner(JsonDecoder& json, JsonValue& value, OwnerReference& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "kind") return json.string(field, out.kind);
    if (key == "name") return json.string(field, out.name);
    if (key == "uid") return json.string(field, out.uid);
    if (key == "controller") return json.boolean(field, out.controller);
    return true;
  });
}

bool read_condition(JsonDecoder& json, JsonValue& value, Condition& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (is_field(key, "type")) return json.string(field, out.type);
    if (is_field(key, "status")) return json.string(field, out.status);
    if (is_field(key, "reason")) return json.string(field, out.reason);
    if (is_field(key, "message")) return json.string(field, out.message);
    if (is_field(key, "lastTransitionTime")) return read_time(json, field, out.last_transition);
    if (is_field(key, "transitionID")) return json.string(field, out.transition_id);
    return true;
  });
}

constexpr std::pair<std::string_view, SelectorOp> kLabelOps[] = {{"In", SelectorOp::kIn},
                                                                 {"NotIn", SelectorOp::kNotIn},
                                                                 {"Exists", SelectorOp::kExists},
                                                                 {"DoesNotExist", SelectorOp::kDoesNotExist}};

constexpr std::pair<std::string_view, SelectorOp> kNodeOps[] = {
    {"In", SelectorOp::kIn},         {"NotIn", SelectorOp::kNotIn},
    {"Exists", SelectorOp::kExists}, {"DoesNotExist", SelectorOp::kDoesNotExist},
    {"Gt", SelectorOp::kGt},         {"Lt", SelectorOp::kLt}};

template <std::size_t N>
bool read_requirement(JsonDecoder& json, JsonValue& value, const std::pair<std::string_view, SelectorOp> (&ops)[N],
                      Requirement& out) {
  bool has_operator = false;
  const bool ok = json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "key") return json.string(field, out.key);
    if (key == "values") return read_strings(json, field, out.values);
    if (key == "operator") {
      has_operator = true;
      return read_choice(json, field, ops, out.op);
    }
    return true;
  });
  if (ok && !has_operator) return json.wrong(value, "has no operator");
  return ok;
}

bool read_label_requirement(JsonDecoder& json, JsonValue& value, Requirement& out) {
  return read_requirement(json, value, kLabelOps, out);
}

bool read_node_requirement(JsonDecoder& json, JsonValue& value, Requirement& out) {
  return read_requirement(json, value, kNodeOps, out);
}

// `wrong` says what is wrong with an amount of a resource, if anything.
template <class Wrong>
bool read_resources_if(JsonDecoder& json, JsonValue& value, ResourceList& out, Wrong wrong) {
  out.clear();
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    Quantity quantity;
    if (!read_quantity(json, field, quantity)) return false;
    if (auto message = wrong(key, quantity); !message.empty()) return json.wrong(field, std::move(message));
    out.insert_or_assign(out.end(), std::string(key), quantity);
    return true;
  });
}

std::string negative(std::string_view, const Quantity& quantity) {
  return quantity < Quantity() ? "must not be negative: " + quantity.text() : "";
}

// Extended resources, and pods: what the API server takes in whole numbers only.
bool is_counted(std::string_view resource) {
  const bool extended = resource.find('/') != std::string_view::npos && resource.find("kubernetes.io/") == std::string_view::npos;
  return resource == "pods" || extended;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Names of objects and namespaces, by the rules of the API.
bool read_name(JsonDecoder& json, JsonValue& value, std::string& out) {
  constexpr std::size_t kMost = 253;
  if (!json.string(value, out)) return false;
  if (std::ranges::any_of(out, is_control)) return json.wrong(value, "has a control character in it: " + quoted(out));
  if (out.size() <= kMost) return true;
  return json.wrong(value, "is " + std::to_string(out.size()) + " characters long; a name has at most " + std::to_string(kMost));
}

}  // namespace

bool read_meta(JsonDecoder& json, JsonValue& value, ObjectMeta& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) { return read_meta_field(json, key, field, out); });
}

bool read_meta_field(JsonDecoder& json, std::string_view key, JsonValue& field, ObjectMeta& out) {
  if (key == "name") return read_name(json, field, out.name);
  if (key == "namespace") return read_name(json, field, out.ns);
  if (key == "uid") return json.string(field, out.uid);
  if (key == "labels") return read_string_map(json, field, out.labels);
  if (key == "annotations") return read_string_map(json, field, out.annotations);
  if (key == "resourceVersion") return json.string(field, out.resource_version);
  if (key == "creationTimestamp") return read_time(json, field, out.created);
  if (key == "deletionTimestamp") return read_optional(json, field, out.deleted, read_time);
  if (key == "ownerReferences") return read_list(json, field, out.owners, read_owner);
  return true;
}

bool read_conditions(JsonDecoder& json, JsonValue& value, std::vector<Condition>& out) {
  return read_list(json, value, out, read_condition);
}

bool read_quantity(JsonDecoder& json, JsonValue& value, Quantity& out) {
  std::string_view text;
  if (!json.text_or_number(value, text)) return false;
  auto quantity = Quantity::parse(text);
  if (!quantity) return json.wrong(value, std::move(quantity.error().message));
  out = *quantity;
  return true;
}

bool read_resources(JsonDecoder& json, JsonValue& value, ResourceList& out) {
  return read_resources_if(json, value, out, [](std::string_view, const Quantity&) { return std::string(); });
}

bool read_amounts(JsonDecoder& json, JsonValue& value, ResourceList& out) { return read_resources_if(json, value, out, negative); }

bool read_countable_amounts(JsonDecoder& json, JsonValue& value, ResourceList& out) {
  return read_resources_if(json, value, out, [](std::string_view name, const Quantity& quantity) {
    auto wrong = negative(name, quantity);
    if (wrong.empty() && is_counted(name) && quantity != Quantity::from_units(quantity.units()))
      wrong = "must be a whole number, not " + quantity.text();
    return wrong;
  });
}

bool read_time(JsonDecoder& json, JsonValue& value, Timestamp& out) {
  std::string_view text;
  if (!json.text(value, text)) return false;
  auto time = Timestamp::parse_rfc3339(text);
  if (!time) return json.wrong(value, std::move(time.error().message));
  out = *time;
  return true;
}

bool read_strings(JsonDecoder& json, JsonValue& value, std::vector<std::string>& out) {
  out.clear();
  return json.array(value, [&](JsonValue& item) { return json.string(item, out.emplace_back()); });
}

bool read_string_map(JsonDecoder& json, JsonValue& value, StringMap& out) {
  std::vector<std::pair<std::string, std::string>> items;
  items.reserve(4);
  const bool ok = json.object(value, [&](std::string_view key, JsonValue& field) {
    return json.string(field, items.emplace_back(key, std::string()).second);
  });
  out = StringMap(std::move(items));
  return ok;
}

bool read_label_selector(JsonDecoder& json, JsonValue& value, LabelSelector& out) {
  StringMap labels;
  std::vector<Requirement> expressions;
  const bool ok = json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "matchLabels") return read_string_map(json, field, labels);
    if (key == "matchExpressions") return read_list(json, field, expressions, read_label_requirement);
    return true;
  });
  out.requirements.clear();
  for (const auto& [name, label] : labels) out.requirements.push_back({name, SelectorOp::kIn, {label}});
  std::move(expressions.begin(), expressions.end(), std::back_inserter(out.requirements));
  return ok;
}

bool read_node_selector_term(JsonDecoder& json, JsonValue& value, NodeSelectorTerm& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "matchExpressions") return read_list(json, field, out.expressions, read_node_requirement);
    if (key == "matchFields") return read_list(json, field, out.fields, read_node_requirement);
    return true;
  });
}

bool read_node_selector(JsonDecoder& json, JsonValue& value, NodeSelector& out) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "nodeSelectorTerms") return read_list(json, field, out.terms, read_node_selector_term);
    return true;
  });
}

}  // namespace muster
