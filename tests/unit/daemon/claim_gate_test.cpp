#include "daemon/claim_gate.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

Pod a_pod(const std::string& name, const std::vector<std::string>& claims) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = name;
  pod.meta.uid = "u-" + name;
  for (const auto& claim : claims) pod.spec.volumes.push_back({.name = "v", .claim = claim, .ephemeral = false, .image = {}});
  return pod;
}
PersistentVolumeClaim a_claim(const std::string& name, const std::string& phase) {
  PersistentVolumeClaim claim;
  claim.meta.ns = "ns";
  claim.meta.name = name;
  claim.phase = phase;
  return claim;
}
bool is_gated(ClaimGate& gate, Pod pod) {
  gate.look_at(pod);
  return !pod.spec.scheduling_gates.empty();
}

TEST(ClaimGate, PodsWithoutClaimsPass) {
  ClaimGate gate;
  EXPECT_FALSE(is_gated(gate, a_pod("plain", {})));
  EXPECT_TRUE(gate.news().empty());
}

TEST(ClaimGate, APodWaitsUntilAllOfItsVolumeClaimsAreBound) {
  ClaimGate gate;
  EXPECT_TRUE(gate.take(a_claim("one", "Bound")).empty());
  EXPECT_TRUE(is_gated(gate, a_pod("p", {"one", "two", "three"})));
  EXPECT_TRUE(gate.take(a_claim("two", "Pending")).empty());
  EXPECT_TRUE(gate.take(a_claim("two", "Bound")).empty());
  const auto free = gate.take(a_claim("three", "Bound"));
  ASSERT_EQ(free.size(), 1u);
  EXPECT_TRUE(free[0].spec.scheduling_gates.empty());
  EXPECT_FALSE(is_gated(gate, a_pod("p", {"one", "two", "three"})));
  EXPECT_TRUE(gate.news().empty()) << "it need not be told what is over";
}

TEST(ClaimGate, TheClaimOfAnEphemeralVolumeCounts) {
  ClaimGate gate;
  auto pod = a_pod("p", {});
  pod.spec.volumes.push_back({.name = "scratch", .claim = {}, .ephemeral = true, .image = {}});
  EXPECT_TRUE(is_gated(gate, pod));
  EXPECT_EQ(gate.take(a_claim("p-scratch", "Bound")).size(), 1u);
}

TEST(ClaimGate, WhyIsToldOnce) {
  ClaimGate gate;
  EXPECT_TRUE(is_gated(gate, a_pod("b", {"c"})));
  EXPECT_TRUE(is_gated(gate, a_pod("a", {"c"})));
  const auto news = gate.news();
  ASSERT_EQ(news.size(), 2u);
  EXPECT_EQ(news[0].pod.name, "a");
  EXPECT_EQ(news[0].why, "persistentvolumeclaim \"c\" is not bound, and this version of muster does not choose nodes for claims");
  EXPECT_TRUE(is_gated(gate, a_pod("a", {"c"})));
  EXPECT_TRUE(gate.news().empty());
}

TEST(ClaimGate, DeviceClaimsAreNotAllocated) {
  ClaimGate gate;
  auto pod = a_pod("p", {});
  pod.spec.resource_claims.push_back({.name = "gpu", .claim = "c", .templ = {}, .resolved = {}});
  EXPECT_TRUE(is_gated(gate, pod));
  EXPECT_EQ(gate.news().at(0).why, "this version of muster does not allocate resource claims");
  pod.spec.node_name = "n1";
  EXPECT_FALSE(is_gated(gate, pod)) << "somebody has bound it";
}

TEST(ClaimGate, PodsThatAreGoneAreForgotten) {
  ClaimGate gate;
  EXPECT_TRUE(is_gated(gate, a_pod("p", {"c"})));
  gate.forget_pod({"ns", "p", "u-p", ""});
  EXPECT_TRUE(gate.news().empty());
  EXPECT_TRUE(gate.take(a_claim("c", "Bound")).empty());
  gate.forget_claim({"ns", "c", "", ""});
  EXPECT_TRUE(is_gated(gate, a_pod("q", {"c"})));
}

TEST(ClaimGate, WhereOthersBindVolumesOnlyDevicesAreInTheWay) {
  ClaimGate gate(ClaimGate::Volumes::kBoundByOthers);
  EXPECT_FALSE(is_gated(gate, a_pod("p", {"c"})));
  auto pod = a_pod("q", {});
  pod.spec.resource_claims.push_back({.name = "gpu", .claim = "c", .templ = {}, .resolved = {}});
  EXPECT_TRUE(is_gated(gate, pod));
}

TEST(ClaimGate, WhatElseCannotBeDoneIsSaid) {
  ClaimGate gate(ClaimGate::Volumes::kBoundByOthers, [](const Pod& pod) { return pod.meta.name == "odd" ? "too odd" : ""; });
  EXPECT_TRUE(is_gated(gate, a_pod("odd", {})));
  EXPECT_FALSE(is_gated(gate, a_pod("plain", {})));
  EXPECT_EQ(gate.news().at(0).why, "too odd");
}

}  // namespace
}  // namespace muster::daemon
