#include <gtest/gtest.h>

#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/npu_cards.h"
#include "support/device_cycles.h"

namespace muster::volcano {
namespace {

constexpr const char* kCards = "huawei.com/Ascend310P";
constexpr const char* kMemory = "huawei.com/Ascend310P-memory";
constexpr const char* kAllocated = "hami.io/Ascend310P-devices-allocated";

std::vector<std::pair<std::string, Value>> npu(const char* policy = "", int weight = 0) {
  return {{"deviceshare.AscendHAMiVNPUEnable", value_of(true)},
          {"deviceshare.SchedulePolicy", value_of(policy)},
          {"deviceshare.ScheduleWeight", value_of(weight)}};
}

std::string card(const std::string& id, const std::string& more = "") {
  return R"({"id":")" + id + R"(","count":4,"devmem":21527,"devcore":8)" + more + "}";
}
auto an_npu_node(const std::string& name, const std::vector<std::string>& cards) {
  std::string list;
  for (const auto& c : cards) list += (list.empty() ? "" : ",") + c;
  return a_volcano_node(name)
      .cpu("64")
      .has(kCards, "40")
      .has(kMemory, "1000000")
      .annotation("hami.io/node-register-Ascend310P", "[" + list + "]");
}

TEST(HamiNpuTest, MemoryIsRoundedUpToATemplate) {
  DeviceCycles cycles(npu());
  cycles.add(an_npu_node("n1", {card("A0"), card("A1")}));
  cycles.pod("p", [](auto& pod) { pod.uses(kCards, "1").uses(kMemory, "4000"); });
  const auto outcome = cycles.run();
  ASSERT_TRUE(outcome.notes.contains("p"));
  EXPECT_EQ(outcome.notes.at("p"), (Names{{kAllocated, "A0,Ascend310P,6144,0:;"},
                                          {"hami.io/Ascend310P-devices-to-allocate", "A0,Ascend310P,6144,0:;"},
                                          {"huawei.com/Ascend310P", R"([{"UUID":"A0","temp":"vir02"}])"},
                                          {"predicate-time", "1767225600"},
                                          {"hami.io/vgpu-node", "n1"},
                                          {"hami.io/vgpu-time", "1767225600"},
                                          {"hami.io/bind-phase", "allocating"},
                                          {"hami.io/bind-time", "1767225600"}}));
}

TEST(HamiNpuTest, WhatPodsAskFor) {
  struct Case {
    const char* what;
    std::function<void(VolcanoPodBuilder&)> pod;
    std::string cards;  // empty: refused
  };
  const std::vector<Case> cases = {
      {"a whole card", [](auto& p) { p.uses(kCards, "1"); }, "A0,Ascend310P,21527,0:;"},
      {"two whole cards", [](auto& p) { p.uses(kCards, "2"); }, "A0,Ascend310P,21527,0:A1,Ascend310P,21527,0:;"},
      {"two parts", [](auto& p) { p.uses(kCards, "2").uses(kMemory, "3000"); }, ""},
      {"three cards", [](auto& p) { p.uses(kCards, "3"); }, ""},
      {"two containers",
       [](auto& p) { p.uses(kCards, "1").uses(kMemory, "1").container("b").uses(kCards, "1").uses(kMemory, "1"); },
       "A0,Ascend310P,3072,0:;A1,Ascend310P,3072,0:;"},
      {"cores where they are not shared", [](auto& p) { p.uses(kCards, "1").annotation("huawei.com/vnpu-mode", "hami-core"); }, ""},
  };
  for (const auto& [what, fill, cards] : cases) {
    DeviceCycles cycles(npu());
    cycles.add(an_npu_node("n1", {card("A0"), card("A1")}));
    cycles.pod("p", fill);
    EXPECT_EQ(cycles.run_and_read(kAllocated), cards.empty() ? Names{} : (Names{{"p", cards}})) << what;
  }
}

TEST(HamiNpuTest, CardsMayBeSharedByCores) {
  DeviceCycles cycles(npu());
  cycles.add(an_npu_node("n1", {card("A0")}).annotation("hami-vnpu-core", "true"));
  for (const auto* name : {"a", "b", "c"})
    cycles.pod(name, [](auto& pod) {
      pod.uses(kCards, "1")
          .uses(kMemory, "1000")
          .uses("huawei.com/Ascend310P-core", "50")
          .annotation("huawei.com/vnpu-mode", "hami-core");
    });
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"a", "n1"}, {"b", "n1"}}));
  EXPECT_EQ(outcome.notes.at("a").at("huawei.com/Ascend310P"), R"([{"UUID":"A0","memory":1000,"core":50}])");
}

