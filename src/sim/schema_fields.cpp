#include "sim/schema_fields.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "model/json.h"
#include "sim/field_validation.h"

namespace muster::sim {
namespace {

// `schema` is nullptr below what is not known; `is_root` is where the metadata are.
bool is_dropped(const Schema* schema, std::string_view name, bool is_root) {
  if (is_root && is_meta_field(name)) return false;
  return schema == nullptr || (!schema->keeps_unknown && schema->member(name) == nullptr);
}

class FieldsNotIn {
 public:
  void in(const Schema* schema, const Tree& value, bool is_root = false) {
    if (const auto* members = value.as_map())
      for (const auto& [name, below] : *members) in_member(schema, name, below, is_root);
    else if (const auto* items = value.as_list())
      for (std::size_t i = 0; i < items->size(); ++i) in_item(schema, (*items)[i], i);
  }

  std::vector<UnknownField> sorted() && {
    std::ranges::sort(out_, {}, &UnknownField::path);
    return std::move(out_);
  }

 private:
  void in_member(const Schema* schema, std::string_view name, const Tree& below, bool is_root) {
    if (bytes_ > kMostUnknownBytes || out_.size() == kMostUnknown || (is_root && is_meta_field(name))) return;
    const auto length = path_.size();
    path_.append(path_.empty() ? "" : ".").append(name);
    if (is_dropped(schema, name, is_root))
      add(schema, name);
    else if (const auto* known = schema->member(name))
      in(known, below);
    path_.resize(length);
  }

  void in_item(const Schema* schema, const Tree& item, std::size_t number) {
    // The items of what takes any field take any.
    if (schema != nullptr && schema->keeps_unknown && !schema->items) return;
    const auto length = path_.size();
    path_ += fmt::format("[{}]", number);
    in(schema == nullptr ? nullptr : schema->items.get(), item);
    path_.resize(length);
  }

  void add(const Schema* schema, std::string_view name) {
    NearestName nearest(name);
    if (schema != nullptr)
      for (const auto& property : schema->properties) nearest.consider(property.name);
    out_.push_back({path_, nearest.found()});
    bytes_ += path_.size();
  }

