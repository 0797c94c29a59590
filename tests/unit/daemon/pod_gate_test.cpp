#include "daemon/pod_gate.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

Pod a_pod_of(const std::string& name, const std::string& uid = "u") {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = name;
  pod.meta.uid = uid;
  return pod;
}
bool is_gated(PodGate& gate, Pod pod) {
  gate.look_at(pod);
  return !pod.spec.scheduling_gates.empty();
}
std::string too_odd(const Pod& pod) { return pod.meta.name.starts_with("odd") ? "too odd" : ""; }

TEST(PodGate, WithoutARefusalEverybodyPasses) {
  PodGate gate;
  EXPECT_FALSE(is_gated(gate, a_pod_of("odd")));
  EXPECT_TRUE(gate.news().empty());
}

TEST(PodGate, WhyIsToldOnceAndInTheOrderOfNames) {
  PodGate gate(too_odd);
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-b")));
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-a")));
  EXPECT_FALSE(is_gated(gate, a_pod_of("plain")));
  const auto news = gate.news();
  ASSERT_EQ(news.size(), 2u);
  EXPECT_EQ(news[0].pod.name, "odd-a");
  EXPECT_EQ(news[0].why, "too odd");
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-a")));
  EXPECT_TRUE(gate.news().empty());
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-a", "another")));
  EXPECT_EQ(gate.news().size(), 1u) << "another pod of the same name has not been told";
}

TEST(PodGate, WhoHasANodeOrHasGoneIsNotTold) {
  PodGate gate(too_odd);
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-a")));
  auto bound = a_pod_of("odd-a");
  bound.spec.node_name = "n1";
  EXPECT_FALSE(is_gated(gate, bound));
  EXPECT_TRUE(is_gated(gate, a_pod_of("odd-b")));
  gate.forget({"ns", "odd-b", "u", ""});
  EXPECT_TRUE(gate.news().empty());
}

}  // namespace
}  // namespace muster::daemon
