#include "daemon/held_pods.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

const kube::Instant kStart{1h};
kube::Identity id(const std::string& name) { return {"ns", name, "u-" + name, ""}; }
Pod a_pod(const std::string& name, const std::string& node = {}) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = name;
  pod.meta.uid = "u-" + name;
  pod.spec.node_name = node;
  return pod;
}
bool is_gated(HeldPods& held, Pod pod) {
  held.complete(pod);
  return !pod.spec.scheduling_gates.empty();
}

TEST(HeldPods, HeldUntilTheTimeIsOver) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "ns/g", kStart);
  EXPECT_TRUE(is_gated(held, a_pod("a")));
  EXPECT_FALSE(is_gated(held, a_pod("b")));
  EXPECT_EQ(held.next(), kStart + 1s);
  EXPECT_TRUE(held.let_go(kStart + 999ms).empty());
  const auto free = held.let_go(kStart + 1s);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].meta.name, "a");
  EXPECT_TRUE(free[0].spec.scheduling_gates.empty());
  EXPECT_FALSE(is_gated(held, a_pod("a")));
  EXPECT_EQ(held.next(), std::nullopt);
}

TEST(HeldPods, LongerWithEveryRefusalInARowUpToTheLongest) {
  HeldPods held({.first = 1s, .most = 5s});
  auto now = kStart;
  for (const auto expected : {1s, 2s, 4s, 5s, 5s}) {
    held.refuse(id("a"), "ns/g", now);
    EXPECT_EQ(*held.next() - now, expected);
    now += expected;
    held.let_go(now);
  }
}

TEST(HeldPods, RefusalsOfAGroupWhileItIsHeldAreOne) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "ns/g", kStart);
  held.refuse(id("b"), "ns/g", kStart + 500ms);
  held.refuse(id("c"), "ns/other", kStart + 500ms);
  for (const auto* name : {"b", "a", "c"}) EXPECT_TRUE(is_gated(held, a_pod(name)));
  const auto free = held.let_go(kStart + 1s);
  ASSERT_EQ(free.size(), 2u);
  EXPECT_EQ(free[0].meta.name, "a");
  EXPECT_EQ(free[1].meta.name, "b");
  EXPECT_EQ(held.next(), kStart + 1500ms);
}

TEST(HeldPods, WhoWasNotRefusedForLongBeginsAnew) {
  HeldPods held({.first = 1s, .most = 4s});
  held.refuse(id("a"), "ns/g", kStart);
  held.let_go(kStart + 1s);
  held.refuse(id("a"), "ns/g", kStart + 2s);
  EXPECT_EQ(held.next(), kStart + 4s);
  held.let_go(kStart + 4s);
  held.refuse(id("a"), "ns/g", kStart + 8s);
  EXPECT_EQ(held.next(), kStart + 9s);
}

TEST(HeldPods, ABoundPodAnotherPodAndAGonePodAreNotHeld) {
  HeldPods held;
  held.refuse(id("a"), "", kStart);
  EXPECT_FALSE(is_gated(held, a_pod("a", "n1")));
  EXPECT_EQ(held.size(), 0u);
  held.refuse(id("b"), "", kStart);
  auto other = a_pod("b");
  other.meta.uid = "another";
  EXPECT_FALSE(is_gated(held, other));
  EXPECT_EQ(held.size(), 0u);
  held.refuse(id("c"), "", kStart);
  held.forget({"ns", "c", "another", ""});
  EXPECT_EQ(held.size(), 1u);
  held.forget(id("c"));
  EXPECT_EQ(held.size(), 0u);
}

TEST(HeldPods, WhoTakesThePlaceOfPodsThatWereGivenUpIsHeldAsLong) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "ns/g", kStart);
  held.hold_newcomers("ns/g", kStart + 500ms);
  auto newcomer = a_pod("b"), stranger = a_pod("c"), bound = a_pod("d", "n1");
  held.complete(newcomer, "ns/g");
  held.complete(stranger, "ns/other");
  held.complete(bound, "ns/g");
  EXPECT_TRUE(looks_held(newcomer));
  EXPECT_FALSE(looks_held(stranger));
  EXPECT_FALSE(looks_held(bound));
  const auto free = held.let_go(kStart + 1s);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].meta.name, "b");
  EXPECT_FALSE(held.holds_newcomers());
  EXPECT_EQ(held.size(), 0u);
  held.hold_newcomers("ns/g", kStart + 5s);
  auto later = a_pod("b");
  held.complete(later, "ns/g");
  EXPECT_TRUE(looks_held(later));
  EXPECT_EQ(held.next(), kStart + 7s) << "as after another refusal";
}

TEST(HeldPods, OneThatWasNotReadInTimeIsJustNotHeld) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "", kStart);
  EXPECT_TRUE(held.let_go(kStart + 1s).empty());
  EXPECT_FALSE(is_gated(held, a_pod("a")));
}

}  // namespace
}  // namespace muster::daemon
