#include "policy/kai/plugins/resource_division.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

QueueShare a_queue(std::string name, double quota, double weight, double request, std::int32_t priority = 100) {
  QueueShare queue;
  queue.name = std::move(name);
  queue.priority = priority;
  queue.deserved = {{0, 0, quota}};
  queue.limit = {{kUnlimited, kUnlimited, kUnlimited}};
  queue.weight = {{0, 0, weight}};
  queue.request = {{0, 0, request}};
  return queue;
}

std::vector<double> divided(double total, std::vector<QueueShare> queues, double k = 1) {
  std::vector<QueueShare*> pointers;
  for (auto& queue : queues) pointers.push_back(&queue);
  divide({{0, 0, total}}, k, pointers);
  std::vector<double> shares;
  for (const auto& queue : queues) shares.push_back(queue.fair_share[Share::kGpu]);
  return shares;
}

using Shares = std::vector<double>;

TEST(ResourceDivision, GivesQuotasThenWeightsThenLowerPriorities) {
  EXPECT_EQ(divided(10, {a_queue("a", 2, 2, 8), a_queue("b", 2, 1, 8), a_queue("c", 1, 5, 4, 50)}), (Shares{5, 3, 2}));
}

TEST(ResourceDivision, NeverGivesMoreThanIsAskedFor) {
  EXPECT_EQ(divided(10, {a_queue("a", 4, 1, 2), a_queue("b", 0, 1, 3)}), (Shares{2, 3}));
}

TEST(ResourceDivision, GivesQuotasEvenBeyondTheTotal) {
  EXPECT_EQ(divided(4, {a_queue("a", 3, 1, 3), a_queue("b", 3, 1, 5)}), (Shares{3, 3}));
}

TEST(ResourceDivision, DealsRemaindersToTheLargest) {
  EXPECT_EQ(divided(8, {a_queue("a", 0, 1, 8), a_queue("b", 0, 2, 8)}), (Shares{3, 5}));
}

TEST(ResourceDivision, GivesNothingBeyondQuotaWithoutWeight) {
  EXPECT_EQ(divided(8, {a_queue("a", 1, 0, 8), a_queue("b", 1, 1, 3)}), (Shares{1, 3}));
}

TEST(ResourceDivision, KeepsToLimits) {
  auto limited = a_queue("a", 0, 1, 8);
  limited.limit[Share::kGpu] = 2;
  EXPECT_EQ(divided(8, {limited, a_queue("b", 0, 1, 8)}), (Shares{2, 6}));
}

TEST(ResourceDivision, TakesPastUsageIntoAccount) {
  auto heavy = a_queue("a", 0, 1, 8);
  heavy.usage[Share::kGpu] = 1;
  EXPECT_EQ(divided(8, {heavy, a_queue("b", 0, 1, 8)}, 1), (Shares{0, 8}));
  EXPECT_EQ(divided(8, {heavy, a_queue("b", 0, 1, 8)}, 0), (Shares{4, 4}));
}

}  // namespace
}  // namespace muster::kai
