#include <gtest/gtest.h>

#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/vgpu_cards.h"
#include "support/device_cycles.h"

namespace muster::volcano {
namespace {

constexpr const char* kNumber = "volcano.sh/vgpu-number";
constexpr const char* kMemory = "volcano.sh/vgpu-memory";
constexpr const char* kCores = "volcano.sh/vgpu-cores";
constexpr const char* kIds = "volcano.sh/vgpu-ids-new";

std::vector<std::pair<std::string, Value>> vgpu(const char* policy = "", int weight = 0) {
  return {{"deviceshare.VGPUEnable", value_of(true)},
          {"deviceshare.SchedulePolicy", value_of(policy)},
          {"deviceshare.ScheduleWeight", value_of(weight)}};
}

auto a_vgpu_node(const std::string& name, const std::string& cards) {
  return a_volcano_node(name)
      .cpu("64")
      .has(kNumber, "100")
      .has(kMemory, "1000000")
      .has(kCores, "1000")
      .annotation("volcano.sh/node-vgpu-register", cards);
}
const std::string kTwoCards = "G0,4,1000,NVIDIA-T4,true,hami-core:G1,4,1000,NVIDIA-A100,true,hami-core:";

TEST(VgpuTest, WithoutAPolicyTheLastCardComesFirst) {
  DeviceCycles cycles(vgpu());
  cycles.add(a_vgpu_node("n1", kTwoCards));
  cycles.pod("p", [](auto& pod) { pod.uses(kNumber, "1").uses(kMemory, "300").uses(kCores, "20"); });
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.notes.at("p"), (Names{{kIds, "G1,NVIDIA,300,20:"},
                                          {"volcano.sh/devices-to-allocate", "G1,NVIDIA,300,20:"},
                                          {"volcano.sh/vgpu-node", "n1"},
                                          {"volcano.sh/vgpu-time", "1767225600"},
                                          {"volcano.sh/bind-phase", "allocating"},
                                          {"volcano.sh/bind-time", "1767225600"}}));
}

TEST(VgpuTest, WhatContainersAskFor) {
  struct Case {
    const char* what;
    std::function<void(VolcanoPodBuilder&)> pod;
    std::string ids;  // empty: refused
  };
  const std::vector<Case> cases = {
      {"memory alone is one card", [](auto& p) { p.uses(kMemory, "300"); }, "G1,NVIDIA,300,0:"},
      {"no memory is the whole card", [](auto& p) { p.uses(kNumber, "1"); }, "G1,NVIDIA,1000,0:"},
      {"two cards", [](auto& p) { p.uses(kNumber, "2").uses(kMemory, "10"); }, "G1,NVIDIA,10,0:G0,NVIDIA,10,0:"},
      {"more than there are", [](auto& p) { p.uses(kNumber, "3").uses(kMemory, "10"); }, ""},
      {"more memory than a card has", [](auto& p) { p.uses(kNumber, "1").uses(kMemory, "1001"); }, ""},
      {"two containers", [](auto& p) { p.uses(kMemory, "700").container("b").uses(kMemory, "400"); },
       "G1,NVIDIA,700,0:;G0,NVIDIA,400,0:"},
      {"a container without devices", [](auto& p) { p.container("b").uses(kMemory, "400"); }, "G1,NVIDIA,400,0:"},
      {"allowed by uuid", [](auto& p) { p.uses(kMemory, "1").annotation("volcano.sh/vgpu-use-gpuuuid", "G7, G0"); },
       "G0,NVIDIA,1,0:"},
      {"denied by uuid", [](auto& p) { p.uses(kMemory, "1").annotation("volcano.sh/vgpu-nouse-gpuuuid", "G1"); }, "G0,NVIDIA,1,0:"},
      {"no such uuid", [](auto& p) { p.uses(kMemory, "1").annotation("volcano.sh/vgpu-use-gpuuuid", "G"); }, ""},
      {"allowed by type", [](auto& p) { p.uses(kMemory, "1").annotation("nvidia.com/use-gputype", "v100,t4"); }, "G0,NVIDIA,1,0:"},
      {"denied by type", [](auto& p) { p.uses(kMemory, "1").annotation("nvidia.com/nouse-gputype", "a100"); }, "G0,NVIDIA,1,0:"},
      {"another mode", [](auto& p) { p.uses(kMemory, "1").annotation("volcano.sh/vgpu-mode", "mig"); }, ""},
      {"this mode", [](auto& p) { p.uses(kMemory, "1").annotation("volcano.sh/vgpu-mode", "hami-core"); }, "G1,NVIDIA,1,0:"},
  };
  for (const auto& [what, fill, ids] : cases) {
    DeviceCycles cycles(vgpu());
    cycles.add(a_vgpu_node("n1", kTwoCards));
    cycles.pod("p", fill);
    EXPECT_EQ(cycles.run_and_read(kIds), ids.empty() ? Names{} : (Names{{"p", ids}})) << what;
  }
}

TEST(VgpuTest, WhatKeepsPodsOffACard) {
  struct Case {
    const char* what;
    std::string cards;
    const char* first;  // cores of the pod that is there
    const char* second;
    bool together;
  };
  const std::string one = "G0,2,1000,NVIDIA,true,hami-core:";
  for (const auto& c : std::vector<Case>{{"cores together beyond 100", one, "60", "41", false},
                                         {"exactly 100", one, "60", "40", true},
                                         {"wants the card alone", one, "1", "100", false},
                                         {"no cores on a full card", one, "100", "0", false},
                                         {"sharers", "G0,1,1000,NVIDIA,true,hami-core:", "1", "1", false},
                                         {"another vendor", "G0,9,1000,MLU,true,hami-core:", "1", "1", false}}) {
    DeviceCycles cycles(vgpu());
    cycles.add(a_vgpu_node("n1", c.cards));
    cycles.pod("first",
               [&](auto& pod) { pod.uses(kMemory, "10").on("n1").annotation(kIds, "G0,NVIDIA,10," + std::string(c.first) + ":"); });
    cycles.pod("second", [&](auto& pod) { pod.uses(kMemory, "10").uses(kCores, c.second); });
    EXPECT_EQ(cycles.run().binds.contains("second"), c.together) << c.what;
  }
}

TEST(VgpuTest, PoliciesOrderCardsAndScoreNodes) {
  for (const auto& [policy, ids, node] :
       {std::tuple("binpack", "B1,NVIDIA,10,0:", "busy"), {"spread", "I0,NVIDIA,10,0:", "idle"}}) {
    // The original scores every node 0 when it spreads: there the first node wins.
    DeviceCycles cycles(vgpu(policy, 1), std::string_view(policy) == "spread" ? Behaviour::safe() : Behaviour::exact());
    cycles.add(a_vgpu_node("busy", "B0,4,1000,NVIDIA,true,x:B1,4,1000,NVIDIA,true,x:"));
    cycles.add(a_vgpu_node("idle", "I0,4,1000,NVIDIA,true,x:I1,4,1000,NVIDIA,true,x:"));
    cycles.pod("old", [](auto& pod) { pod.uses(kMemory, "10").on("busy").annotation(kIds, "B1,NVIDIA,500,0:"); });
    cycles.pod("old2", [](auto& pod) { pod.uses(kMemory, "10").on("busy").annotation(kIds, "B0,NVIDIA,400,0:"); });
    cycles.pod("p", [](auto& pod) { pod.uses(kMemory, "10"); });
    const auto outcome = cycles.run();
    EXPECT_EQ(outcome.binds.at("p"), node) << policy;
    EXPECT_EQ(outcome.notes.at("p").at(kIds), ids) << policy;
  }
}

TEST(VgpuTest, SpreadOrdersCardsOnlyInTheOriginal) {
  DeviceCycles cycles(vgpu("spread", 10));
  cycles.add(a_vgpu_node("n1", "A0,4,1000,NVIDIA,true,x:A1,4,1000,NVIDIA,true,x:"));
  cycles.add(a_vgpu_node("n2", "B0,4,1000,NVIDIA,true,x:"));
  cycles.pod("old", [](auto& pod) { pod.uses(kMemory, "10").on("n1").annotation(kIds, "A0,NVIDIA,10,0:"); });
  cycles.pod("p", [](auto& pod) { pod.uses(kMemory, "10"); });
  EXPECT_EQ(cycles.run_and_read(kIds), (Names{{"p", "A1,NVIDIA,10,0:"}}));
}

TEST(VgpuTest, PodsOfAGroupMayKeepApart) {
  DeviceCycles cycles(vgpu("binpack"));
  cycles.add(a_vgpu_node("n1", kTwoCards));
  cycles.add(a_pod_group("gang").minimum(2));
  for (const auto* name : {"g0", "g1"})
    cycles.add(a_volcano_pod(name).group("gang").uses(kMemory, "10").annotation("volcano.sh/vgpu-podgroup-policy", "spread"));
  EXPECT_EQ(cycles.run_and_read(kIds), (Names{{"g0", "G0,NVIDIA,10,0:"}, {"g1", "G1,NVIDIA,10,0:"}}));
}

// A gang that does not fit leaves the counters of its cards raised in the original.
TEST(VgpuTest, DiscardedPlacementsKeepCardsOrNot) {
  for (const bool exact : {true, false}) {
    DeviceCycles cycles(vgpu(), exact ? Behaviour::exact() : Behaviour::safe());
    cycles.add(a_vgpu_node("n1", "G0,4,1000,NVIDIA,true,x:"));
    cycles.add(a_pod_group("gang").minimum(2));
    for (const auto* name : {"g0", "g1"}) cycles.add(a_volcano_pod(name).group("gang").uses(kMemory, "600"));
    cycles.pod("single", [](auto& pod) { pod.uses(kMemory, "600"); });
    EXPECT_EQ(cycles.run().binds, exact ? Names{} : (Names{{"single", "n1"}}));
    EXPECT_EQ(cycles.run().binds.contains("single"), false);  // as hopeless as before, or bound already
  }
}

TEST(VgpuTest, QueuesCountWhatPodsWereGiven) {
  DeviceCycles cycles(vgpu());
  cycles.add(a_vgpu_node("n1", kTwoCards));
  cycles.pod("p", [](auto& pod) { pod.uses(kNumber, "2").uses(kMemory, "10"); });
  EXPECT_EQ(cycles.run().queues.at("default").at(kMemory).units(), 10);
  cycles.bound_pods_run();
  EXPECT_EQ(cycles.run().queues.at("default").at(kMemory).units(), 20);
}

TEST(VgpuTest, RulesKeepPodsOffEachOthersCards) {
  auto arguments = vgpu("binpack");
  arguments.emplace_back("deviceshare.GPUExclusiveRules",
                         list_value({map_value({{"tier", value_of("gold")}}), map_value({{"team", value_of("a")}})}));
  DeviceCycles cycles(std::move(arguments));
  cycles.add(a_vgpu_node("n1", kTwoCards));
  cycles.pod("old", [](auto& pod) { pod.uses(kMemory, "10").on("n1").annotation(kIds, "G0,NVIDIA,10,0:").label("tier", "gold"); });
  cycles.pod("gold", [](auto& pod) { pod.uses(kMemory, "10").label("tier", "gold"); });
  cycles.pod("third", [](auto& pod) { pod.uses(kMemory, "10").label("tier", "gold"); });
  cycles.pod("other", [](auto& pod) { pod.uses(kMemory, "10").label("team", "a"); });
  cycles.pod("plain", [](auto& pod) { pod.uses(kMemory, "10"); });
  EXPECT_EQ(cycles.run_and_read(kIds),
            (Names{{"gold", "G1,NVIDIA,10,0:"}, {"other", "G0,NVIDIA,10,0:"}, {"plain", "G0,NVIDIA,10,0:"}}));
}

TEST(VgpuTest, NodesThatRegisterNonsenseHaveNoCards) {
  const auto config = DeviceConfig::standard().vgpu;
  EXPECT_FALSE(read_vgpu_registration("", config));
  EXPECT_FALSE(read_vgpu_registration("G0,4,1000,NVIDIA,true,x", config));  // no colon
  EXPECT_FALSE(read_vgpu_registration("G0,4,1000:", config));
  EXPECT_EQ(read_vgpu_registration("::x:", config)->cards.size(), 0u);
  const auto odd = read_vgpu_registration("G0,x,-1,NVIDIA,maybe,mig:", config);
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->cards.front().limit, 0u);
  EXPECT_EQ(odd->mode, VgpuMode::kHamiCore);  // nobody knows how to cut it
}

TEST(VgpuTest, PiecesSurviveTheirText) {
  const VgpuPieces pieces = {{{"G0", 1, 2}, {"G1", 3, 4}}, {}, {{"G2", 5, 6}}};
  EXPECT_EQ(encode(pieces), "G0,NVIDIA,1,2:G1,NVIDIA,3,4:;;G2,NVIDIA,5,6:");
  const auto back = decode_vgpu_pieces(encode(pieces));
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[2].front().cores, 6u);
  EXPECT_EQ(decode_vgpu_pieces("G0,NVIDIA,-1,0:G0,NVIDIA,1:G0,NVIDIA,1,x:").front().size(), 0u);
}

}  // namespace
}  // namespace muster::volcano
