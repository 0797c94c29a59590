#include "policy/volcano/device_quota.h"

#include <gtest/gtest.h>
#include <limits>

namespace muster::volcano {
namespace {

Quantity q(std::string_view text) { return *Quantity::parse(text); }

DeviceDemand demand(std::vector<std::pair<std::string, DeviceAmounts>> claims) {
  DeviceDemand demand;
  for (const auto& [claim, amounts] : claims) add(demand.total, amounts);
  demand.claims = std::move(claims);
  return demand;
}

constexpr auto kCounted = DeviceQuota::Capacity::kCounted;
constexpr auto kIgnored = DeviceQuota::Capacity::kIgnored;

TEST(DeviceQuota, ReadsNamesOfResources) {
  const auto amounts = device_amounts_of({{"cpu", q("1")},
                                          {"deviceclass/gpu", q("3")},
                                          {"deviceclass/", q("3")},
                                          {"memory.deviceclass/gpu", q("10Gi")},
                                          {".deviceclass/gpu", q("1")}});
  ASSERT_EQ(amounts.size(), 1u);
  EXPECT_EQ(amounts.at("gpu"), (DeviceAmount{3, {{"memory", q("10Gi")}}}));
  ResourceList list;
  add_device_names(amounts, list);
  EXPECT_EQ(list, (ResourceList{{"deviceclass/gpu", q("3")}, {"memory.deviceclass/gpu", q("10Gi")}}));
}

TEST(DeviceQuota, LimitsNumbersOfDevices) {
  DeviceQuota quota({{"deviceclass/gpu", q("3")}}, {}, {});
  const auto two = demand({{"ns/a", {{"gpu", {2, {}}}}}});
  const auto other_two = demand({{"ns/b", {{"gpu", {2, {}}}}}});
  EXPECT_TRUE(quota.allows(two, kCounted));
  EXPECT_EQ(quota.add(two).at("gpu").count, 2);
  EXPECT_FALSE(quota.allows(other_two, kCounted));
  EXPECT_TRUE(quota.allows(two, kCounted));  // the claim is held already
  EXPECT_TRUE(quota.add(two).empty());
  EXPECT_TRUE(quota.allows(demand({{"ns/c", {{"nic", {9, {}}}}}}), kCounted));  // no limit for this class
  quota.remove(two);
  EXPECT_FALSE(quota.allows(other_two, kCounted));  // one pod still uses it
  quota.remove(two);
  EXPECT_TRUE(quota.allows(other_two, kCounted));
  EXPECT_EQ(quota.held().at("gpu").count, 0);
}

TEST(DeviceQuota, CountsWhatJobsWereLetInWith) {
  DeviceQuota quota({{"deviceclass/gpu", q("4")}}, {}, {});
  const DeviceAmounts three = {{"gpu", {3, {}}}};
  EXPECT_TRUE(quota.admits(three, kCounted));
  quota.promise(three);
  EXPECT_FALSE(quota.admits(three, kCounted));
  EXPECT_TRUE(quota.allows(demand({{"ns/a", three}}), kCounted));  // a placement looks at what is held alone
}

TEST(DeviceQuota, LimitsCapacity) {
  DeviceQuota quota({{"memory.deviceclass/gpu", q("10Gi")}}, {}, {});
  const auto six = demand({{"ns/a", {{"gpu", {1, {{"memory", q("6Gi")}}}}}}});
  EXPECT_TRUE(quota.allows(six, kCounted));
  quota.add(six);
  const auto more = demand({{"ns/b", {{"gpu", {1, {{"memory", q("6Gi")}}}}}}});
  EXPECT_FALSE(quota.allows(more, kCounted));
  EXPECT_TRUE(quota.allows(more, kIgnored));
  // A dimension without a limit is not allowed at all once the class has one.
  EXPECT_FALSE(quota.allows(demand({{"ns/c", {{"gpu", {1, {{"cores", q("1")}}}}}}}), kCounted));
}

TEST(DeviceQuota, DoesNotWrapAround) {
  const auto max = std::numeric_limits<std::int64_t>::max();
  DeviceQuota quota({{"deviceclass/gpu", q("4")}}, {}, {});
  const auto huge = demand({{"ns/a", {{"gpu", {max, {}}}}}, {"ns/b", {{"gpu", {max, {}}}}}});
  EXPECT_FALSE(quota.allows(huge, kCounted));
  quota.add(huge);
  EXPECT_FALSE(quota.allows(demand({{"ns/c", {{"gpu", {1, {}}}}}}), kCounted));
  EXPECT_FALSE(quota.admits({{"gpu", {max, {}}}}, kCounted));
}

TEST(DeviceQuota, TakesOverFromQueuesBelow) {
  DeviceQuota parent({{"deviceclass/gpu", q("4")}}, {}, {});
  parent.add_from_below({{"gpu", {3, {}}}, {"nic", {5, {}}}});
  EXPECT_EQ(parent.held(), (DeviceAmounts{{"gpu", {3, {}}}}));
}

TEST(DeviceQuota, CountsNothingWithoutLimits) {
  DeviceQuota none({{"cpu", q("4")}}, {}, {});
  EXPECT_FALSE(none.counts());
  EXPECT_TRUE(none.add(demand({{"ns/a", {{"gpu", {2, {}}}}}})).empty());
  EXPECT_TRUE(DeviceQuota({}, {{"deviceclass/gpu", q("1")}}, {}).counts());
}

}  // namespace
}  // namespace muster::volcano
