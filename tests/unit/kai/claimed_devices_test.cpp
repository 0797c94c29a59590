#include "policy/kai/claimed_devices.h"

#include <gtest/gtest.h>
#include <limits>

#include "support/device_builder.h"

namespace muster::kai {
namespace {

TEST(ClaimedDevices, AnythingWithGpuInItsNameIsOne) {
  EXPECT_TRUE(names_gpus("gpu.nvidia.com"));
  EXPECT_TRUE(names_gpus("nvidia.com/GPU"));
  EXPECT_TRUE(names_gpus("xGpUy"));
  EXPECT_FALSE(names_gpus("gp.u"));
  EXPECT_FALSE(names_gpus(""));
}

TEST(ClaimedDevices, GpusOfAClaim) {
  struct Row {
    ResourceClaim claim;
    std::int64_t gpus;
  };
  ResourceClaim extended = a_device_claim("c").asks(a_request("r", "gpu").count(2));
  using Notes = std::vector<std::pair<std::string, std::string>>;
  extended.meta.annotations = StringMap(Notes{{"resource.kubernetes.io/extended-resource-claim", "true"}});
  const Row rows[] = {
      {a_device_claim("c").asks(a_request("r", "gpu").count(2)), 2},
      {a_device_claim("c").asks(a_request("r", "gpu").count(0)), 1},
      {a_device_claim("c").asks(a_request("r", "gpu").all()), 1},
      {a_device_claim("c").asks(a_request("r", "nic").count(3)), 0},
      {a_device_claim("c").asks(a_request("r", "gpu")).asks(a_request("s", "other-gpu").count(4)), 5},
      {a_device_claim("c").asks(a_request("r").either(a_request("x", "gpu").count(2))), 0},
      {a_device_claim("c").asks(a_request("r", "gpu").count(std::numeric_limits<std::int64_t>::max())), kMostGpus},
      {extended, 0},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) EXPECT_EQ(gpus_of_claim(rows[i].claim), rows[i].gpus) << i;
}

TEST(ClaimedDevices, OnlyGpusAreListed) {
  Interner<SymbolId> symbols;
  DeviceAllocation allocation;
  allocation.devices = {{"r", "gpu.example.com", "n1", "d0", false, false, {}},
                        {"r", "nic.example.com", "n1", "d0", false, false, {}}};
  const auto devices = make_claimed({{"a", "ns/a", allocation}, {"b", "ns/b", std::nullopt}}, symbols);
  ASSERT_EQ(devices->gpus.size(), 1u);
  EXPECT_EQ(symbols.text(devices->gpus.front()), "gpu.example.com/n1/d0");
  EXPECT_NE(devices->find("b"), nullptr);
  EXPECT_EQ(devices->find("c"), nullptr);
}

}  // namespace
}  // namespace muster::kai
