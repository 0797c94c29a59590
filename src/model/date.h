#pragma once

#include <cstdint>

namespace muster {

// A day of the calendar; months and days count from 1.
struct Date {
  std::int64_t year;
  std::int64_t month;
  std::int64_t day;
};

// Days are counted from 1970-01-01, also backwards.
std::int64_t days_from_date(std::int64_t year, int month, int day);
Date date_from_days(std::int64_t days);
// 0 is a Sunday.
int weekday_of_days(std::int64_t days);

}  // namespace muster
