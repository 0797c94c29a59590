#include "policy/volcano/argument_check.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest_name.h"
#include "model/quantity.h"
#include "model/time.h"
#include "policy/volcano/arguments.h"
#include "policy/volcano/daily_hours.h"

namespace muster::volcano {
namespace {

// The walk over one component's arguments; it carries what every message needs.
class Check {
 public:
  Check(const std::string& owner, Reporter& reporter) : owner_(owner), reporter_(reporter) {}

  void map(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& parent, Typing typing);
  void value(const Value& value, const ArgumentSetting& setting, const std::string& path);

 private:
  void structure(const Value& value, const ArgumentSetting& setting, const std::string& path);
  void key_type(const Value& key, std::span<const ArgumentSetting> known, Typing typing);
  void wrong_type(const Value& value, const ArgumentSetting& setting, const std::string& path);
  void unknown_key(const Value& key, std::string_view name, std::span<const ArgumentSetting> known, const std::string& parent);
  void number(const Value& value, double number, const ArgumentSetting& setting, const std::string& path);
  void text(const Value& value, const std::string& text, const ArgumentSetting& setting, const std::string& path);
  void must(const Value& value, const std::string& path, const std::string& what);

  const std::string& owner_;
  Reporter& reporter_;
};

// Whether a value has a type that the original takes for this setting.
bool has_type(const Value& value, const ArgumentSetting& setting) {
  const bool decoded = setting.typing == Typing::kDecoded;
  if (decoded && value.is_null()) return true;
  switch (setting.type) {
    case ArgumentType::kBool: return (decoded ? decoded_bool(value) : loose_bool(value)).has_value();
    case ArgumentType::kInt: return (decoded ? decoded_int(value) : loose_int(value)).has_value();
    case ArgumentType::kFloat: return loose_float(value).has_value();
    case ArgumentType::kString:
    case ArgumentType::kDuration:
    case ArgumentType::kTimeRange: return value.as_string() != nullptr;
    case ArgumentType::kQuantity: return value.as_string() != nullptr || value.as_int() != nullptr;
    case ArgumentType::kList: return value.as_list() != nullptr;
    case ArgumentType::kMap: return value.as_map() != nullptr;
  }
  return false;
}

const ArgumentSetting* find_field(std::span<const ArgumentSetting> known, std::string_view key, Typing typing) {
  if (const auto* exact = find_argument(known, key)) return exact;
  if (typing != Typing::kDecoded) return nullptr;
  const auto found = std::ranges::find_if(known, [&](const ArgumentSetting& row) { return same_ignoring_case(row.name, key); });
  return found == known.end() ? nullptr : &*found;
}

// For `binpack.resource.nvidia.com/gpu` and the prefix `binpack.resources.`: `binpack.resources.nvidia.com/gpu`. The part to
// compare is as many dotted words as the prefix has.
std::string with_prefix(std::string_view key, std::string_view prefix) {
  std::size_t end = 0;
  for (auto words = std::ranges::count(prefix, '.'); words > 0; --words) {
    const std::size_t dot = key.find('.', end);
    if (dot == std::string_view::npos) return {};
    end = dot + 1;
  }
  return std::string(prefix) + std::string(key.substr(end));
}

std::string nearest_argument(std::string_view key, std::span<const ArgumentSetting> known) {
  std::vector<std::string> completed;
  for (const ArgumentSetting& row : known) {
    const auto prefix = row.prefix();
    completed.push_back(prefix ? with_prefix(key, *prefix) : std::string(row.name));
  }
  const std::vector<std::string_view> names(completed.begin(), completed.end());
  return nearest_name(key, names);
}

std::string listed(std::span<const std::string_view> choices) {
  std::vector<std::string> quoted;
  for (const std::string_view choice : choices) {
    if (!choice.empty()) quoted.push_back(fmt::format("\"{}\"", choice));
  }
  return fmt::format("{}", fmt::join(quoted, " or "));
}

void Check::map(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& parent, Typing typing) {
  for (const auto& [key, inner] : written) {
    const std::string* name = key.as_string();
    if (name == nullptr) {
      key_type(key, known, typing);
      continue;
    }
    const ArgumentSetting* setting = find_field(known, *name, typing);
    const bool allowed = setting != nullptr && (setting->key_allowed == nullptr || setting->key_allowed(*name));
    if (!allowed) unknown_key(key, *name, known, parent);
    if (setting != nullptr) value(inner, *setting, parent + *name);
  }
}

void Check::key_type(const Value& key, std::span<const ArgumentSetting> known, Typing typing) {
  auto message = fmt::format("an argument name of {} must be a string, not {}", owner_, key.type_name());
  const bool decoded =
      typing == Typing::kDecoded && std::ranges::any_of(known, [](const auto& row) { return row.prefix().has_value(); });
  if (decoded) return reporter_.error(key, std::move(message));
  reporter_.problem(key, std::move(message));
}

void Check::value(const Value& value, const ArgumentSetting& setting, const std::string& path) {
  if (!has_type(value, setting)) return wrong_type(value, setting, path);
  if (value.is_null()) return;
  switch (setting.type) {
    case ArgumentType::kBool: return;
    case ArgumentType::kInt:
      if (value.as_double() != nullptr) must(value, path, fmt::format("be {}, not {}", to_string(setting.type), value.type_name()));
      [[fallthrough]];
    case ArgumentType::kFloat: return number(value, *loose_float(value), setting, path);
    case ArgumentType::kQuantity:
      if (value.as_int() != nullptr) return number(value, *loose_float(value), setting, path);
      [[fallthrough]];
    case ArgumentType::kString:
    case ArgumentType::kDuration:
    case ArgumentType::kTimeRange: return text(value, *value.as_string(), setting, path);
    case ArgumentType::kList:
    case ArgumentType::kMap: return structure(value, setting, path);
  }
}

void Check::structure(const Value& value, const ArgumentSetting& setting, const std::string& path) {
  if (const Value::Map* fields = value.as_map(); fields != nullptr && !setting.fields.empty()) {
    map(*fields, setting.fields, path + ".", setting.typing);
  }
  if (const Value::List* elements = value.as_list(); elements != nullptr && setting.element != nullptr) {
    for (std::size_t i = 0; i < elements->size(); ++i)
      this->value((*elements)[i], *setting.element, fmt::format("{}[{}]", path, i));
  }
}

void Check::wrong_type(const Value& value, const ArgumentSetting& setting, const std::string& path) {
  auto message = fmt::format("argument \"{}\" of {} must be {}, not {}", path, owner_, to_string(setting.type), value.type_name());
  if (setting.typing == Typing::kLoose) return reporter_.problem(value, std::move(message));
  reporter_.error(value, std::move(message));
}

void Check::unknown_key(const Value& key, std::string_view name, std::span<const ArgumentSetting> known,
                        const std::string& parent) {
  const std::string nearest = nearest_argument(name, known);
  reporter_.problem(key, fmt::format("unknown argument \"{}{}\" of {}", parent, name, owner_), nearest == name ? "" : nearest);
}

void Check::number(const Value& value, double number, const ArgumentSetting& setting, const std::string& path) {
  // Written so that a NaN is out of range.
  if (setting.minimum && !(number >= *setting.minimum)) {
    return must(value, path, fmt::format("be at least {}, not {}", *setting.minimum, number));
  }
  if (setting.maximum && !(number <= *setting.maximum)) {
    return must(value, path, fmt::format("be at most {}, not {}", *setting.maximum, number));
  }
}

void Check::text(const Value& value, const std::string& text, const ArgumentSetting& setting, const std::string& path) {
  const auto must_be = [&](std::string_view what) { must(value, path, fmt::format("be {}, not \"{}\"", what, text)); };
  if (!setting.choices.empty() && std::ranges::find(setting.choices, text) == setting.choices.end()) {
    return reporter_.problem(
        value, fmt::format("argument \"{}\" of {} must be {}, not \"{}\"", path, owner_, listed(setting.choices), text),
        nearest_name(text, setting.choices));
  }
  if (setting.type == ArgumentType::kTimeRange && !DailyHours::parse(text)) return must_be(to_string(setting.type));
  if (setting.type == ArgumentType::kDuration) {
    const auto nanoseconds = parse_go_duration(text);
    if (!nanoseconds) return must_be(to_string(setting.type));
    if (setting.minimum && static_cast<double>(*nanoseconds) < *setting.minimum * 1e9) return must_be("longer than 0s");
  }
  if (setting.type == ArgumentType::kQuantity) {
    const auto quantity = Quantity::parse(text);
    if (!quantity) return must_be(to_string(setting.type));
    if (setting.minimum && *quantity < Quantity()) return must_be("at least 0");
  }
}

void Check::must(const Value& value, const std::string& path, const std::string& what) {
  reporter_.problem(value, fmt::format("argument \"{}\" of {} must {}", path, owner_, what));
}

}  // namespace

void check_arguments(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& owner,
                     Reporter& reporter) {
  Check(owner, reporter).map(written, known, "", Typing::kLoose);
}

void check_argument(const Value& value, const ArgumentSetting& setting, const std::string& name, const std::string& owner,
                    Reporter& reporter) {
  Check(owner, reporter).value(value, setting, name);
}

}  // namespace muster::volcano
