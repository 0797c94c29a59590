#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/name_pattern.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

enum class SchemaType { kAny, kObject, kList, kText, kInteger, kNumber, kBoolean, kIntegerOrText };

// How much there may be of something.
struct SchemaRange {
  std::optional<std::int64_t> least = {};
  std::optional<std::int64_t> most = {};
};

struct SchemaProperty;

// A structural schema, as the definitions of custom resources have it: what a value may be, and what the server makes of it.
struct Schema {
  SchemaType type = SchemaType::kAny;
  std::vector<SchemaType> any_of = {};  // it must be one of these as well
  std::string format = {};
  bool may_be_null = false;
  bool keeps_unknown = false;
  bool has_rules = false;  // in CEL, on itself or below; they are not evaluated
  std::optional<Tree> default_value = {};
  std::vector<std::string> choices = {};
  SchemaRange amount = {};  // of a number
  SchemaRange length = {};  // of a text, in characters
  SchemaRange items_count = {};
  SchemaRange fields_count = {};
  std::optional<NamePattern> pattern = {};
  std::string pattern_text = {};
  std::vector<SchemaProperty> properties;
  std::unique_ptr<Schema> values = {};  // of a map: of every member that is no property
  std::unique_ptr<Schema> items = {};
  std::vector<std::string> required = {};

  // That of a member; nullptr where the definition has none.
  const Schema* member(std::string_view name) const;
};

struct SchemaProperty {
  std::string name;
  Schema schema;
};

// Reads an openAPIV3Schema. A definition with a keyword that is not understood is a bug: it would be taken for less than it says.
Schema read_schema(const Tree& definition);

// That of a custom resource, from its definition; built-in kinds have none. All are read when the first is asked for.
const Schema* schema_of(const Kind& kind);

// What is around every object, and in no definition.
bool is_meta_field(std::string_view name);

}  // namespace muster::sim