  std::vector<UnknownField> out_;
  std::string path_;
  std::size_t bytes_ = 0;
};

void drop_unknown(const Schema* schema, Tree& value, bool is_root = false) {
  if (auto* members = value.as_map()) {
    std::erase_if(*members, [&](const auto& one) { return is_dropped(schema, one.key, is_root); });
    for (auto& [name, below] : *members)
      if (const auto* known = schema == nullptr ? nullptr : schema->member(name)) drop_unknown(known, below);
  } else if (auto* items = value.as_list()) {
    if (schema != nullptr && schema->keeps_unknown && !schema->items) return;
    for (auto& item : *items) drop_unknown(schema == nullptr ? nullptr : schema->items.get(), item);
  }
}

bool is_wrong_null(const Schema& schema, const Tree& value) { return value.is_null() && !schema.may_be_null; }

void write_default(const Schema& schema, Tree& value) {
  if (schema.default_value && is_wrong_null(schema, value)) value = *schema.default_value;
}

void write_defaults(const Schema& schema, Tree& value) {
  if (auto* items = value.as_list(); items != nullptr && schema.items)
    for (auto& item : *items) {
      write_default(*schema.items, item);
      write_defaults(*schema.items, item);
    }
  auto* members = value.as_map();
  if (members == nullptr) return;
  for (const auto& property : schema.properties)
    if (property.schema.default_value && value.find(property.name) == nullptr)
      value[property.name] = *property.schema.default_value;
  for (auto& [name, below] : *members)
    if (const auto* known = schema.member(name)) {
      write_default(*known, below);
      write_defaults(*known, below);
    }
  std::erase_if(*members, [&](const auto& one) {
    const auto* known = schema.member(one.key);
    return known != nullptr && is_wrong_null(*known, one.value);
  });
}

// As a program in Go writes the types of what it has read.
std::string_view go_type(const Tree& value) {
  if (value.is_map()) return "map[string]interface {}";
  if (value.is_list()) return "[]interface {}";
  return value.as_bool() != nullptr ? "bool" : "string";
}

// The same with the value, as its debuggers show it.
std::string go_syntax(const Tree& value) {
  std::string out;
  if (const auto* members = value.as_map()) {
    for (const auto& [name, below] : *members)
      out.append(out.empty() ? "" : ", ").append(json_string(name)).append(":").append(go_syntax(below));
    return fmt::format("{}{{{}}}", go_type(value), out);
  }
  if (const auto* items = value.as_list()) {
    for (const auto& item : *items) out.append(out.empty() ? "" : ", ").append(go_syntax(item));
    return fmt::format("{}{{{}}}", go_type(value), out);
  }
  if (value.is_null()) return "interface {}(nil)";
  const auto* text = value.as_string();
  return text == nullptr ? value.scalar_text() : json_string(*text);
}

// What the type would rather have; nothing where it is content. Null is whatever one likes.
std::optional<std::string> unlike(SchemaType type, const Tree& value) {
  const auto got = [&](std::string_view what) { return fmt::format("expected {}, got &{{{}}}", what, go_text(value)); };
  if (value.is_null()) return std::nullopt;
  switch (type) {
    case SchemaType::kAny: return std::nullopt;
    case SchemaType::kObject: return value.is_map() ? std::nullopt : std::optional(got("map"));
    case SchemaType::kList: return value.is_list() ? std::nullopt : std::optional(got("list"));
    case SchemaType::kBoolean: return value.as_bool() != nullptr ? std::nullopt : std::optional(got("boolean"));
    case SchemaType::kIntegerOrText: return !value.is_map() && !value.is_list() ? std::nullopt : std::optional(got("any scalar"));
    case SchemaType::kText:
      if (value.as_string() != nullptr) return std::nullopt;
      return fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value));
    case SchemaType::kInteger:
    case SchemaType::kNumber:
      if (value.as_number() != nullptr) return std::nullopt;
      return fmt::format("expected numeric (int or float), got {}", go_type(value));
  }
  return std::nullopt;
}

class UntypedField {
 public:
  std::optional<std::string> in(const Schema& schema, const Tree& value, bool is_root = false) {
    if (auto wrong = unlike(schema.type, value)) return path_ + ": " + *wrong;
    if (const auto* members = value.as_map()) {
      for (const auto& [name, below] : *members)
        if (auto wrong = in_member(schema, name, below, is_root)) return wrong;
    } else if (const auto* items = value.as_list(); items != nullptr && schema.items) {
      for (std::size_t i = 0; i < items->size(); ++i)
        if (auto wrong = below(fmt::format("[{}]", i), *schema.items, (*items)[i])) return wrong;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> in_member(const Schema& schema, std::string_view name, const Tree& value, bool is_root) {
    if (is_root && is_meta_field(name)) return std::nullopt;
    const auto step = fmt::format(".{}", name);
    if (const auto* known = schema.member(name)) return below(step, *known, value);
    if (schema.keeps_unknown) return std::nullopt;
    return path_ + step + ": field not declared in schema";
  }

  std::optional<std::string> below(std::string_view step, const Schema& schema, const Tree& value) {
    const auto length = path_.size();
    path_ += step;
    auto out = in(schema, value);
    path_.resize(length);
    return out;
  }

  std::string path_;
};

}  // namespace

std::vector<UnknownField> fields_not_in(const Schema& schema, const Tree& object) {
  FieldsNotIn out;
  out.in(&schema, object, true);
  return std::move(out).sorted();
}

void shape(const Schema& schema, Tree& object) {
  drop_unknown(&schema, object, true);
  write_defaults(schema, object);
}

std::optional<std::string> untyped_field(const Schema& schema, const Tree& applied) {
  return UntypedField().in(schema, applied, true);
}

}  // namespace muster::sim