TEST(HamiNpuTest, ManagedResourcesAreNotCountedElsewhere) {
  DeviceCycles cycles(npu());
  cycles.pod("early", [](auto& pod) { pod.uses(kCards, "1").uses(kMemory, "5"); });  // comes before the node
  cycles.add(a_volcano_node("bare").cpu("64").has(kCards, "4"));
  cycles.add(an_npu_node("n1", {card("A0")}).has(kMemory, "1"));
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds.size(), 1u);  // one unit of memory would not do
  EXPECT_FALSE(outcome.queues.at("default").contains(kMemory));
  EXPECT_TRUE(outcome.queues.at("default").contains(kCards));
}

TEST(HamiNpuTest, NodesWithoutTheDeviceTakePodsOnlyInTheOriginal) {
  for (const bool exact : {true, false}) {
    DeviceCycles cycles(npu(), exact ? Behaviour::exact() : Behaviour::safe());
    cycles.add(a_volcano_node("bare").cpu("64"));
    cycles.add(an_npu_node("n1", {card("A0")}));
    cycles.pod("p", [](auto& pod) { pod.uses(kMemory, "5").cpu("1"); });
    EXPECT_EQ(cycles.run().binds.at("p"), exact ? "bare" : "n1");
  }
}

TEST(HamiNpuTest, CapacityFailsSoftlyAndWrongRequestsHard) {
  DeviceCycles cycles(npu());
  cycles.add(an_npu_node("n1", {card("A0")}));
  cycles.pod("old", [](auto& pod) { pod.uses(kCards, "1").on("n1").annotation(kAllocated, "A0,Ascend310P,21527,0:;"); });
  cycles.pod("p", [](auto& pod) { pod.uses(kCards, "1"); });
  EXPECT_EQ(cycles.run().conditions.at("p"),
            "Unschedulable: 1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 "
            "Unschedulable. Origin reason is p: 0/1 nodes are unavailable: 1 no ascend device available.");
}

// The original reads the annotation as if there were one container.
TEST(HamiNpuTest, TheSecondContainersCardCountsOrNot) {
  for (const bool exact : {true, false}) {
    DeviceCycles cycles(npu(), exact ? Behaviour::exact() : Behaviour::safe());
    cycles.add(an_npu_node("n1", {card("A0"), card("A1")}));
    cycles.pod("old", [](auto& pod) {
      pod.uses(kCards, "1").on("n1").annotation(kAllocated, "A0,Ascend310P,21527,0:;A1,Ascend310P,21527,0:;");
    });
    cycles.pod("p", [](auto& pod) { pod.uses(kCards, "1"); });
    EXPECT_EQ(cycles.run().binds.contains("p"), exact);
  }
}

TEST(HamiNpuTest, ThePolicyHoldsForScoredNodesInTheOriginal) {
  for (const bool exact : {true, false})
    for (const bool alone : {true, false}) {
      DeviceCycles cycles(npu("binpack", 1), exact ? Behaviour::exact() : Behaviour::safe());
      cycles.add(an_npu_node("n1", {card("A0"), card("A1")}));
      if (!alone) cycles.add(an_npu_node("n2", {card("B0")}));
      cycles.pod("old", [](auto& pod) { pod.uses(kCards, "1").on("n1").annotation(kAllocated, "A1,Ascend310P,3072,0:;"); });
      cycles.pod("p", [](auto& pod) { pod.uses(kCards, "1").uses(kMemory, "1"); });
      EXPECT_EQ(cycles.run_and_read(kAllocated).at("p"), exact && alone ? "A0,Ascend310P,3072,0:;" : "A1,Ascend310P,3072,0:;");
    }
}

