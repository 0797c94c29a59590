#pragma once

#include <bitset>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "model/date.h"
#include "model/time.h"

namespace muster::kai {

// Times that come again, as cron writes them: minute, hour, day of the month, month and day of the week, optionally a year after
// them and a second before them; lists, ranges, steps, English names, and words as @daily. Days of the month and of the week that
// are both given add up. In UTC.
class CronSchedule {
 public:
  static Result<CronSchedule> parse(std::string_view text);

  // The first time after that one; nothing: none within a hundred years.
  std::optional<Timestamp> next(Timestamp after) const;

  bool operator==(const CronSchedule&) const = default;

 private:
  static constexpr int kFirstYear = 1970;
  static constexpr int kYears = 230;

  bool matches_day(const Date& date, int weekday) const;

  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  std::bitset<kYears> years_;
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace muster::kai
