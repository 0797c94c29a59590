#include "daemon/held_pods.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

const kube::Instant kStart{1h};
constexpr const char* kWhy = "the bind of ns/a to n1 was refused: no";
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
  held.refuse(id("a"), "ns/g", kStart, kWhy);
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
    held.refuse(id("a"), "ns/g", now, kWhy);
    EXPECT_EQ(*held.next() - now, expected);
    now += expected;
    held.let_go(now);
  }
}

TEST(HeldPods, RefusalsOfAGroupWhileItIsHeldAreOne) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "ns/g", kStart, kWhy);
  held.refuse(id("b"), "ns/g", kStart + 500ms, kWhy);
  held.refuse(id("c"), "ns/other", kStart + 500ms, kWhy);
  for (const auto* name : {"b", "a", "c"}) EXPECT_TRUE(is_gated(held, a_pod(name)));
  const auto free = held.let_go(kStart + 1s);
  ASSERT_EQ(free.size(), 2u);
  EXPECT_EQ(free[0].meta.name, "a");
  EXPECT_EQ(free[1].meta.name, "b");
  EXPECT_EQ(held.next(), kStart + 1500ms);
}

TEST(HeldPods, WhoWasNotRefusedForLongBeginsAnew) {
  HeldPods held({.first = 1s, .most = 4s});
  held.refuse(id("a"), "ns/g", kStart, kWhy);
  held.let_go(kStart + 1s);
  held.refuse(id("a"), "ns/g", kStart + 2s, kWhy);
  EXPECT_EQ(held.next(), kStart + 4s);
  held.let_go(kStart + 4s);
  held.refuse(id("a"), "ns/g", kStart + 8s, kWhy);
  EXPECT_EQ(held.next(), kStart + 9s);
}

TEST(HeldPods, ABoundPodAnotherPodAndAGonePodAreNotHeld) {
  HeldPods held;
  held.refuse(id("a"), "", kStart, kWhy);
  EXPECT_FALSE(is_gated(held, a_pod("a", "n1")));
  EXPECT_EQ(held.size(), 0u);
  held.refuse(id("b"), "", kStart, kWhy);
  auto other = a_pod("b");
  other.meta.uid = "another";
  EXPECT_FALSE(is_gated(held, other));
  EXPECT_EQ(held.size(), 0u);
  held.refuse(id("c"), "", kStart, kWhy);
  held.forget({"ns", "c", "another", ""});
  EXPECT_EQ(held.size(), 1u);
  held.forget(id("c"));
  EXPECT_EQ(held.size(), 0u);
}

TEST(HeldPods, WhoTakesThePlaceOfPodsThatWereGivenUpIsHeldAsLong) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "ns/g", kStart, kWhy);
  held.hold_newcomers("ns/g", kStart + 500ms, "its gang was given up");
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
  held.hold_newcomers("ns/g", kStart + 5s, "its gang was given up");
  auto later = a_pod("b");
  held.complete(later, "ns/g");
  EXPECT_TRUE(looks_held(later));
  EXPECT_EQ(held.next(), kStart + 7s) << "as after another refusal";
}

TEST(HeldPods, WhyTheyAreIsToldByTheirObjects) {
  EXPECT_EQ(why_not_bound(id("a"), "n1", "was refused", "no"), kWhy);
  HeldPods held;
  HeldMarks marks;
  held.refuse(id("a"), "ns/g", kStart, kWhy);
  held.hold_newcomers("ns/g", kStart, "its gang was given up");
  auto refused = a_pod("a"), newcomer = a_pod("b"), gated = a_pod("c");
  gated.spec.scheduling_gates = {"somebody/else"};
  held.complete(refused);
  held.complete(newcomer, "ns/g");
  for (const auto* pod : {&refused, &newcomer, &gated}) marks.note(*pod);
  EXPECT_EQ(marks.all(), (RefusedBinds{{"ns/a", kWhy}, {"ns/b", "its gang was given up"}}));
  marks.note(a_pod("a"));
  marks.forget(id("b"));
  EXPECT_TRUE(marks.all().empty());
}

TEST(HeldPods, AMarkCanBeTakenOffAndOldRecordingsHaveOneWithoutWords) {
  HeldPods held;
  held.refuse(id("a"), "", kStart, kWhy);
  auto pod = a_pod("a");
  pod.spec.scheduling_gates = {"somebody/else"};
  held.complete(pod);
  EXPECT_TRUE(looks_held(pod));
  unmark_held(pod);
  EXPECT_FALSE(looks_held(pod));
  EXPECT_EQ(pod.spec.scheduling_gates, std::vector<std::string>{"somebody/else"});
  pod.spec.scheduling_gates = {"muster/bind-refused"};
  HeldMarks marks;
  marks.note(pod);
  EXPECT_EQ(marks.all(), (RefusedBinds{{"ns/a", "its bind was refused"}}));
}

TEST(HeldPods, OneThatWasNotReadInTimeIsJustNotHeld) {
  HeldPods held({.first = 1s, .most = 60s});
  held.refuse(id("a"), "", kStart, kWhy);
  EXPECT_TRUE(held.let_go(kStart + 1s).empty());
  EXPECT_FALSE(is_gated(held, a_pod("a")));
}

}  // namespace
}  // namespace muster::daemon
