#include "model/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace muster {

std::string Diagnostic::text() const {
  std::string out = message;
  if (location.line != 0) out += fmt::format(" (line {}, column {})", location.line, location.column);
  if (!suggestion.empty()) out += fmt::format("; did you mean \"{}\"?", suggestion);
  return out;
}

void Reporter::error(const Value& at, std::string message, std::string suggestion) {
  report(Severity::kError, at, std::move(message), std::move(suggestion));
}

void Reporter::problem(const Value& at, std::string message, std::string suggestion) {
  const auto severity = strictness_ == Strictness::kStrict ? Severity::kError : Severity::kWarning;
  report(severity, at, std::move(message), std::move(suggestion));
}

void Reporter::warning(const Value& at, std::string message) { report(Severity::kWarning, at, std::move(message), {}); }

bool Reporter::has_errors() const {
  return std::ranges::any_of(diagnostics_, [](const Diagnostic& one) { return one.severity == Severity::kError; });
}

std::vector<Diagnostic> Reporter::take() {
  const auto position = [](const Diagnostic& one) { return std::tie(one.location.line, one.location.column); };
  std::ranges::stable_sort(diagnostics_, {}, position);
  return std::move(diagnostics_);
}

void Reporter::report(Severity severity, const Value& at, std::string message, std::string suggestion) {
  diagnostics_.push_back({severity, std::move(message), location(at), std::move(suggestion)});
}

}  // namespace muster
