#include "policy/volcano/arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace muster::volcano {
namespace {

constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "False", "FALSE"};

template <class T>
T or_fallback(const Value* value, std::optional<T> (*read)(const Value&), T fallback) {
  if (value == nullptr) return fallback;
  return read(*value).value_or(std::move(fallback));
}

// Towards zero. What no integer can hold becomes the most negative one, as a conversion on amd64 makes it.
std::int64_t cut(double number) {
  constexpr double kTooLarge = 9223372036854775808.0;
  if (std::isnan(number) || number >= kTooLarge || number < -kTooLarge) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

const Value* Arguments::find(std::string_view key) const {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) { return entry.key == key; });
  return last == entries_.rend() ? nullptr : &last->value;
}

std::int64_t Arguments::get_int(std::string_view key, std::int64_t fallback) const {
  return or_fallback(find(key), loose_int, fallback);
}

double Arguments::get_float(std::string_view key, double fallback) const { return or_fallback(find(key), loose_float, fallback); }

bool Arguments::get_bool(std::string_view key, bool fallback) const { return or_fallback(find(key), loose_bool, fallback); }

std::string Arguments::get_string(std::string_view key, std::string_view fallback) const {
  return or_fallback(find(key), loose_string, std::string(fallback));
}

Arguments Arguments::nested(std::string_view key) const {
  const Value* value = find(key);
  const Value::Map* map = value == nullptr ? nullptr : value->as_map();
  if (map == nullptr) return {};
  std::vector<Entry> entries;
  for (const auto& [name, inner] : *map) {
    const std::string* text = name.as_string();
    if (text == nullptr) return {};
    entries.push_back({*text, inner});
  }
  return Arguments(std::move(entries));
}

Arguments Arguments::below(std::string_view prefix) const {
  std::vector<Entry> entries;
  for (const Entry& entry : entries_) {
    if (entry.key.starts_with(prefix)) entries.push_back({entry.key.substr(prefix.size()), entry.value});
  }
  return Arguments(std::move(entries));
}

std::optional<std::int64_t> loose_int(const Value& value) {
  if (const auto* number = value.as_int()) return *number;
  return std::nullopt;
}

std::optional<double> loose_float(const Value& value) {
  if (const auto* number = value.as_double()) return *number;
  if (const auto* number = value.as_int()) return static_cast<double>(*number);
  return std::nullopt;
}

std::optional<bool> loose_bool(const Value& value) {
  if (const auto* flag = value.as_bool()) return *flag;
  const auto* text = value.as_string();
  if (text == nullptr) return std::nullopt;
  if (std::ranges::find(kTrue, *text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, *text) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::string> loose_string(const Value& value) {
  if (const auto* text = value.as_string()) return *text;
  return std::nullopt;
}

std::optional<std::int64_t> decoded_int(const Value& value) {
  if (value.is_null()) return 0;
  if (const auto* number = value.as_double()) return cut(*number);
  return loose_int(value);
}

std::optional<double> decoded_float(const Value& value) {
  if (value.is_null()) return 0.0;
  return loose_float(value);
}

std::optional<bool> decoded_bool(const Value& value) {
  if (value.is_null()) return false;
  if (const auto* flag = value.as_bool()) return *flag;
  return std::nullopt;
}

std::optional<std::string> decoded_string(const Value& value) {
  if (value.is_null()) return std::string();
  return loose_string(value);
}

const Value* decoded_field(const Value& structure, std::string_view name) {
  const Value::Map* map = structure.as_map();
  if (map == nullptr) return nullptr;
  for (const auto& [key, value] : *map) {
    const std::string* text = key.as_string();
    if (text != nullptr && same_ignoring_case(*text, name)) return &value;
  }
  return nullptr;
}

bool same_ignoring_case(std::string_view left, std::string_view right) { return std::ranges::equal(left, right, {}, lower, lower); }

}  // namespace muster::volcano