TEST(HamiNpuTest, ThereMayBeManyKindsOfCards) {
  auto config = DeviceConfig::standard();
  config.npus.clear();
  for (int i = 0; i < 40; ++i) {
    const auto word = "Kind" + std::to_string(i);
    config.npus.push_back({word, "huawei.com/" + word, "huawei.com/" + word + "-memory", 1000, 1000, {}});
  }
  DeviceCycles cycles(npu());
  cycles.set_config(config);
  for (const auto* kind : {"Kind7", "Kind39"})
    cycles.add(a_volcano_node(kind)
                   .cpu("9")
                   .has(std::string("huawei.com/") + kind, "1")
                   .annotation(std::string("hami.io/node-register-") + kind, R"([{"id":"A","count":1,"devmem":1000}])"));
  for (const auto* name : {"a", "b"}) cycles.pod(name, [](auto& pod) { pod.uses("huawei.com/Kind39", "1"); });
  EXPECT_EQ(cycles.run().binds, (Names{{"a", "Kind39"}}));
}

TEST(HamiNpuTest, Ascend910PrefersOneNetwork) {
  auto config = DeviceConfig::standard();
  config.npus = {{"Ascend910B", "huawei.com/Ascend910B", "huawei.com/Ascend910B-memory", 65536, 65536, {}}};
  DeviceCycles cycles(npu());
  cycles.set_config(config);
  std::string list;
  for (const auto& [id, network] : {std::pair("A0", 1), {"A1", 2}, {"A2", 2}})
    list += (list.empty() ? "" : ",") + std::string(R"({"id":")") + id +
            R"(","count":1,"devmem":65536,"custominfo":{"NetworkID":)" + std::to_string(network) + "}}";
  cycles.add(a_volcano_node("n1")
                 .cpu("9")
                 .has("huawei.com/Ascend910B", "3")
                 .annotation("hami.io/node-register-Ascend910B", "[" + list + "]"));
  cycles.pod("p", [](auto& pod) { pod.uses("huawei.com/Ascend910B", "2"); });
  EXPECT_EQ(cycles.run_and_read("hami.io/Ascend910B-devices-allocated"),
            (Names{{"p", "A1,Ascend910B,65536,0:A2,Ascend910B,65536,0:;"}}));
}

TEST(NpuCardsTest, Registrations) {
  EXPECT_EQ(read_npu_registration("[]")->size(), 0u);
  EXPECT_EQ(read_npu_registration(R"([{"ID":"a","Count":3},null,{"id":"a","count":4}])")->at(0).limit, 4);
  for (const auto* text : {"", "{}", "[1]", R"([{"id":1}])", R"([{"count":"1"}])", R"([{"devmem":3000000000}])",
                           R"([{"custominfo":[]}])", R"([{"count":1.5}])"})
    EXPECT_FALSE(read_npu_registration(text)) << text;
  EXPECT_TRUE(read_npu_registration(R"([{"id":"a","custominfo":{"NetworkID":3}}])")->at(0).in_network);
}

TEST(NpuCardsTest, Pieces) {
  const char* two = "a,T,1,2:b,T,3,4:;c,T,5,6:;";
  EXPECT_EQ(decode_npu_pieces(two, NpuReading::kAll).size(), 3u);
  const auto one = decode_npu_pieces(two, NpuReading::kAsOneContainer);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[2].id, ";c");
  EXPECT_EQ(decode_npu_pieces("a,T,1:", NpuReading::kAll).size(), 0u);
  EXPECT_EQ(decode_npu_pieces("a,T,x,99999999999:", NpuReading::kAll).at(0).cores, 2147483647);
}

}  // namespace
}  // namespace muster::volcano
