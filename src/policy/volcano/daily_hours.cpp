#include "policy/volcano/daily_hours.h"

#include <algorithm>

namespace muster::volcano {
namespace {

constexpr int kMinutesOfDay = 24 * 60;

// "9:05" or "09:05" in minutes since midnight.
std::optional<int> parse_clock(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon > 2 || text.size() != colon + 3) return std::nullopt;
  const std::string_view hour = text.substr(0, colon);
  const std::string_view minute = text.substr(colon + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::all_of(hour.begin(), hour.end(), digit) || !std::all_of(minute.begin(), minute.end(), digit)) return std::nullopt;
  const int hours = hour.size() == 1 ? hour[0] - '0' : (hour[0] - '0') * 10 + (hour[1] - '0');
  if (hours >= 24 || minute[0] >= '6') return std::nullopt;
  return hours * 60 + (minute[0] - '0') * 10 + (minute[1] - '0');
}

}  // namespace

std::optional<DailyHours> DailyHours::parse(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto from = parse_clock(text.substr(0, dash));
  const auto to = parse_clock(text.substr(dash + 1));
  if (!from || !to) return std::nullopt;
  return DailyHours(*from, *to > *from ? *to : *to + kMinutesOfDay);
}

bool DailyHours::contains(Timestamp time) const {
  constexpr std::int64_t kSecondsOfDay = 60 * kMinutesOfDay;
  const auto second = (time.seconds % kSecondsOfDay + kSecondsOfDay) % kSecondsOfDay;
  return second >= from_ * 60 && second <= to_ * 60;
}

}  // namespace muster::volcano
