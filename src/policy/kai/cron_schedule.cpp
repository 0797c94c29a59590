#include "policy/kai/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <vector>

namespace muster::kai {
namespace {

constexpr std::string_view kMonths[] = {"", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::string_view kWeekdays[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
constexpr std::int64_t kDaySeconds = 86'400;
constexpr int kMostDays = 36'525;

struct Word {
  std::string_view name, fields;
};
constexpr Word kWords[] = {{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
                           {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@hourly", "0 * * * *"}};

std::vector<std::string_view> parts_between(std::string_view text, std::string_view marks) {
  std::vector<std::string_view> parts;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(marks), text.size()));
    if (text.empty()) return parts;
    const auto end = std::min(text.find_first_of(marks), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// One field of a schedule: the values that it may have.
struct Field {
  int low, high;
  std::span<const std::string_view> names;

  std::optional<int> value(std::string_view text) const {
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    if (const auto at = std::find(names.begin(), names.end(), upper); at != names.end() && !upper.empty())
      return static_cast<int>(at - names.begin());
    int number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || stop != text.data() + text.size() || number < low || number > high)
      return std::nullopt;
    return number;
  }

  // Marks what a part as "1-5/2" stands for; false: it cannot be read.
  template <class Mark>
  bool take(std::string_view part, Mark&& mark) const {
    int step = 1;
    const auto slash = part.find('/');
    if (slash != std::string_view::npos) {
      const auto text = part.substr(slash + 1);
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), step);
      if (text.empty() || error != std::errc() || stop != text.data() + text.size() || step <= 0) return false;
      part = part.substr(0, slash);
    }
    int from = low, to = high;
    if (part != "*" && part != "?") {
      const auto dash = part.find('-');
      const auto first = value(part.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : value(part.substr(dash + 1));
      if (!first || !last || *first > *last) return false;
      from = *first;
      to = dash == std::string_view::npos && slash != std::string_view::npos ? high : *last;
    }
    for (int at = from; at <= to; at += step) mark(at);
    return true;
  }

  template <class Mark>
  bool take_list(std::string_view text, Mark&& mark) const {
    const auto parts = parts_between(text, ",");
    return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return take(part, mark); });
  }
};

bool is_any(std::string_view field) { return field == "*" || field == "?"; }

template <std::size_t N>
std::optional<int> first_from(const std::bitset<N>& set, int from) {
  for (auto at = static_cast<std::size_t>(from); at < N; ++at)
    if (set.test(at)) return static_cast<int>(at);
  return std::nullopt;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  const auto wrong = [&] { return fail("\"" + std::string(text) + "\" is not a schedule that cron would understand"); };
  auto fields = parts_between(text, " \t\r\n");
  if (fields.size() == 1)
    for (const auto& word : kWords)
      if (word.name == fields.front()) fields = parts_between(word.fields, " ");
  if (fields.size() < 5 || fields.size() > 7) return wrong();
  if (fields.size() < 7) fields.insert(fields.begin(), "0");
  if (fields.size() < 7) fields.emplace_back("*");

  CronSchedule schedule;
  const bool read =
      Field{0, 59, {}}.take_list(fields[0], [&](int at) { schedule.seconds_.set(static_cast<std::size_t>(at)); }) &&
      Field{0, 59, {}}.take_list(fields[1], [&](int at) { schedule.minutes_.set(static_cast<std::size_t>(at)); }) &&
      Field{0, 23, {}}.take_list(fields[2], [&](int at) { schedule.hours_.set(static_cast<std::size_t>(at)); }) &&
      Field{1, 31, {}}.take_list(fields[3], [&](int at) { schedule.days_.set(static_cast<std::size_t>(at)); }) &&
      Field{1, 12, kMonths}.take_list(fields[4], [&](int at) { schedule.months_.set(static_cast<std::size_t>(at)); }) &&
      Field{0, 7, kWeekdays}.take_list(fields[5], [&](int at) { schedule.weekdays_.set(static_cast<std::size_t>(at % 7)); }) &&
      Field{kFirstYear, kFirstYear + kYears - 1, {}}.take_list(
          fields[6], [&](int at) { schedule.years_.set(static_cast<std::size_t>(at - kFirstYear)); });
  if (!read) return wrong();
  schedule.any_day_ = is_any(fields[3]);
  schedule.any_weekday_ = is_any(fields[5]);
  return schedule;
}

bool CronSchedule::matches_day(const Date& date, int weekday) const {
  const auto year = date.year - kFirstYear;
  if (year < 0 || year >= kYears || !years_.test(static_cast<std::size_t>(year))) return false;
  if (!months_.test(static_cast<std::size_t>(date.month))) return false;
  const bool of_week = weekdays_.test(static_cast<std::size_t>(weekday));
  if (any_day_) return any_weekday_ || of_week;
  return days_.test(static_cast<std::size_t>(date.day)) || (!any_weekday_ && of_week);
}

std::optional<Timestamp> CronSchedule::next(Timestamp after) const {
  const auto from = after.seconds + 1;  // whole seconds only
  auto day = from >= 0 ? from / kDaySeconds : -((-from + kDaySeconds - 1) / kDaySeconds);
  auto second = from - day * kDaySeconds;
  for (int tried = 0; tried < kMostDays; ++tried, ++day, second = 0) {
    const auto date = date_from_days(day);
    if (!matches_day(date, weekday_of_days(day))) continue;
    const auto start_hour = static_cast<int>(second / 3600);
    for (auto hour = first_from(hours_, start_hour); hour; hour = first_from(hours_, *hour + 1)) {
      const auto start_minute = *hour == start_hour ? static_cast<int>(second / 60 % 60) : 0;
      for (auto minute = first_from(minutes_, start_minute); minute; minute = first_from(minutes_, *minute + 1)) {
        const bool first = *hour == start_hour && *minute == static_cast<int>(second / 60 % 60);
        if (const auto at = first_from(seconds_, first ? static_cast<int>(second % 60) : 0))
          return Timestamp{day * kDaySeconds + *hour * 3600 + *minute * 60 + *at, 0};
      }
    }
  }
  return std::nullopt;
}

}  // namespace muster::kai
