#include <gtest/gtest.h>

#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/mig_slots.h"
#include "support/device_cycles.h"

namespace muster::volcano {
namespace {

constexpr const char* kMemory = "volcano.sh/vgpu-memory";
constexpr const char* kIds = "volcano.sh/vgpu-ids-new";

const std::vector<MigGeometry> kGeometries = {{"one", {{"1g", 10, 2}, {"2g", 20, 1}}}, {"two", {{"4g", 40, 1}}}};

DeviceConfig mig_config() {
  auto config = DeviceConfig::standard();
  config.vgpu.mig = {{{"A100"}, kGeometries}};
  return config;
}

TEST(MigSlotsTest, TheSmallestInstanceOfTheFirstGeometryThatWillDo) {
  struct Case {
    std::uint64_t memory;
    const char* slot;
  };
  for (const auto& c : {Case{5, "one-0"}, Case{15, "one-2"}, Case{30, "two-0"}, Case{41, ""}}) {
    const auto slot = find_slot(kGeometries, {}, c.memory);
    EXPECT_EQ(slot ? slot->group + "-" + std::to_string(slot->position) : "", c.slot) << c.memory;
  }
}

TEST(MigSlotsTest, ACardKeepsItsGeometryAndTheInstancesInUse) {
  MigUse use;
  EXPECT_EQ(take_slot(kGeometries, use, "one", 1), 10u);
  EXPECT_EQ(find_slot(kGeometries, use, 5)->position, 0);
  EXPECT_FALSE(find_slot(kGeometries, use, 15));  // "2g" is free, but nobody has one yet
  EXPECT_FALSE(find_slot(kGeometries, use, 30));  // another geometry
  EXPECT_EQ(take_slot(kGeometries, use, "one", 0), 10u);
  EXPECT_FALSE(find_slot(kGeometries, use, 5));
  EXPECT_EQ(free_slot(kGeometries, use, "one", 1), 10u);
  EXPECT_EQ(find_slot(kGeometries, use, 5)->position, 1);
  EXPECT_EQ(free_slot(kGeometries, use, "one", 0), 10u);
  EXPECT_EQ(find_slot(kGeometries, use, 15)->position, 2);  // nothing is in use, the geometry stays
  EXPECT_FALSE(find_slot(kGeometries, use, 30));
  EXPECT_EQ(take_slot(kGeometries, use, "one", 99), 0u);
  EXPECT_EQ(take_slot(kGeometries, use, "none", 0), 0u);
}

TEST(MigSlotsTest, Ids) {
  EXPECT_EQ(slot_id("G0", {"one", 2, 0}), "G0[one-2]");
  EXPECT_EQ(parse_slot_id("G-0[one-2]")->position, 2);
  for (const auto* text : {"G0", "G0[one]", "]one-1[", "[a-b-1]", "[a-x]"}) EXPECT_FALSE(parse_slot_id(text)) << text;
}

DeviceCycles mig_cycles(Behaviour behaviour) {
  DeviceCycles cycles({{"deviceshare.VGPUEnable", value_of(true)}}, behaviour);
  cycles.set_config(mig_config());
  cycles.add(a_volcano_node("n1")
                 .cpu("64")
                 .has("volcano.sh/vgpu-number", "10")
                 .has(kMemory, "1000")
                 .has("volcano.sh/vgpu-cores", "100")
                 .annotation("volcano.sh/node-vgpu-register", "G0,7,40,NVIDIA-A100,true,mig:"));
  return cycles;
}

TEST(MigTest, TwoPodsOfOneCycleGetOneInstanceOnlyInTheOriginal) {
  for (const bool exact : {true, false}) {
    auto cycles = mig_cycles(exact ? Behaviour::exact() : Behaviour::safe());
    for (const auto* name : {"a", "b"}) cycles.pod(name, [](auto& pod) { pod.uses(kMemory, "8"); });
    EXPECT_EQ(cycles.run_and_read(kIds),
              (Names{{"a", "G0[one-0],NVIDIA,8,0:"}, {"b", exact ? "G0[one-0],NVIDIA,8,0:" : "G0[one-1],NVIDIA,8,0:"}}));
  }
}

TEST(MigTest, InstancesOfRunningPodsAreTaken) {
  auto cycles = mig_cycles(Behaviour::exact());
  cycles.pod("old", [](auto& pod) { pod.uses(kMemory, "8").on("n1").annotation(kIds, "G0[one-0],NVIDIA,8,0:"); });
  cycles.pod("new", [](auto& pod) { pod.uses(kMemory, "8").annotation("volcano.sh/vgpu-mode", "mig"); });
  EXPECT_EQ(cycles.run_and_read(kIds), (Names{{"new", "G0[one-1],NVIDIA,8,0:"}}));
}

TEST(MigTest, MemoryMayBeAskedForInMultiples) {
  auto cycles = mig_cycles(Behaviour::exact());
  auto config = mig_config();
  config.vgpu.memory_factor = 10;
  cycles.set_config(config);
  cycles.pod("p", [](auto& pod) { pod.uses(kMemory, "2"); });
  EXPECT_EQ(cycles.run_and_read(kIds), (Names{{"p", "G0[one-2],NVIDIA,2,0:"}}));
}

TEST(DeviceConfigTest, ReadsGeometriesAndCards) {
  const auto instance = map_value({{"name", value_of("1g")}, {"memory", value_of(10)}, {"count", value_of(7)}});
  const auto geometry = map_value({{"group", value_of("g")}, {"geometries", list_value({instance})}});
  const auto models = map_value({{"models", list_value({value_of("A30")})}, {"allowedGeometries", list_value({geometry})}});
  const auto npu = map_value({{"commonWord", value_of("Ascend910B3")},
                              {"templates", list_value({map_value({{"name", value_of("big")}, {"memory", value_of(9)}}),
                                                        map_value({{"name", value_of("small")}, {"memory", value_of(1)}})})}});
  const auto root = [&](Value npus) {
    return map_value({{"nvidia", map_value({{"resourceCountName", value_of("x/count")},
                                            {"gpuMemoryFactor", value_of(1024)},
                                            {"knownMigGeometries", list_value({models})}})},
                      {"vnpus", std::move(npus)}});
  };
  const auto config = read_device_config(root(map_value({{"hamiVnpuCore", value_of(true)}, {"configs", list_value({npu})}})));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->vgpu.count_name, "x/count");
  EXPECT_EQ(config->vgpu.memory_factor, 1024u);
  EXPECT_EQ(config->vgpu.mig.at(0).geometries.at(0).instances.at(0).count, 7);
  EXPECT_TRUE(config->npu_core);
  EXPECT_EQ(config->npus.at(0).templates.at(0).name, "small");
  EXPECT_FALSE(read_device_config(root(list_value({npu})))->npu_core);  // the older form
  EXPECT_FALSE(read_device_config(root(value_of("no"))));
  EXPECT_FALSE(read_device_config(map_value({{"nvidia", map_value({{"gpuMemoryFactor", value_of("a lot")}})}})));
  EXPECT_FALSE(read_device_config(value_of(1)));
}

}  // namespace
}  // namespace muster::volcano
