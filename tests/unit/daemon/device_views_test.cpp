// Which pod has which device of a node, in both dialects.

#include <gtest/gtest.h>

#include "daemon/kai_cluster.h"
#include "daemon/volcano_cluster.h"
#include "support/device_builder.h"
#include "support/kai_world.h"
#include "support/volcano_builders.h"

namespace muster::daemon {
namespace {

using volcano::value_of;

constexpr std::int64_t kWhole = 100;  // cores of a card

// What a node's view says of its devices; empty: nothing.
std::string devices_in(LiveCluster& cluster, const std::string& node) {
  std::string out = "nothing was told";
  cluster.add_sight({.what = Sight::What::kNode, .name = node, .tell = [&](Result<std::string> told) {
                       ASSERT_TRUE(told) << told.error().text();
                       const auto at = told->find(R"(,"devices":)");
                       out = at == std::string::npos ? "" : told->substr(at + 11, told->size() - at - 12);
                     }});
  cluster.run_cycle(kai::KaiWorld::kNow);
  return out;
}

class VolcanoDeviceViews : public testing::Test {
 protected:
  // With what `deviceshare` is told to share.
  void share(const char* key) {
    cluster_ = std::make_unique<VolcanoCluster>(
        VolcanoSettings{.config = volcano::a_config({volcano::an_option("gang"), volcano::an_option("predicates"),
                                                     volcano::an_option("deviceshare", {{key, value_of(true)}})},
                                                    {"allocate"}),
                        .behaviour = volcano::Behaviour::safe(),
                        .options = {}});
    add(volcano::a_volcano_queue("default"));
  }
  template <class Builder>
  void add(const Builder& builder) {
    cluster_->apply(Object(builder.object()));
  }
  template <class Fill>
  void pod(const std::string& name, Fill fill) {
    add(volcano::a_pod_group(name).phase("Inqueue"));
    auto pod = volcano::a_volcano_pod(name).group(name);
    fill(pod);
    add(pod);
  }
  void claiming_pod(const std::string& name, const std::string& claim, const std::string& node = {}) {
    add(volcano::a_pod_group(name).phase("Inqueue"));
    auto builder = volcano::a_volcano_pod(name).group(name).cpu("1");
    if (!node.empty()) builder.on(node);
    auto pod = builder.object();
    pod.spec.resource_claims.push_back({.name = "gpu", .claim = claim, .templ = {}, .resolved = {}});
    cluster_->apply(Object(pod));
  }
  std::string devices() {
    cluster_->settle();
    return devices_in(*cluster_, "n1");
  }
  std::unique_ptr<VolcanoCluster> cluster_;
};

TEST_F(VolcanoDeviceViews, CardsSharedByMemory) {
  share("deviceshare.GPUSharingEnable");
  add(volcano::a_volcano_node("n1").cpu("8").has("volcano.sh/gpu-memory", "20").has("volcano.sh/gpu-number", "2"));
  pod("old", [](auto& p) { p.uses("volcano.sh/gpu-memory", "4").on("n1").annotation("volcano.sh/gpu-index", "1"); });
  pod("new", [](auto& p) { p.uses("volcano.sh/gpu-memory", "6").container("side").uses("volcano.sh/gpu-memory", "1"); });
  const std::string number = R"("resource":"volcano.sh/gpu-number","used":)";
  EXPECT_EQ(devices(), R"([{"device":"0",)" + number +
                           R"(0.7,"amounts":{"volcano.sh/gpu-memory":{"used":7,"total":10}},"pods":["default/new"]},)"
                           R"({"device":"1",)" +
                           number + R"(0.4,"amounts":{"volcano.sh/gpu-memory":{"used":4,"total":10}},"pods":["default/old"]}])");
}

TEST_F(VolcanoDeviceViews, WholeCardsByNumber) {
  share("deviceshare.GPUNumberEnable");
  add(volcano::a_volcano_node("n1").cpu("8").has("volcano.sh/gpu-memory", "20").has("volcano.sh/gpu-number", "2"));
  pod("old", [](auto& p) { p.uses("volcano.sh/gpu-number", "1").on("n1").annotation("volcano.sh/gpu-index", "1"); });
  const std::string number = R"("resource":"volcano.sh/gpu-number","used":)";
  EXPECT_EQ(devices(), R"([{"device":"0",)" + number +
                           R"(0,"amounts":{"volcano.sh/gpu-number":{"used":0,"total":1}},"pods":[]},)"
                           R"({"device":"1",)" +
                           number + R"(1,"amounts":{"volcano.sh/gpu-number":{"used":1,"total":1}},"pods":["default/old"]}])");
}

TEST_F(VolcanoDeviceViews, VirtualGpusByMemoryAndCores) {
  share("deviceshare.VGPUEnable");
  add(volcano::a_volcano_node("n1")
          .cpu("8")
          .has("volcano.sh/vgpu-number", "8")
          .has("volcano.sh/vgpu-memory", "2000")
          .has("volcano.sh/vgpu-cores", "200")
          .annotation("volcano.sh/node-vgpu-register", "G0,4,1000,NVIDIA-T4,true,hami-core:G1,4,1000,NVIDIA-T4,true,hami-core:"));
  pod("old",
      [](auto& p) { p.uses("volcano.sh/vgpu-number", "1").on("n1").annotation("volcano.sh/vgpu-ids-new", "G1,NVIDIA,300,50:"); });
  // Two containers on one card are one pod.
  pod("new", [](auto& p) {
    p.uses("volcano.sh/vgpu-memory", "200").annotation("volcano.sh/vgpu-use-gpuuuid", "G1");
    p.container("side").uses("volcano.sh/vgpu-memory", "100");
  });
  const auto amounts = [](int memory, int cores, int sharers) {
    return R"("amounts":{"volcano.sh/vgpu-memory":{"used":)" + std::to_string(memory) +
           R"(,"total":1000},"volcano.sh/vgpu-cores":{"used":)" + std::to_string(cores) + R"(,"total":)" + std::to_string(kWhole) +
           R"(},"volcano.sh/vgpu-number":{"used":)" + std::to_string(sharers) + R"(,"total":4}},"pods":)";
  };
  EXPECT_EQ(devices(), R"([{"device":"G0","resource":"volcano.sh/vgpu-number","used":0,)" + amounts(0, 0, 0) +
                           R"([]},{"device":"G1","resource":"volcano.sh/vgpu-number","used":0.6,)" + amounts(600, 50, 3) +
                           R"(["default/new","default/old"]}])");
}

TEST_F(VolcanoDeviceViews, NpusOfHamiByMemory) {
  share("deviceshare.AscendHAMiVNPUEnable");
  add(volcano::a_volcano_node("n1")
          .cpu("8")
          .has("huawei.com/Ascend310P", "4")
          .has("huawei.com/Ascend310P-memory", "20000")
          .annotation("hami.io/node-register-Ascend310P", R"([{"id":"A0","count":4,"devmem":24576,"devcore":8}])"));
  pod("p", [](auto& p) { p.uses("huawei.com/Ascend310P", "1").uses("huawei.com/Ascend310P-memory", "4000"); });
  EXPECT_EQ(devices(), R"([{"device":"A0","resource":"huawei.com/Ascend310P","used":0.25,"amounts":{)"
                       R"("huawei.com/Ascend310P-memory":{"used":6144,"total":24576},)"
                       R"("huawei.com/Ascend310P":{"used":1,"total":4}},"pods":["default/p"]}])");
}

TEST_F(VolcanoDeviceViews, NpusOfMindClusterByCores) {
  share("deviceshare.AscendMindClusterVNPUEnable");
  add(volcano::a_volcano_node("n1")
          .cpu("8")
          .has("huawei.com/npu-core", "16")
          .label("accelerator", "huawei-Ascend310P")
          .label("servertype", "Ascend310P-8")
          .label("node.kubernetes.io/npu.chip.name", "310P3")
          .annotation("huawei.com/Ascend310P", "Ascend310P-0,Ascend310P-1"));
  pod("p", [](auto& p) { p.uses("huawei.com/npu-core", "4"); });
  const std::string core = R"("resource":"huawei.com/npu-core","used":)";
  EXPECT_EQ(devices(), R"([{"device":"Ascend310P-0",)" + core +
                           R"(0.5,"amounts":{"huawei.com/npu-core":{"used":4,"total":8}},"pods":["default/p"]},)"
                           R"({"device":"Ascend310P-1",)" +
                           core + R"(0,"amounts":{"huawei.com/npu-core":{"used":0,"total":8}},"pods":[]}])");
}

TEST_F(VolcanoDeviceViews, DevicesOfClaimsAsTheyAreFoundAndKept) {
  share("deviceshare.GPUSharingEnable");
  add(volcano::a_volcano_node("n1").cpu("8"));
  cluster_->apply(Object(DeviceClass(a_device_class("any"))));
  cluster_->apply(Object(ResourceSlice(a_slice("n1", 2).on("n1"))));
  cluster_->apply(Object(ResourceClaim(a_device_claim("c").asks(a_request("r", "any")))));
  for (const auto* name : {"a", "b"}) claiming_pod(name, "c");
  const auto d1 = std::string(R"({"device":"gpu/n1/d1","used":0,"pods":[]}])");
  EXPECT_EQ(devices(), R"([{"device":"gpu/n1/d0","used":1,"pods":["default/a"]},)" + d1) << "one pod at a time is given a claim";
  EXPECT_EQ(devices(), R"([{"device":"gpu/n1/d0","used":1,"pods":["default/a","default/b"]},)" + d1);
}

TEST_F(VolcanoDeviceViews, DevicesThatClaimsShareAndThoseFromElsewhere) {
  share("deviceshare.GPUSharingEnable");
  add(volcano::a_volcano_node("n1").cpu("8"));
  cluster_->apply(Object(ResourceSlice(a_slice("n1").on("n1").device(a_device("card").capacity("memory", "8").shareable()))));
  cluster_->apply(Object(ResourceSlice(a_slice("fabric", 2).everywhere())));
  const auto claim = [&](const std::string& name, AllocatedDevice device) {
    ResourceClaim claim = a_device_claim(name);
    claim.allocation.emplace().devices.push_back(std::move(device));
    cluster_->apply(Object(claim));
    claiming_pod(name, name, "n1");
  };
  for (const std::string name : {"one", "two"})
    claim(name, {"r", "gpu", "n1", "card", false, true, {{"memory", Quantity::from_units(name == "one" ? 2 : 4)}}});
  claim("far", {"r", "gpu", "fabric", "d1", false, false, {}});
  claim("lost", {"r", "gpu", "n1", "gone", false, false, {}});
  claim("sees", {"r", "gpu", "n1", "card", true, false, {}});
  EXPECT_EQ(devices(), R"([{"device":"gpu/fabric/d1","used":1,"pods":["default/far"]},)"
                       R"({"device":"gpu/n1/card","used":0.75,"amounts":{"memory":{"used":6,"total":8}},)"
                       R"("pods":["default/one","default/two"]},{"device":"gpu/n1/gone","used":1,"pods":["default/lost"]}])");
}

TEST_F(VolcanoDeviceViews, WithoutAnyNothingIsTold) {
  share("deviceshare.VGPUEnable");
  add(volcano::a_volcano_node("n1").cpu("8").has("nvidia.com/gpu", "8"));
  EXPECT_EQ(devices(), "");
}

TEST(KaiDeviceViews, DevicesOfClaims) {
  kai::KaiWorld world;
  world.node("n1", 0);
  world.job({.name = "a", .gpus = 0});
  world.add(DeviceClass(a_device_class("any")));
  world.add(ResourceSlice(a_slice("n1", 2).on("n1")));
  ResourceClaim claim = a_device_claim("c").asks(a_request("r", "any"));
  claim.meta.ns = "ns";
  world.add(claim);
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object))
      pod->spec.resource_claims.push_back({.name = "dev", .claim = "c", .templ = {}, .resolved = {}});
  KaiCluster cluster(KaiSettings{
      .config = kai::default_config(), .options = {}, .writing = {}, .gpu_groups = "g-", .numbers = nullptr, .lenient = false});
  for (const auto& object : world.objects()) cluster.apply(object);
  cluster.settle();
  EXPECT_EQ(devices_in(cluster, "n1"),
            R"([{"device":"gpu/n1/d0","used":1,"pods":["ns/a-0"]},{"device":"gpu/n1/d1","used":0,"pods":[]}])");
}

}  // namespace
}  // namespace muster::daemon
