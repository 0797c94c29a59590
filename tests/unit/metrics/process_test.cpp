#include <ctime>
#include <gtest/gtest.h>

#include "metrics/process_metrics.h"

namespace muster::metrics {
namespace {

TEST(ProcessStat, WhateverTheProgramIsCalled) {
  const auto stat = parse_process_stat(
      "42 (a) b (c) S 1 42 42 0 -1 4194560 9 0 0 0 250 50 7 8 20 0 4 0 123456 1073741824 2048 18446744073709551615 1 1\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->user_ticks, 250);
  EXPECT_EQ(stat->system_ticks, 50);
  EXPECT_EQ(stat->start_ticks, 123456);
  EXPECT_EQ(stat->virtual_bytes, 1073741824);
  EXPECT_EQ(stat->resident_pages, 2048);
  for (const auto* odd : {"", "42 a S 1", "42 (a) S 1 2 3", "42 (a) S 1 42 42 0 -1 4194560 9 0 0 0 x 50 7 8 20 0 4 0 1 2 3"})
    EXPECT_FALSE(parse_process_stat(odd)) << odd;
}

TEST(ProcessMetrics, OfThisProcess) {
  Registry registry;
  ProcessMetrics metrics(registry);
  registry.text();
  EXPECT_GT(metrics.resident_memory_bytes.value(), 1e6);
  EXPECT_GT(metrics.virtual_memory_bytes.value(), metrics.resident_memory_bytes.value());
  EXPECT_GE(metrics.virtual_memory_max_bytes.value(), metrics.virtual_memory_bytes.value());
  EXPECT_GT(metrics.open_fds.value(), 2);
  EXPECT_GT(metrics.max_fds.value(), metrics.open_fds.value());
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_GT(metrics.start_time_seconds.value(), now - 3600);
  EXPECT_LE(metrics.start_time_seconds.value(), now + 2);
  const auto before = metrics.cpu_seconds.value();
  for (volatile int i = 0; i < 50'000'000;) i = i + 1;
  registry.text();
  EXPECT_GT(metrics.cpu_seconds.value(), before);
}

}  // namespace
}  // namespace muster::metrics
