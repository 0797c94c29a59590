#include "sim/schema.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "sim/bodies.h"
#include "sim/definition_files.h"

namespace muster::sim {
namespace {

SchemaType type_named(std::string_view name) {
  if (name == "object") return SchemaType::kObject;
  if (name == "array") return SchemaType::kList;
  if (name == "string") return SchemaType::kText;
  if (name == "integer") return SchemaType::kInteger;
  if (name == "number") return SchemaType::kNumber;
  MUSTER_ASSERT(name == "boolean");
  return SchemaType::kBoolean;
}

std::int64_t limit_in(const Tree& value) {
  const auto out = value.as_integer();
  MUSTER_ASSERT(out.has_value());
  return *out;
}

std::vector<std::string> texts_in(const Tree& list) {
  std::vector<std::string> out;
  for (const auto& item : *list.as_list()) out.push_back(item.scalar_text());
  return out;
}

void read_properties(Schema& out, const Tree& value) {
  for (const auto& [name, below] : *value.as_map()) out.properties.push_back({name, read_schema(below)});
}

void read_values(Schema& out, const Tree& value) { out.values = std::make_unique<Schema>(read_schema(value)); }

void read_items(Schema& out, const Tree& value) { out.items = std::make_unique<Schema>(read_schema(value)); }

void read_any_of(Schema& out, const Tree& value) {
  for (const auto& one : *value.as_list()) {
    MUSTER_ASSERT(one.as_map()->size() == 1);
    out.any_of.push_back(type_named(one.text_at("type")));
  }
}

void read_pattern(Schema& out, const Tree& value) {
  out.pattern_text = value.scalar_text();
  out.pattern.emplace(out.pattern_text);
  MUSTER_ASSERT(out.pattern->valid());
}

struct Keyword {
  std::string_view name;
  void (*read)(Schema& out, const Tree& value);
};

// Maps and lists that are "atomic" differ from others in server-side apply alone, which replaces all lists here.
constexpr auto kIgnored = [](Schema&, const Tree&) {};

constexpr std::array kKeywords{
    Keyword{"description", kIgnored},
    Keyword{"type", [](Schema& out, const Tree& value) { out.type = type_named(value.scalar_text()); }},
    Keyword{"x-kubernetes-int-or-string", [](Schema& out, const Tree&) { out.type = SchemaType::kIntegerOrText; }},
    Keyword{"anyOf", read_any_of},
    Keyword{"format", [](Schema& out, const Tree& value) { out.format = value.scalar_text(); }},
    Keyword{"nullable", [](Schema& out, const Tree& value) { out.may_be_null = *value.as_bool(); }},
    Keyword{"x-kubernetes-preserve-unknown-fields", [](Schema& out, const Tree& value) { out.keeps_unknown = *value.as_bool(); }},
    Keyword{"x-kubernetes-validations", [](Schema& out, const Tree&) { out.has_rules = true; }},
    Keyword{"x-kubernetes-map-type", kIgnored},
    Keyword{"x-kubernetes-list-type", [](Schema&, const Tree& value) { MUSTER_ASSERT(value.scalar_text() == "atomic"); }},
    Keyword{"default", [](Schema& out, const Tree& value) { out.default_value = value; }},
    Keyword{"enum", [](Schema& out, const Tree& value) { out.choices = texts_in(value); }},
    Keyword{"minimum", [](Schema& out, const Tree& value) { out.amount.least = limit_in(value); }},
    Keyword{"maximum", [](Schema& out, const Tree& value) { out.amount.most = limit_in(value); }},
    Keyword{"minLength", [](Schema& out, const Tree& value) { out.length.least = limit_in(value); }},
    Keyword{"maxLength", [](Schema& out, const Tree& value) { out.length.most = limit_in(value); }},
    Keyword{"minItems", [](Schema& out, const Tree& value) { out.items_count.least = limit_in(value); }},
    Keyword{"maxItems", [](Schema& out, const Tree& value) { out.items_count.most = limit_in(value); }},
    Keyword{"minProperties", [](Schema& out, const Tree& value) { out.fields_count.least = limit_in(value); }},
    Keyword{"maxProperties", [](Schema& out, const Tree& value) { out.fields_count.most = limit_in(value); }},
    Keyword{"pattern", read_pattern},
    Keyword{"properties", read_properties},
    Keyword{"additionalProperties", read_values},
    Keyword{"items", read_items},
    Keyword{"required", [](Schema& out, const Tree& value) { out.required = texts_in(value); }},
};

bool has_rules_below(const Schema& schema) {
  return (schema.items && schema.items->has_rules) || (schema.values && schema.values->has_rules) ||
         std::any_of(schema.properties.begin(), schema.properties.end(), [](const auto& one) { return one.schema.has_rules; });
}

// By the index of their kind; without properties and type where there is no definition.
std::vector<std::unique_ptr<Schema>> read_definitions() {
  std::vector<std::unique_ptr<Schema>> out(kinds().size());
  for (const auto& file : definition_files()) {
    const auto definition = yaml_body(file.text);
    MUSTER_ASSERT(definition.has_value());
    for (const auto& version : *definition->at("spec.versions")->as_list()) {
      const auto* kind =
          find_kind(definition->text_at("spec.group"), version.text_at("name"), definition->text_at("spec.names.plural"));
      MUSTER_ASSERT(kind != nullptr);
      out[index_of(*kind)] = std::make_unique<Schema>(read_schema(*version.at("schema.openAPIV3Schema")));
    }
  }
  return out;
}

}  // namespace

const Schema* Schema::member(std::string_view name) const {
  const auto found = std::find_if(properties.begin(), properties.end(), [&](const auto& one) { return one.name == name; });
  return found == properties.end() ? values.get() : &found->schema;
}

Schema read_schema(const Tree& definition) {
  Schema out;
  for (const auto& [name, value] : *definition.as_map()) {
    const auto* keyword = std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& one) { return one.name == name; });
    MUSTER_ASSERT(keyword != kKeywords.end());
    keyword->read(out, value);
  }
  out.has_rules = out.has_rules || has_rules_below(out);
  return out;
}

const Schema* schema_of(const Kind& kind) {
  if (!kind.is_custom) return nullptr;
  static const auto kSchemas = read_definitions();
  return kSchemas[index_of(kind)].get();
}

bool is_meta_field(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

}  // namespace muster::sim
