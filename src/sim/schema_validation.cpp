#include "sim/schema_validation.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "model/json.h"
#include "model/time.h"

namespace muster::sim {
namespace {

// Answers have an end, however many mistakes there are, and however long the names on the way to them.
constexpr std::size_t kMostWrong = 100;
constexpr std::size_t kMostWrongBytes = 65536;

constexpr std::string_view kUnchecked =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

std::string_view type_text(SchemaType type) {
  switch (type) {
    case SchemaType::kAny: return "";
    case SchemaType::kObject: return "object";
    case SchemaType::kList: return "array";
    case SchemaType::kText: return "string";
    case SchemaType::kInteger: return "integer";
    case SchemaType::kNumber: return "number";
    case SchemaType::kBoolean: return "boolean";
    case SchemaType::kIntegerOrText: return "integer,string";
  }
  return "";
}

// What a value is to the server, which reads numbers without a fraction and an exponent as integers.
struct GivenType {
  std::string_view name;
  std::string_view format = {};
};

GivenType given_type(const Tree& value) {
  if (value.is_null()) return {"null"};
  if (value.is_map()) return {"object"};
  if (value.is_list()) return {"array"};
  if (value.as_string() != nullptr) return {"string"};
  if (value.as_bool() != nullptr) return {"boolean"};
  return value.as_integer() ? GivenType{"integer", "int64"} : GivenType{"number", "float64"};
}

double double_of(const Tree& number) {
  const auto& text = number.as_number()->text;
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// 1.0 and 1e3 are integers as well, as far as all digits are known.
bool is_integer_like(const Tree& value) {
  constexpr double kMostExact = 9'007'199'254'740'991.0;
  const auto number = double_of(value);
  return std::abs(number) <= kMostExact && std::trunc(number) == number;
}

bool has_type(SchemaType type, const Tree& value) {
  const auto given = given_type(value).name;
  switch (type) {
    case SchemaType::kAny: return true;
    case SchemaType::kInteger: return given == "integer" || (given == "number" && is_integer_like(value));
    case SchemaType::kNumber: return given == "integer" || given == "number";
    case SchemaType::kIntegerOrText:
      return given == "string" || given == "integer" || (given == "number" && is_integer_like(value));
    case SchemaType::kObject:
    case SchemaType::kList:
    case SchemaType::kText:
    case SchemaType::kBoolean: return given == type_text(type);
  }
  return true;
}

bool is_numeric(SchemaType type) { return type == SchemaType::kInteger || type == SchemaType::kNumber; }

std::int64_t characters_in(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

bool is_date_time(const std::string& text) { return Timestamp::parse_rfc3339(text).has_value(); }

std::string counted(std::int64_t count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

using MembersByName = boost::unordered_flat_map<std::string_view, const Tree*>;

MembersByName members_by_name(const Tree* map) {
  MembersByName out;
  if (map == nullptr || !map->is_map()) return out;
  for (const auto& [name, value] : *map->as_map()) out.emplace(name, &value);
  return out;
}

// `root` is the field in which what is looked at stands; messages do not name it.
class WrongFields {
 public:
  explicit WrongFields(std::string_view root = {}) : root_(root) {}

  // `before` is what stood there; nullptr when that does not count.
  void in(const Schema& schema, const Tree& value, const Tree* before = nullptr) {
    if (causes_.size() >= kMostWrong || bytes_ > kMostWrongBytes || (before != nullptr && *before == value)) return;
    check_type(schema, value);
    if (value.is_null()) return check_choice(schema, value);
    check_any_of(schema, value);
    if (const auto* text = value.as_string()) check_text(schema, *text);
    if (value.as_number() != nullptr) check_number(schema, value);
    if (value.is_list()) check_list(schema, *value.as_list());
    check_choice(schema, value);
    if (value.is_map()) check_map(schema, value, before);
  }

  std::vector<Cause> causes() && { return std::move(causes_); }

 private:
  std::string field() const {
    if (path_.empty() || root_.empty()) return root_ + path_;
    return root_ + "." + path_;
  }

  void add(std::string reason, std::string message) { add_cause({std::move(reason), std::move(message), field()}); }

  void add_cause(Cause cause) {
    bytes_ += cause.message.size() + cause.field.size();
    causes_.push_back(std::move(cause));
  }

  void add_invalid(std::string_view value, std::string_view what) {
    add("FieldValueInvalid", fmt::format("Invalid value: {}: {} in body {}", value, path_, what));
  }

  void add_wrong_type(std::string_view wanted, std::string_view given) {
    add("FieldValueTypeInvalid",
        fmt::format("Invalid value: {1}: {2} in body must be of type {0}: {1}", wanted, json_string(given), path_));
  }

  // What is wrong with no field in particular.
  void add_general(std::string_view what) {
    add_cause({"FieldValueInvalid", fmt::format("Invalid value: \"\": {}", what), root_.empty() ? std::string("<nil>") : root_});
  }

  void check_type(const Schema& schema, const Tree& value) {
    const auto given = given_type(value);
    if (value.is_null()) {
      if (schema.type != SchemaType::kAny && !schema.may_be_null) add_wrong_type(type_text(schema.type), given.name);
      return;
    }
    if (has_type(schema.type, value)) return;
    const bool is_text_or_list = given.name == "string" || given.name == "array";
    if (!schema.format.empty() && !is_text_or_list) return add_wrong_type(schema.format, given.format);
    if (!schema.format.empty() && !is_numeric(schema.type)) return;  // formats of texts are looked at with the text
    add_wrong_type(type_text(schema.type), given.name);
  }

  void check_any_of(const Schema& schema, const Tree& value) {
    if (schema.any_of.empty()) return;
    if (std::any_of(schema.any_of.begin(), schema.any_of.end(), [&](SchemaType type) { return has_type(type, value); })) return;
    add_general(json_string(path_) + " must validate at least one schema (anyOf)");
    add_wrong_type(type_text(schema.any_of.front()), given_type(value).name);
    if (value.as_number() != nullptr) check_integer(schema.any_of.front(), {}, value);
  }

  void check_text(const Schema& schema, const std::string& text) {
    if (const auto most = schema.length.most; most && characters_in(text) > *most)
      add("FieldValueTooLong", fmt::format("Too long: may not be more than {}", counted(*most, "byte")));
    else if (const auto least = schema.length.least; least && characters_in(text) < *least)
      add_invalid(json_string(text), fmt::format("should be at least {} chars long", *least));
    else if (schema.pattern && !schema.pattern->matches(text))
      add_invalid(json_string(text), fmt::format("should match '{}'", schema.pattern_text));
    if (schema.format == "date-time" && !is_date_time(text)) add_wrong_type(schema.format, text);
  }

  void check_number(const Schema& schema, const Tree& value) {
    check_integer(schema.type, schema.format, value);
    const auto& text = value.as_number()->text;
    const auto number = double_of(value);
    if (const auto least = schema.amount.least; least && number < static_cast<double>(*least))
      add_invalid(text, fmt::format("should be greater than or equal to {}", *least));
    if (const auto most = schema.amount.most; most && number > static_cast<double>(*most))
      add_invalid(text, fmt::format("should be less than or equal to {}", *most));
  }

  void check_integer(SchemaType type, const std::string& format, const Tree& value) {
    if (type != SchemaType::kInteger || fits_format(format, value)) return;
    add_general(fmt::format("Checked value must be of type integer {} in {}",
                            format.empty() ? "(default format)" : "with format " + format, path_));
  }

  static bool fits_format(std::string_view format, const Tree& value) {
    constexpr double kMostInt32 = 2'147'483'647;
    if (!value.as_integer() && !is_integer_like(value)) return false;
    const auto number = double_of(value);
    return format != "int32" || (number >= -kMostInt32 - 1 && number <= kMostInt32);
  }

  void check_list(const Schema& schema, const Tree::List& items) {
    if (schema.items)
      for (std::size_t i = 0; i < items.size(); ++i) below(fmt::format("[{}]", i), *schema.items, items[i], nullptr);
    const auto count = static_cast<std::int64_t>(items.size());
    if (const auto least = schema.items_count.least; least && count < *least)
      add_invalid(std::to_string(count), fmt::format("should have at least {} items", *least));
    if (const auto most = schema.items_count.most; most && count > *most) add_too_many(count, *most);
  }

  void add_too_many(std::int64_t count, std::int64_t most) {
    add("FieldValueTooMany", fmt::format("Too many: {}: must have at most {}", count, counted(most, "item")));
  }

  void check_choice(const Schema& schema, const Tree& value) {
    if (schema.choices.empty()) return;
    const auto* text = value.as_string();
    if (text != nullptr && std::find(schema.choices.begin(), schema.choices.end(), *text) != schema.choices.end()) return;
    std::string supported;
    for (const auto& choice : schema.choices) supported.append(supported.empty() ? "" : ", ").append(json_string(choice));
    add("FieldValueNotSupported", fmt::format("Unsupported value: {}: supported values: {}", value.text(), supported));
  }

  void check_map(const Schema& schema, const Tree& value, const Tree* before) {
    const auto& members = *value.as_map();
    const auto count = static_cast<std::int64_t>(members.size());
    if (const auto least = schema.fields_count.least; least && count < *least)
      add_invalid(std::to_string(count), fmt::format("should have at least {} properties", *least));
    if (const auto most = schema.fields_count.most; most && count > *most) add_too_many(count, *most);
    const auto known_before = members_by_name(before);
    for (const auto& [name, own] : members)
      if (const auto* known = schema.member(name)) {
        const auto found = known_before.find(name);
        below((path_.empty() ? "" : ".") + name, *known, own, found == known_before.end() ? nullptr : found->second);
      }
    for (const auto& name : schema.required)
      if (value.find(name) == nullptr) add_missing(name);
  }

  void add_missing(const std::string& name) {
    const auto length = path_.size();
    path_.append(path_.empty() ? "" : ".").append(name);
    add("FieldValueRequired", "Required value");
    path_.resize(length);
  }

  void below(const std::string& step, const Schema& schema, const Tree& value, const Tree* before) {
    const auto length = path_.size();
    path_ += step;
    in(schema, value, before);
    path_.resize(length);
  }

  std::string root_;
  std::string path_;
  std::vector<Cause> causes_;
  std::size_t bytes_ = 0;
};

std::vector<Cause> wrong_in(const Schema& schema, const Tree& value, const Tree* before, std::string_view root = {}) {
  WrongFields out(root);
  out.in(schema, value, before);
  return std::move(out).causes();
}

// Rules are told to have been left out where what they speak of may not even have its type.
std::vector<Cause> with_unchecked_rules(const Schema& schema, std::vector<Cause> causes) {
  const auto blocks = [](const Cause& cause) { return cause.reason != "FieldValueInvalid"; };
  if (schema.has_rules && std::any_of(causes.begin(), causes.end(), blocks))
    causes.push_back({"FieldValueInvalid", fmt::format("Invalid value: null: {}", kUnchecked), "<nil>"});
  return causes;
}

// What was there before is compared only where something is wrong: nearly always nothing is.
std::vector<Cause> newly_wrong_in(const Schema& schema, const Tree* before, const Tree& after, std::string_view root = {}) {
  auto out = wrong_in(schema, after, nullptr, root);
  return out.empty() || before == nullptr ? out : wrong_in(schema, after, before, root);
}

}  // namespace

std::vector<Cause> wrong_fields(const Schema& schema, const Tree& object) {
  return with_unchecked_rules(schema, wrong_in(schema, object, nullptr));
}

std::vector<Cause> newly_wrong_fields(const Schema& schema, const Tree& before, const Tree& after) {
  return with_unchecked_rules(schema, newly_wrong_in(schema, &before, after));
}

std::vector<Cause> newly_wrong_status(const Schema& schema, const Tree& before, const Tree& after) {
  const auto* known = schema.member("status");
  const auto* status = after.find("status");
  if (known == nullptr || status == nullptr) return {};
  return with_unchecked_rules(schema, newly_wrong_in(*known, before.find("status"), *status, "status"));
}

}  // namespace muster::sim
