#include "model/time.h"

#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

TEST(Timestamp, ReadsRfc3339) {
  struct Row {
    std::string_view text;
    Timestamp time;
    std::string_view printed;
  };
  const Row rows[] = {
      {"1970-01-01T00:00:00Z", {0, 0}, "1970-01-01T00:00:00Z"},
      {"2026-01-01T00:00:00Z", {1'767'225'600, 0}, "2026-01-01T00:00:00Z"},
      {"2024-02-29T23:59:59Z", {1'709'251'199, 0}, "2024-02-29T23:59:59Z"},
      {"2000-02-29T00:00:00Z", {951'782'400, 0}, "2000-02-29T00:00:00Z"},
      {"2026-01-01T01:30:00+01:30", {1'767'225'600, 0}, "2026-01-01T00:00:00Z"},
      {"2025-12-31T19:00:00-05:00", {1'767'225'600, 0}, "2026-01-01T00:00:00Z"},
      {"2026-01-01T00:00:00.5Z", {1'767'225'600, 500'000'000}, "2026-01-01T00:00:00.5Z"},
      {"2026-01-01T00:00:00.000001Z", {1'767'225'600, 1000}, "2026-01-01T00:00:00.000001Z"},
      {"2026-01-01T00:00:00.1234567899Z", {1'767'225'600, 123'456'789}, "2026-01-01T00:00:00.123456789Z"},
      {"1969-12-31T23:59:59Z", {-1, 0}, "1969-12-31T23:59:59Z"},
      {"0001-01-01T00:00:00Z", {-62'135'596'800, 0}, "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59Z", {253'402'300'799, 0}, "9999-12-31T23:59:59Z"},
  };
  for (const auto& [text, time, printed] : rows) {
    const auto parsed = Timestamp::parse_rfc3339(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, time) << text << " gives " << parsed->seconds;
    EXPECT_EQ(parsed->rfc3339(), printed);
  }
}

TEST(Timestamp, RefusesWhatIsNone) {
  for (const std::string_view text : {"",
                                      "2026",
                                      "2026-01-01",
                                      "2026-01-01T00:00:00",
                                      "2026-01-01 00:00:00Z",
                                      "2026-1-1T00:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-04-31T00:00:00Z",
                                      "2026-01-00T00:00:00Z",
                                      "2026-01-01T24:00:00Z",
                                      "2026-01-01T00:60:00Z",
                                      "2026-01-01T00:00:60Z",
                                      "2026-01-01T00:00:00.Z",
                                      "2026-01-01T00:00:00+1:00",
                                      "2026-01-01T00:00:00+24:00",
                                      "2026-01-01T00:00:00Zx",
                                      "2026-01-01t00:00:00z",
                                      "1900-02-29T00:00:00Z",
                                      "-026-01-01T00:00:00Z",
                                      "yesterday"})
    EXPECT_FALSE(Timestamp::parse_rfc3339(text)) << text;
}

RC_GTEST_PROP(TimestampProperty, TextReadsBackTheSame, ()) {
  const Timestamp time{*rc::gen::inRange<std::int64_t>(-62'135'596'800, 253'402'300'800), *rc::gen::inRange(0, 1'000'000'000)};
  RC_ASSERT(Timestamp::parse_rfc3339(time.rfc3339()).value() == time);
}

TEST(Timestamp, TimeBetweenTwoStopsAtTheMostThereIs) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(nanos_between({10, 5}, {12, 3}), 1'999'999'998);
  EXPECT_EQ(nanos_between({12, 3}, {10, 5}), -1'999'999'998);
  EXPECT_EQ(nanos_between({0, 0}, {9'223'372'036, 854'775'807}), kMost);
  EXPECT_EQ(nanos_between({0, 0}, {9'223'372'036, 854'775'808}), kMost);
  EXPECT_EQ(nanos_between({-62'135'596'800, 0}, {253'402'300'799, 0}), kMost);
  EXPECT_EQ(nanos_between({253'402'300'799, 0}, {-62'135'596'800, 0}), kLeast);
  EXPECT_EQ(nanos_between({kLeast, 0}, {kMost, 999'999'999}), kMost);
  EXPECT_EQ(nanos_between({kMost, 0}, {kLeast, 0}), kLeast);
}

TEST(GoDuration, IsReadInNanoseconds) {
  struct Row {
    std::string_view text;
    std::int64_t nanos;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  const Row rows[] = {
      {"0", 0},
      {"+0", 0},
      {"0s", 0},
      {"1ns", 1},
      {"1us", 1000},
      {"1µs", 1000},
      {"1μs", 1000},
      {"250ms", 250'000'000},
      {"1s", kSecond},
      {"-1.5s", -1'500'000'000},
      {"+5s", 5 * kSecond},
      {".5s", kSecond / 2},
      {"1.s", kSecond},
      {"1h30m", 5400 * kSecond},
      {"1h15m30.918s", 4'530'918'000'000},
      {"2562047h47m16.854775807s", std::numeric_limits<std::int64_t>::max()},
      {"-2562047h47m16.854775808s", std::numeric_limits<std::int64_t>::min()},
      {"0.3333333333333333333h", 1'200'000'000'000},
  };
  for (const auto& [text, nanos] : rows) {
    const auto parsed = parse_go_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, nanos) << text;
  }
}

TEST(GoDuration, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "3", "-", "s", ".", "-.", ".s", "+.s", "1d", "1 s", " 1s", "1s ", "1h30", "--1s", "1e3s",
                                      "3000000h", "9223372036854775808ns", "99999999999999999999s"})
    EXPECT_FALSE(parse_go_duration(text)) << text;
}

}  // namespace
}  // namespace muster
