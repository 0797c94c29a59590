#include "sim/fields.h"

#include <algorithm>

#include "base/split.h"
#include "model/time.h"

namespace muster::sim {

std::string_view annotation_of(const Tree& object, std::string_view key) {
  const auto* annotations = object.at("metadata.annotations");
  const auto* value = annotations == nullptr ? nullptr : annotations->find(key);
  const auto* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::optional<std::int64_t> time_at(const Tree& object, std::string_view path) {
  const auto time = Timestamp::parse_rfc3339(object.text_at(path));
  return time ? std::optional(time->seconds) : std::nullopt;
}

std::int64_t bounded(std::int64_t amount) { return std::clamp<std::int64_t>(amount, 0, kMostAmount); }

std::optional<std::int64_t> bounded(std::optional<std::int64_t> amount) {
  return amount ? std::optional(bounded(*amount)) : std::nullopt;
}

std::optional<std::int64_t> bounded_at(const Tree& object, std::string_view path) { return bounded(object.integer_at(path)); }

std::int64_t count_or_share(const Tree* value, std::int64_t of, Rounding rounding) {
  if (value == nullptr) return 0;
  const auto text = value->scalar_text();
  if (!text.ends_with('%')) return bounded(parse_integer(text).value_or(0));
  const auto percent = bounded(parse_integer(std::string_view(text).substr(0, text.size() - 1)).value_or(0));
  return (percent * bounded(of) + (rounding == Rounding::kUp ? 99 : 0)) / 100;
}

}  // namespace muster::sim
