#include "policy/kai/argument_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "base/nearest_name.h"
#include "model/name_list.h"
#include "policy/kai/config.h"

namespace muster::kai {
namespace {

// What the original's own documentation calls an argument that its code spells otherwise.
constexpr std::pair<std::string_view, std::string_view> kDocumentedAs[] = {
    {"reclaimerUtilizationMultiplier", "relcaimerSaturationMultiplier"},
};

// As Go's strconv reads them.
constexpr std::array<std::string_view, 12> kBooleans = {"1", "t", "T", "TRUE",  "true",  "True",
                                                        "0", "f", "F", "FALSE", "false", "False"};

std::string nearest(const std::string& key, std::span<const ArgumentSetting> known) {
  for (const auto& [documented, spelled] : kDocumentedAs)
    if (key == documented && find_setting(known, spelled) != nullptr) return std::string(spelled);
  std::vector<std::string_view> names;
  for (const auto& setting : known) names.push_back(setting.name);
  return nearest_name(key, names);
}

template <class Number>
std::optional<Number> parsed_number(const std::string& text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return text.empty() || error != std::errc() || stop != text.data() + text.size() ? std::nullopt : std::optional(number);
}

// Whether the original can make use of the text.
bool is_readable(const std::string& text, const ArgumentSetting& setting) {
  switch (setting.type) {
    case ArgumentType::kNumber: return parsed_number<double>(text).has_value();
    case ArgumentType::kInteger: return parsed_number<std::int64_t>(text).has_value();
    case ArgumentType::kDuration: return Arguments({{"value", text}}).get_duration("value", -1) >= 0;
    case ArgumentType::kBoolean: return std::ranges::find(kBooleans, text) != kBooleans.end();
    case ArgumentType::kWord: return std::ranges::find(setting.choices, text) != setting.choices.end();
    case ArgumentType::kText: return true;
  }
  return true;
}

std::string wanted(const ArgumentSetting& setting) {
  if (setting.type != ArgumentType::kWord) return std::string(name_of(setting.type));
  std::string words;
  for (const auto word : setting.choices) words.append(words.empty() ? "" : " or ").append(word);
  return words;
}

void check_value(const Value& value, const ArgumentSetting& setting, const std::string& owner, Reporter& reporter) {
  const auto text = text_of_scalar(value).value_or("");
  if (!is_readable(text, setting))
    return reporter.problem(value,
                            fmt::format("{}: \"{}\" must be {}, not \"{}\"; it would be taken as {}", owner, setting.name,
                                        wanted(setting), text, setting.default_text),
                            setting.type == ArgumentType::kWord ? nearest_name(text, setting.choices) : "");
  if (setting.minimum && parsed_number<double>(text).value_or(*setting.minimum) < *setting.minimum)
    reporter.warning(value, fmt::format("{}: \"{}\" is raised to {}", owner, setting.name, *setting.minimum));
  if (setting.support == Support::kNot)
    reporter.warning(value, fmt::format("{}: \"{}\" has no effect: {}", owner, setting.name, setting.remark));
}

}  // namespace

void check_arguments(const Value::Map& written, std::span<const ArgumentSetting> known, const std::string& owner,
                     Reporter& reporter) {
  for (const auto& [key, value] : written) {
    const auto name = text_of_scalar(key);
    if (!name || !text_of_scalar(value)) continue;  // refused by whoever reads it
    if (const auto* setting = find_setting(known, *name))
      check_value(value, *setting, owner, reporter);
    else
      reporter.problem(key, fmt::format("{} has no argument \"{}\"", owner, *name), nearest(*name, known));
  }
}

}  // namespace muster::kai
