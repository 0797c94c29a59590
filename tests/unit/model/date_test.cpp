#include "model/date.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Date, DaysAndDatesAreTheSame) {
  for (std::int64_t days = -800'000; days < 800'000; days += 13) {
    const auto date = date_from_days(days);
    ASSERT_EQ(days_from_date(date.year, static_cast<int>(date.month), static_cast<int>(date.day)), days);
  }
  EXPECT_EQ(days_from_date(1970, 1, 1), 0);
  EXPECT_EQ(days_from_date(2000, 3, 1) - days_from_date(2000, 2, 28), 2);
  EXPECT_EQ(days_from_date(2100, 3, 1) - days_from_date(2100, 2, 28), 1);
}

TEST(Date, DaysOfTheWeek) {
  EXPECT_EQ(weekday_of_days(0), 4);
  EXPECT_EQ(weekday_of_days(days_from_date(2026, 1, 4)), 0);
  EXPECT_EQ(weekday_of_days(-1), 3);
  EXPECT_EQ(weekday_of_days(-5), 6);
}

}  // namespace
}  // namespace muster
