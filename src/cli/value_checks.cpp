#include "cli/value_checks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/usage_error.h"

namespace muster::cli {
namespace {

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(std::int64_t) { return true; }

template <class Number>
CLI::Validator number_in(const std::string& kind, Number least, std::optional<Number> most) {
  const auto right = most ? fmt::format("{} from {} to {}", kind, least, *most) : fmt::format("{} of at least {}", kind, least);
  const auto check = [=](const std::string& text) -> std::string {
    Number value{};
    const bool read = CLI::detail::lexical_cast(text, value) && is_finite(value);
    return read && value >= least && (!most || value <= *most) ? "" : fmt::format("\"{}\" is not {}", text, right);
  };
  return {check, most ? fmt::format("{} to {}", least, *most) : fmt::format("{} or more", least)};
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> known) {
  const auto shown = fmt::format("{{{}}}", fmt::join(known, ","));
  const auto check = [known = std::move(known)](const std::string& text) -> std::string {
    if (std::ranges::find(known, text) != known.end()) return {};
    return fmt::format("\"{}\" is none of {}{}", text, fmt::join(known, ", "), did_you_mean(text, known));
  };
  return {check, shown};
}

CLI::Validator whole_number(std::int64_t least, std::optional<std::int64_t> most) {
  return number_in<std::int64_t>("a whole number", least, most);
}

CLI::Validator real_number(double least, std::optional<double> most) { return number_in<double>("a number", least, most); }

}  // namespace muster::cli
