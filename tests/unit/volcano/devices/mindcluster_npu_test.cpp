#include <gtest/gtest.h>

#include "policy/volcano/devices/mindcluster_info.h"
#include "policy/volcano/devices/npu_chips.h"
#include "support/device_cycles.h"

namespace muster::volcano {
namespace {

constexpr const char* kCores = "huawei.com/npu-core";

std::vector<std::pair<std::string, Value>> mindcluster(int weight = 0) {
  return {{"deviceshare.AscendMindClusterVNPUEnable", value_of(true)}, {"deviceshare.ScheduleWeight", value_of(weight)}};
}

// Two chips of 8 cores and 7 cpus, listed in the node's own annotation.
auto a_310p_node(const std::string& name, const char* chips = "Ascend310P-0,Ascend310P-1", const char* cores = "16") {
  return a_volcano_node(name)
      .cpu("64")
      .has(kCores, cores)
      .label("accelerator", "huawei-Ascend310P")
      .label("servertype", "Ascend310P-8")
      .label("node.kubernetes.io/npu.chip.name", "310P3")
      .annotation("huawei.com/Ascend310P", chips);
}

TEST(MindClusterTest, CoresAndLabelsChooseTheTemplate) {
  struct Case {
    const char* cores;
    std::vector<std::pair<const char*, const char*>> labels;
    std::string chips;  // empty: refused
  };
  for (const auto& c : std::vector<Case>{{"1", {}, "0-vir01"},
                                         {"2", {}, "0-vir02_1c"},
                                         {"2", {{"vnpu-level", "high"}}, "0-vir02"},
                                         {"4", {}, "0-vir04_3c"},
                                         {"4", {{"vnpu-level", "high"}}, "0-vir04"},
                                         {"4", {{"vnpu-dvpp", "yes"}}, "0-vir04_4c_dvpp"},
                                         {"4", {{"vnpu-dvpp", "no"}}, "0-vir04_3c_ndvpp"},
                                         {"4", {{"vnpu-dvpp", "maybe"}}, ""},
                                         {"8", {}, "0"},
                                         {"16", {}, "0,1"},
                                         {"24", {}, ""}}) {
    DeviceCycles cycles(mindcluster());
    cycles.add(a_310p_node("n1"));
    cycles.pod("p", [&](auto& pod) {
      pod.uses(kCores, c.cores);
      for (const auto& [key, value] : c.labels) pod.label(key, value);
    });
    EXPECT_EQ(cycles.run_and_read(kCores), c.chips.empty() ? Names{} : (Names{{"p", c.chips}})) << c.cores;
  }
}

TEST(MindClusterTest, ANodeHostsOneTemplateAtATimeAndFillsAChip) {
  DeviceCycles cycles(mindcluster());
  cycles.add(a_310p_node("n1"));
  for (const auto* name : {"a", "b"}) cycles.pod(name, [](auto& pod) { pod.uses(kCores, "4"); });
  cycles.pod("c", [](auto& pod) { pod.uses(kCores, "1"); });
  cycles.pod("d", [](auto& pod) { pod.uses(kCores, "4"); });
  EXPECT_EQ(cycles.run_and_read(kCores), (Names{{"a", "0-vir04_3c"}, {"b", "0-vir04_3c"}, {"d", "1-vir04_3c"}}));
}

TEST(MindClusterTest, ShortOfCpusAPodGetsFewer) {
  DeviceCycles cycles(mindcluster());
  cycles.add(a_310p_node("n1", "Ascend310P-0", "8"));
  cycles.pod("a", [](auto& pod) { pod.uses(kCores, "4").label("vnpu-level", "high"); });
  cycles.pod("b", [](auto& pod) { pod.uses(kCores, "4").label("vnpu-level", "high"); });
  // 4 of 7 cpus are gone: the second pod could do with 3, but then it is of another template.
  EXPECT_EQ(cycles.run_and_read(kCores), (Names{{"a", "0-vir04"}}));
}

TEST(MindClusterTest, NodesThatAreNotDescribedAreRefused) {
  DeviceCycles cycles(mindcluster());
  cycles.add(a_volcano_node("bare").cpu("64").has(kCores, "16"));
  cycles.add(a_310p_node("short", "Ascend310P-0", "2"));
  cycles.pod("p", [](auto& pod) { pod.uses(kCores, "4"); });
  const auto outcome = cycles.run();
  EXPECT_TRUE(outcome.binds.empty());
  EXPECT_NE(outcome.conditions.at("p").find("Insufficient huawei.com/npu-core"), std::string::npos);
}

TEST(MindClusterTest, PodsOnTheNodeHoldTheirChips) {
  DeviceCycles cycles(mindcluster());
  cycles.add(a_310p_node("n1"));
  cycles.pod("whole", [](auto& pod) {
    pod.uses(kCores, "8").on("n1").annotation(kCores, "0").annotation("huawei.com/AscendReal", "Ascend310P-0");
  });
  cycles.pod("more", [](auto& pod) { pod.uses(kCores, "8"); });
  // A whole chip is of no template, and so nothing else comes to a node where one is in use.
  EXPECT_EQ(cycles.run_and_read(kCores), Names{});
}

TEST(MindClusterTest, TheNodeWithTheLeastLeftIsTheBest) {
  DeviceCycles cycles(mindcluster(1));
  cycles.add(a_310p_node("roomy", "Ascend310P-0,Ascend310P-1", "16"));
  cycles.add(a_310p_node("tight", "Ascend310P-0", "8"));
  cycles.pod("p", [](auto& pod) { pod.uses(kCores, "1"); });
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "tight"}}));
}

