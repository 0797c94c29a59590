#include "model/name_list.h"

#include <fmt/format.h>

namespace muster {

std::optional<std::string> text_of_scalar(const Value& value) {
  if (value.is_null()) return std::string();
  if (const auto* text = value.as_string()) return *text;
  if (const auto* flag = value.as_bool()) return *flag ? "true" : "false";
  if (const auto* number = value.as_int()) return std::to_string(*number);
  if (const auto* number = value.as_double()) return fmt::format("{}", *number);
  return std::nullopt;
}

std::vector<Value> split_names(const Value& list, std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::vector<Value> parts;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    const std::string_view part = text.substr(at, comma == std::string_view::npos ? comma : comma - at);
    const std::size_t begin = part.find_first_not_of(kBlanks);
    const bool blank = begin == std::string_view::npos;
    const std::string_view name = blank ? "" : part.substr(begin, part.find_last_not_of(kBlanks) - begin + 1);
    parts.emplace_back(std::string(name), list.line(), list.column_of(blank ? at : at + begin));
    if (comma == std::string_view::npos) return parts;
    at = comma + 1;
  }
}

}  // namespace muster
