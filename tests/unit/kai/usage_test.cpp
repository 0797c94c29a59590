#include "policy/kai/usage.h"

#include <gtest/gtest.h>

#include "policy/kai/options.h"

namespace muster::kai {
namespace {

constexpr std::int64_t kHour = 3600 * kSecond;

Timestamp at(std::string_view text) { return *Timestamp::parse_rfc3339(text); }

UsageParams sliding(std::int64_t size) {
  auto params = default_usage_params();
  params.window_size = size;
  return params;
}

UsageParams tumbling(std::string_view start, std::int64_t size) {
  auto params = sliding(size);
  params.window = UsageWindow::kTumbling;
  params.tumbling_start = at(start);
  return params;
}

UsageParams cron(std::string_view schedule) {
  auto params = default_usage_params();
  params.window = UsageWindow::kCron;
  params.cron = *CronSchedule::parse(schedule);
  return params;
}

// All of 10 of everything, of which the queue "a" has so much.
UsagePoint point(std::string_view when, double held) {
  UsagePoint point;
  point.at = at(when);
  for (const auto share : kShares) {
    point.capacity[share] = 10;
    point.allocated["a"][share] = held;
  }
  return point;
}

TEST(Usage, ReadsSizesOfWindows) {
  EXPECT_EQ(parse_window_size("1w"), 7 * 24 * kHour);
  EXPECT_EQ(parse_window_size("2h30m"), 2 * kHour + kHour / 2);
  EXPECT_EQ(parse_window_size("1d12h"), 36 * kHour);
  EXPECT_EQ(parse_window_size("150ms"), 150 * kSecond / 1000);
  EXPECT_EQ(parse_window_size("0"), 0);
  for (const auto* text : {"", "1", "h", "1.5h", "30m2h", "1h1h", "-1h", "1 h", "99999999999999999999w", "9223372036854775807w"})
    EXPECT_EQ(parse_window_size(text), std::nullopt) << text;
}

TEST(Usage, WindowsBegin) {
  const auto now = at("2026-01-01T10:30:00Z");
  struct Row {
    UsageParams params;
    const char* start;
  };
  const Row rows[] = {
      {sliding(2 * kHour), "2026-01-01T08:30:00Z"},
      {tumbling("2026-01-01T00:00:00Z", kHour), "2026-01-01T10:00:00Z"},
      {tumbling("2025-01-01T00:00:00Z", 24 * kHour), "2026-01-01T00:00:00Z"},
      {tumbling("2026-01-01T10:30:00Z", kHour), "2026-01-01T10:30:00Z"},  // has just begun
      {tumbling("2026-01-01T08:30:00Z", kHour), "2026-01-01T09:30:00Z"},  // at the very end of one the next has not begun
      {tumbling("2026-01-01T11:00:00Z", kHour), "2026-01-01T10:30:00Z"},  // in the future: empty
      {tumbling("2026-01-01T00:00:00Z", 0), "2026-01-01T10:30:00Z"},      // without length: empty
      {cron("0 * * * *"), "2026-01-01T10:00:00Z"},
      {cron("0 0 * * *"), "2026-01-01T00:00:00Z"},
      {cron("30 10 * * *"), "2025-12-31T10:30:00Z"},
      {cron("0 0 1 1 * 2020"), "2026-01-01T10:30:00Z"},  // comes never again: empty
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) EXPECT_EQ(window_start(rows[i].params, now).rfc3339(), rows[i].start) << i;
}

TEST(Usage, OnlyTheWindowCounts) {
  const auto now = at("2026-01-01T10:30:00Z");
  const UsagePoint points[] = {point("2026-01-01T08:00:00Z", 10), point("2026-01-01T09:45:00Z", 4),
                               point("2026-01-01T10:15:00Z", 2), point("2026-01-01T11:00:00Z", 10)};
  const auto used = [&](const UsageParams& params) { return usage_of_points(params, points, now)->at("a")[Share::kGpu]; };
  EXPECT_DOUBLE_EQ(used(sliding(kHour)), 0.3);
  EXPECT_DOUBLE_EQ(used(sliding(24 * kHour)), (1.0 + 0.4 + 0.2) / 3);
  EXPECT_DOUBLE_EQ(used(tumbling("2026-01-01T00:00:00Z", kHour)), 0.2);
  EXPECT_DOUBLE_EQ(used(cron("0 9 * * *")), 0.3);
}

TEST(Usage, WhatIsLongAgoCountsLess) {
  auto params = sliding(24 * kHour);
  params.half_life = kHour;
  const UsagePoint points[] = {point("2026-01-01T09:00:00Z", 10), point("2026-01-01T10:00:00Z", 0)};
  const auto usage = usage_of_points(params, points, at("2026-01-01T10:00:00Z"));
  EXPECT_DOUBLE_EQ(usage->at("a")[Share::kCpu], 10 * 0.5 / (10 * 0.5 + 10));
}

// The original asks for the capacity of every resource, and one answer that is missing spoils them all.
TEST(Usage, NothingIsKnownWithoutAllCapacities) {
  auto sums = point("2026-01-01T09:00:00Z", 5);
  EXPECT_DOUBLE_EQ(usage_of_sums(sums)->at("a")[Share::kMemory], 0.5);
  sums.capacity.erase(Share::kMemory);
  EXPECT_EQ(usage_of_sums(sums), std::nullopt);
  EXPECT_EQ(usage_of_points(sliding(kHour), {}, at("2026-01-01T09:00:00Z")), std::nullopt);
}

TEST(Usage, OldDataStaysUntilThereIsNewer) {
  auto params = default_usage_params();
  params.staleness = 5 * 60 * kSecond;
  UsageMemory memory;
  EXPECT_TRUE(memory.due(params, at("2026-01-01T10:00:00Z")));
  memory.take(std::nullopt, at("2026-01-01T10:00:00Z"));
  EXPECT_FALSE(memory.known());
  EXPECT_FALSE(memory.due(params, at("2026-01-01T10:00:59Z")));
  memory.take(QueueUsage{{"a", {{0.1, 0.2, 0.3}}}}, at("2026-01-01T10:01:00Z"));
  EXPECT_FALSE(memory.stale(params, at("2026-01-01T10:06:00Z")));
  memory.take(std::nullopt, at("2026-01-01T10:06:00Z"));
  EXPECT_TRUE(memory.stale(params, at("2026-01-01T10:06:01Z")));
  EXPECT_DOUBLE_EQ(memory.usage().at("a")[Share::kGpu], 0.3);
  memory.take(QueueUsage{}, at("2026-01-01T10:07:00Z"));
  EXPECT_TRUE(memory.usage().empty());
}

TEST(Usage, DataIsNotStaleBeforeItIsAskedForAgain) {
  auto params = default_usage_params();
  params.staleness = kSecond;
  params.fetch_interval = 60 * kSecond;
  UsageMemory memory;
  memory.take(QueueUsage{}, at("2026-01-01T10:00:00Z"));
  EXPECT_FALSE(memory.stale(params, at("2026-01-01T10:01:00Z")));
  EXPECT_TRUE(memory.stale(params, at("2026-01-01T10:01:01Z")));
}

}  // namespace
}  // namespace muster::kai