ConfigMap a_config_map(std::string ns, std::string name, std::string label, std::string key, std::string text) {
  ConfigMap map;
  map.meta.ns = std::move(ns);
  map.meta.name = std::move(name);
  map.meta.labels.set(std::move(label), "true");
  map.data.set(std::move(key), std::move(text));
  return map;
}

TEST(MindClusterInfoTest, ClusterWide) {
  MindClusterInfo info(MindClusterInfo::Source::kClusterWide);
  const auto text = R"({"mindx-dl-deviceinfo-n1":{"DeviceList":{"huawei.com/Ascend310P":"Ascend310P-0"},"UpdateTime":7}})";
  const auto map = [&](const char* label) {
    return a_config_map("mindx-dl", "cluster-info-device-0", label, "cluster-info-device-0", text);
  };
  EXPECT_TRUE(info.take(map("other")).empty());
  EXPECT_EQ(info.take(map("mx-consumer-volcano")), std::vector<std::string>{"n1"});
  ASSERT_NE(info.news("n1"), nullptr);
  EXPECT_EQ(info.news("n1")->devices.get("huawei.com/Ascend310P"), "Ascend310P-0");
  EXPECT_EQ(info.news("n1")->updated, 7);
  info.take(a_config_map("mindx-dl", "cluster-info-node-cm", "mx-consumer-volcano", "cluster-info-node-cm",
                         R"({"mindx-dl-nodeinfo-n1":{"NodeStatus":"PreSeparate"}})"));
  EXPECT_EQ(info.status("n1"), "PreSeparate");
  info.take(a_config_map("mindx-dl", "cluster-info-node-cm", "mx-consumer-volcano", "cluster-info-node-cm", ""));
  EXPECT_EQ(info.status("n1"), "");
}

TEST(MindClusterInfoTest, PerNode) {
  MindClusterInfo info(MindClusterInfo::Source::kPerNode);
  EXPECT_EQ(info.take(a_config_map("kube-system", "mindx-dl-deviceinfo-n1", "mx-consumer-cim", "DeviceInfoCfg",
                                   R"({"DeviceInfo":{"DeviceList":{"huawei.com/Ascend310P":""},"UpdateTime":7}})"))
                .size(),
            1u);
  EXPECT_NE(info.news("n1"), nullptr);
  EXPECT_TRUE(info.take(a_config_map("kube-system", "mindx-dl-deviceinfo-n2", "mx-consumer-cim", "DeviceInfoCfg", "{")).empty());
  info.take(a_config_map("mindx-dl", "mindx-dl-nodeinfo-n1", "mx-consumer-cim", "NodeInfo", R"({"NodeInfo":{"NodeStatus":"X"}})"));
  EXPECT_EQ(info.status("n1"), "X");
}

// Which chips are free is worked out from the node's annotation unless the configuration says otherwise.
TEST(MindClusterTest, ReportedChipsAreUsed) {
  DeviceCycles cycles(mindcluster());
  cycles.add(
      a_310p_node("n1", "").annotation("baseDeviceInfos", R"({"Ascend310P-0":{},"Ascend310P-1":{},"Ascend310P-1-2c-3":{}})"));
  cycles.add_object(a_config_map(
      "mindx-dl", "cluster-info-device-0", "mx-consumer-volcano", "cluster-info-device-0",
      R"({"mindx-dl-deviceinfo-n1":{"DeviceList":{"huawei.com/Ascend310P":"x","huawei.com/Ascend310P-Unhealthy":"Ascend310P-0"}}})"));
  cycles.pod("p", [](auto& pod) { pod.uses(kCores, "8"); });
  EXPECT_EQ(cycles.run_and_read(kCores), (Names{{"p", "1"}}));
}

TEST(NpuChipsTest, TheVideoUnitGoesWithTheFirstThatWantsIt) {
  NpuChip chip;
  chip.free = {8, 7, Dvpp::kWith};
  const NpuAmount with{4, 4, Dvpp::kWith}, any{1, 1, Dvpp::kAny}, without{4, 3, Dvpp::kWithout};
  EXPECT_TRUE(chip.meets(with, true));
  chip.take(with);
  EXPECT_FALSE(chip.meets({1, 1, Dvpp::kWith}, true));
  EXPECT_FALSE(chip.meets(any, true));
  EXPECT_TRUE(chip.meets(without, true));
  chip.give_back(with);
  EXPECT_TRUE(chip.meets(any, true));
}

TEST(NpuChipsTest, ManyGroupsTakeOnlySmallParts) {
  NpuChip chip;
  chip.free = {8, 7, Dvpp::kWith};
  chip.segmented = true;
  chip.parts = {"x_1", "x_2", "x_3", "plain", "x_3"};
  EXPECT_FALSE(chip.meets({4, 3, Dvpp::kAny}, true));
  EXPECT_TRUE(chip.meets({4, 3, Dvpp::kAny}, false));
  EXPECT_TRUE(chip.meets({2, 1, Dvpp::kAny}, true));
  chip.parts.push_back("x_4");
  EXPECT_FALSE(chip.meets({2, 1, Dvpp::kAny}, true));
}

}  // namespace
}  // namespace muster::volcano
