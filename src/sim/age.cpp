#include "sim/age.h"

#include <fmt/format.h>

namespace muster::sim {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kYear = 365 * kDay;

std::string two_units(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  return small == 0 ? fmt::format("{}{}", large, large_unit) : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string duration_text(std::int64_t seconds) {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * kMinute) return fmt::format("{}s", seconds);
  if (seconds < 10 * kMinute) return two_units(seconds / kMinute, 'm', seconds % kMinute, 's');
  if (seconds < 3 * kHour) return fmt::format("{}m", seconds / kMinute);
  if (seconds < 8 * kHour) return two_units(seconds / kHour, 'h', seconds % kHour / kMinute, 'm');
  if (seconds < 2 * kDay) return fmt::format("{}h", seconds / kHour);
  if (seconds < 8 * kDay) return two_units(seconds / kDay, 'd', seconds % kDay / kHour, 'h');
  if (seconds < 2 * kYear) return fmt::format("{}d", seconds / kDay);
  if (seconds < 8 * kYear) return two_units(seconds / kYear, 'y', seconds % kYear / kDay, 'd');
  return fmt::format("{}y", seconds / kYear);
}

std::string age_text(std::string_view since, Timestamp now) {
  const auto begin = Timestamp::parse_rfc3339(since);
  if (!begin) return "<unknown>";
  return duration_text(now.seconds - begin->seconds);
}

}  // namespace muster::sim
