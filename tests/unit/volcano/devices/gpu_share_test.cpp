#include <gtest/gtest.h>

#include "policy/volcano/devices/device_books.h"
#include "support/device_cycles.h"

namespace muster::volcano {
namespace {

constexpr const char* kMemory = "volcano.sh/gpu-memory";
constexpr const char* kNumber = "volcano.sh/gpu-number";
constexpr const char* kIndex = "volcano.sh/gpu-index";

std::vector<std::pair<std::string, Value>> by_memory() { return {{"deviceshare.GPUSharingEnable", value_of(true)}}; }
std::vector<std::pair<std::string, Value>> by_number() { return {{"deviceshare.GPUNumberEnable", value_of(true)}}; }

auto a_gpu_node(const std::string& name, const char* memory, const char* cards) {
  return a_volcano_node(name).cpu("64").has(kMemory, memory).has(kNumber, cards);
}

TEST(GpuShareTest, OneCardTakesTheWholePodAndTheFirstThatCanDoes) {
  DeviceCycles cycles(by_memory());
  cycles.add(a_gpu_node("n1", "20", "2"));
  for (const auto& [name, memory] : {std::pair("a", "6"), {"b", "6"}, {"c", "4"}, {"d", "5"}})
    cycles.pod(name, [&](auto& pod) { pod.uses(kMemory, memory); });
  const auto outcome = cycles.run();
  Names cards;
  for (const auto& [pod, notes] : outcome.notes) cards[pod] = notes.at(kIndex);
  EXPECT_EQ(cards, (Names{{"a", "0"}, {"b", "1"}, {"c", "0"}}));  // 4 are left
  EXPECT_EQ(outcome.notes.at("a").at("volcano.sh/predicate-time"), "1767225600000000000");
  EXPECT_EQ(outcome.conditions.at("d"),
            "Unschedulable: 1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 "
            "Unschedulable. Origin reason is d: 0/1 nodes are unavailable: 1 Insufficient volcano.sh/gpu-memory.");
}

TEST(GpuShareTest, ContainersCountTogetherAndTheLargestInitContainer) {
  DeviceCycles cycles(by_memory());
  cycles.add(a_gpu_node("n1", "20", "2"));
  cycles.pod("sum", [](auto& pod) { pod.uses(kMemory, "6").container("side").uses(kMemory, "5"); });
  cycles.pod("fits", [](auto& pod) { pod.uses(kMemory, "5").container("side").uses(kMemory, "5"); });
  EXPECT_EQ(cycles.run().binds, (Names{{"fits", "n1"}}));
}

TEST(GpuShareTest, AnnotationsOfPodsOnTheNodeAndUnhealthyCardsCount) {
  DeviceCycles cycles(by_memory());
  cycles.add(a_gpu_node("n1", "30", "3").annotation("volcano.sh/gpu-unhealthy-ids", "1,x"));
  cycles.pod("old", [](auto& pod) { pod.uses(kMemory, "8").on("n1").annotation(kIndex, "0"); });
  cycles.pod("broken", [](auto& pod) { pod.uses(kMemory, "9").on("n1").annotation(kIndex, "2,?"); });  // counts nowhere
  cycles.pod("new", [](auto& pod) { pod.uses(kMemory, "4"); });
  EXPECT_EQ(cycles.run_and_read(kIndex), (Names{{"new", "2"}}));
}

TEST(GpuShareTest, ByNumberPodsTakeIdleCards) {
  DeviceCycles cycles(by_number());
  cycles.add(a_gpu_node("n1", "40", "4"));
  cycles.pod("old", [](auto& pod) { pod.uses(kNumber, "1").on("n1").annotation(kIndex, "1"); });
  cycles.pod("two", [](auto& pod) { pod.uses(kNumber, "2"); });
  cycles.pod("more", [](auto& pod) { pod.uses(kNumber, "2"); });
  EXPECT_EQ(cycles.run_and_read(kIndex), (Names{{"two", "0,2"}}));
}

TEST(GpuShareTest, WhatAGangGivesBackIsFreeAtOnce) {
  DeviceCycles cycles(by_memory());
  cycles.add(a_gpu_node("n1", "10", "1"));
  cycles.add(a_pod_group("gang").minimum(2));
  for (const auto* name : {"g0", "g1"}) cycles.add(a_volcano_pod(name).group("gang").uses(kMemory, "6"));
  cycles.pod("single", [](auto& pod) { pod.uses(kMemory, "6"); });
  EXPECT_EQ(cycles.run().binds, (Names{{"single", "n1"}}));
}

// The original counts a bound pod's cards only when its object has come back.
TEST(GpuShareTest, AssumedPodsAreForgottenOrNot) {
  for (const bool exact : {true, false}) {
    DeviceCycles cycles(by_memory(), exact ? Behaviour::exact() : Behaviour::safe());
    cycles.add(a_gpu_node("n1", "20", "2"));
    cycles.pod("a", [](auto& pod) { pod.uses(kMemory, "6"); });
    EXPECT_EQ(cycles.run_and_read(kIndex), (Names{{"a", "0"}}));
    cycles.pod("b", [](auto& pod) { pod.uses(kMemory, "6"); });
    EXPECT_EQ(cycles.run_and_read(kIndex), (Names{{"b", exact ? "0" : "1"}}));
  }
}

TEST(GpuShareTest, RunningPodsKeepTheirCards) {
  DeviceCycles cycles(by_memory());
  cycles.add(a_gpu_node("n1", "20", "2"));
  cycles.pod("a", [](auto& pod) { pod.uses(kMemory, "6"); });
  cycles.run();
  cycles.bound_pods_run();
  cycles.pod("b", [](auto& pod) { pod.uses(kMemory, "6"); });
  EXPECT_EQ(cycles.run_and_read(kIndex), (Names{{"b", "1"}}));
}

TEST(GpuShareTest, WithoutDevicesNothingIsKept) {
  VolcanoCycles plain(a_config({an_option("predicates")}));
  EXPECT_EQ(plain.cluster().shared_devices(), nullptr);
}

TEST(GpuShareTest, ALockedNodeGivesNothing) {
  auto arguments = by_memory();
  arguments.emplace_back("deviceshare.NodeLockEnable", value_of(true));
  DeviceCycles cycles(std::move(arguments));
  cycles.add(a_gpu_node("fresh", "10", "1").annotation("gpu", "2025-12-31T23:59:00Z").label("n", "fresh"));
  cycles.add(a_gpu_node("stale", "10", "1").annotation("gpu", "2025-12-31T23:00:00Z").label("n", "stale"));
  for (const auto* node : {"fresh", "stale"}) cycles.pod(node, [&](auto& pod) { pod.uses(kMemory, "1").select("n", node); });
  cycles.pod("late", [](auto& pod) { pod.uses(kMemory, "1").select("n", "stale"); });  // locked by the pod before
  EXPECT_EQ(cycles.run().binds, (Names{{"stale", "stale"}}));
}

// The gang's second pod finds the node locked by the first, so both are taken back.
TEST(GpuShareTest, ALockGoesWithThePlacementItWasTakenFor) {
  for (const bool exact : {true, false}) {
    auto arguments = by_memory();
    arguments.emplace_back("deviceshare.NodeLockEnable", value_of(true));
    DeviceCycles cycles(std::move(arguments), exact ? Behaviour::exact() : Behaviour::safe());
    cycles.add(a_gpu_node("n1", "10", "1").annotation("gpu", "2025-12-31T23:00:00Z"));
    cycles.add(a_pod_group("gang").minimum(2));
    for (const auto* name : {"g0", "g1"}) cycles.add(a_volcano_pod(name).group("gang").uses(kMemory, "1"));
    const auto lock = [&] {
      const auto& cluster = cycles.cluster();
      return cycles.cluster().shared_devices()->node(cluster.books().find_node("n1")).meta.annotations.get("gpu");
    };
    EXPECT_EQ(cycles.run().binds, Names{});
    EXPECT_EQ(lock(), exact ? "2026-01-01T00:00:00Z" : "2025-12-31T23:00:00Z");
    cycles.pod("single", [](auto& pod) { pod.uses(kMemory, "1"); });
    EXPECT_EQ(cycles.run().binds, exact ? Names{} : (Names{{"single", "n1"}}));
  }
}

}  // namespace
}  // namespace muster::volcano
