#include "daemon/seen_pods.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

kube::Instant at(int millis) { return kube::Instant(std::chrono::milliseconds(millis)); }
Bind a_bind(const std::string& uid, const std::string& group) { return {{"ns", "pod-" + uid, uid, ""}, "n1", {}, group}; }

TEST(SeenPods, AGangIsCompleteWithTheLastOfItsPods) {
  SeenPods seen;
  seen.note("a", at(1));
  seen.note("b", at(5));
  seen.note("c", at(3));
  const auto gangs = seen.take_gangs({a_bind("a", "ns/g"), a_bind("b", "ns/g"), a_bind("c", "ns/h")});
  ASSERT_EQ(gangs.size(), 2u);
  EXPECT_EQ(gangs[0].first_pod, "a");
  EXPECT_EQ(gangs[0].since, at(5));
  EXPECT_EQ(gangs[1].first_pod, "c");
  EXPECT_EQ(gangs[1].since, at(3));
  EXPECT_EQ(seen.size(), 0u);
}

TEST(SeenPods, TheFirstSightCounts) {
  SeenPods seen;
  seen.note("a", at(1));
  seen.note("a", at(9));
  EXPECT_EQ(seen.take_gangs({a_bind("a", "ns/g")}).at(0).since, at(1));
}

TEST(SeenPods, PodsWithoutAGangAreGangsOfTheirOwn) {
  SeenPods seen;
  seen.note("a", at(1));
  seen.note("b", at(2));
  EXPECT_EQ(seen.take_gangs({a_bind("a", ""), a_bind("b", "")}).size(), 2u);
}

TEST(SeenPods, WhatWasForgottenIsNotMeasured) {
  SeenPods seen;
  seen.note("a", at(1));
  seen.forget("a");
  EXPECT_TRUE(seen.take_gangs({a_bind("a", "ns/g")}).empty());
}

}  // namespace
}  // namespace muster::daemon
