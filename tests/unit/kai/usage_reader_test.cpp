#include "policy/kai/usage_reader.h"

#include <gtest/gtest.h>

#include "codec/yaml_value.h"
#include "policy/kai/options.h"

namespace muster::kai {
namespace {

constexpr const char* kClient = "clientType: prometheus\nconnectionString: http://p:9090\n";

Result<UsageParams> read(const std::string& yaml) { return read_usage_params(*read_yaml_value(yaml, "f"), "f"); }

TEST(UsageReader, DefaultsStandWhereNothingIsSaid) {
  const auto params = read(kClient);
  ASSERT_TRUE(params);
  EXPECT_EQ(params->window, UsageWindow::kSliding);
  EXPECT_EQ(params->window_size, 7 * 24 * 3600 * kSecond);
  EXPECT_EQ(params->half_life, 0);
  EXPECT_EQ(params->fetch_interval, 60 * kSecond);
  EXPECT_EQ(params->staleness, 300 * kSecond);
}

TEST(UsageReader, TakesWhatIsSaid) {
  const auto params = read(std::string(kClient) +
                           "usageParams: {halfLifePeriod: 10m, windowSize: 2h, windowType: tumbling, stalenessPeriod: 30s,\n"
                           "  tumblingWindowStartTime: \"2026-01-01T00:00:00Z\", extraParams: {queryResolution: 30s}}\n");
  ASSERT_TRUE(params);
  EXPECT_EQ(params->window, UsageWindow::kTumbling);
  EXPECT_EQ(params->half_life, 600 * kSecond);
  EXPECT_EQ(params->window_size, 7200 * kSecond);
  EXPECT_EQ(params->staleness, 60 * kSecond);  // not less than the interval
  EXPECT_EQ(params->tumbling_start->rfc3339(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(params->extra.find("queryResolution")->second, "30s");
  EXPECT_TRUE(read(std::string(kClient) + "usageParams: {windowType: cron, cronString: \"0 0 * * *\"}\n")->cron);
  EXPECT_EQ(read(std::string(kClient) + "usageParams: {halfLifePeriod: -3m}\n")->half_life, 0);
}

TEST(UsageReader, RefusesWhatCannotWork) {
  const std::string client = kClient;
  for (const auto& yaml : {std::string("clientType: prometheus\n"), std::string("clientType: sybil\nconnectionString: x\n"),
                           client + "connectionStringEnvVar: X\n", client + "usageParams: {windowSize: long}\n",
                           client + "usageParams: {windowSize: 1}\n", client + "usageParams: {fetchInterval: 1}\n",
                           client + "usageParams: {windowType: tumbling}\n", client + "usageParams: {windowType: cron}\n",
                           client + "usageParams: {windowType: round}\n", std::string("[]\n")})
    EXPECT_FALSE(read(yaml)) << yaml;
}

}  // namespace
}  // namespace muster::kai
