#include "app/kai_usage.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using kai::Share;
using kai::UsageWindow;

constexpr Timestamp kNow{1'767'225'600, 0};

UsageSample sample(std::optional<Timestamp> at, double held) {
  return {at, {{"cpu", 10}, {"memory", 10}, {"gpu", 10}}, {{"q", {{"cpu", held}, {"memory", held}, {"gpu", held}}}}};
}

double gpu_usage(const Case& scenario, UsageWindow window) {
  auto params = kai::default_usage_params();
  params.window = window;
  const auto usage = usage_of_case(scenario, params);
  const auto found = usage.find("q");
  return found == usage.end() ? -1 : found->second[Share::kGpu];
}

TEST(KaiUsage, AsTheCaseSaysElseBySumsElseBySamples) {
  Case scenario;
  scenario.now = kNow;
  EXPECT_EQ(gpu_usage(scenario, UsageWindow::kSliding), -1);
  scenario.usage_samples = {sample(Timestamp{kNow.seconds - 60, 0}, 4), sample(Timestamp{kNow.seconds - 30, 0}, 2)};
  EXPECT_DOUBLE_EQ(gpu_usage(scenario, UsageWindow::kSliding), 0.3);
  scenario.usage_samples = {sample(std::nullopt, 5)};
  EXPECT_DOUBLE_EQ(gpu_usage(scenario, UsageWindow::kSliding), 0.5);
  EXPECT_DOUBLE_EQ(gpu_usage(scenario, UsageWindow::kCron), 0.5);
  scenario.usage["q"]["gpu"] = 0.75;
  EXPECT_DOUBLE_EQ(gpu_usage(scenario, UsageWindow::kSliding), 0.75);
}

// The original gets no answer that it understands.
TEST(KaiUsage, OtherWindowsBringNothing) {
  Case scenario;
  scenario.now = kNow;
  scenario.usage_samples = {sample(Timestamp{kNow.seconds - 60, 0}, 4)};
  EXPECT_EQ(gpu_usage(scenario, UsageWindow::kTumbling), -1);
  EXPECT_EQ(gpu_usage(scenario, UsageWindow::kCron), -1);
}

TEST(KaiUsage, ACapacityThatIsMissingSpoilsAll) {
  Case scenario;
  scenario.now = kNow;
  scenario.usage_samples = {sample(std::nullopt, 5)};
  scenario.usage_samples.front().capacity.erase("memory");
  EXPECT_EQ(gpu_usage(scenario, UsageWindow::kSliding), -1);
}

}  // namespace
}  // namespace muster
