#include "daemon/decision_log.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

Effects some(int number) {
  Effects effects;
  effects.binds.push_back(
      {.pod = {"ns", "b" + std::to_string(number), "u", ""}, .node = "n1", .group = "ns/j", .rule = "allocate"});
  effects.evictions.push_back({.pod = {"ns", "e" + std::to_string(number), "u", ""},
                               .group = "ns/k",
                               .node = "n2",
                               .rule = "preempt",
                               .for_group = "ns/j",
                               .for_pod = "ns/j-0"});
  return effects;
}

TEST(DecisionLog, HasTheLatestFirst) {
  DecisionLog log;
  log.add(7, {1'767'225'600, 0}, some(1));
  EXPECT_EQ(log.json(), R"({"decisions":[{"time":"2026-01-01T00:00:00Z","cycle":7,"kind":"evict","pod":"ns/e1","job":"ns/k",)"
                        R"("node":"n2","rule":"preempt","for_job":"ns/j","for_pod":"ns/j-0",)"
                        R"("why":"a job of the same queue needs the room, and the plugins let this pod go for it"},)"
                        R"({"time":"2026-01-01T00:00:00Z","cycle":7,"kind":"bind","pod":"ns/b1","job":"ns/j","node":"n1",)"
                        R"("rule":"allocate"}]})");
  ASSERT_EQ(log.evictions().size(), 1u);
  EXPECT_EQ(log.evictions()[0].for_job, "ns/j");
}

TEST(DecisionLog, HasABound) {
  DecisionLog log(4);
  for (int i = 0; i < 100; ++i) log.add(1, {}, some(i));
  EXPECT_EQ(log.evictions().size(), 2u);
  EXPECT_EQ(log.evictions().back().pod, "ns/e99");
}

}  // namespace
}  // namespace muster::daemon
