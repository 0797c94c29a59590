#include "policy/kai/device_refs.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

class DeviceRefsTest : public testing::Test {
 protected:
  DeviceRefsTest() {
    node = books.intern_node("n1");
    NodeRecord record;
    record.name = "n1";
    Amounts allocatable;
    allocatable.set(gpu, 4 * kWholeGpu);
    books.set_node(node, record, allocatable);
  }
  ClaimedDevices having(std::vector<std::string> names) {
    ClaimedDevices devices;
    for (const auto& name : names) devices.gpus.push_back(books.symbols().intern(name));
    return devices;
  }
  std::int64_t spared() const { return books.ledgers().idle[gpu.index()][node.index()] / kWholeGpu - 4; }
  std::int64_t releasing() const { return books.ledgers().releasing[gpu.index()][node.index()] / kWholeGpu; }

  Books books{Accounting()};
  ResourceId gpu = books.resource("nvidia.com/gpu");
  NodeInfo info;
  NodeId node;
  DeviceRefs refs{books, gpu};
};

TEST_F(DeviceRefsTest, TheSecondIsChargedNothing) {
  const auto one = having({"a"});
  refs.add(node, info, one, 1, Status::kRunning);
  EXPECT_EQ(spared(), 0);
  EXPECT_EQ(DeviceRefs::shared(info, one), 1);
  refs.add(node, info, one, 1, Status::kRunning);
  EXPECT_EQ(spared(), 1);
  refs.remove(node, info, one, 1, Status::kRunning);
  EXPECT_EQ(spared(), 0);
  refs.remove(node, info, one, 1, Status::kRunning);
  EXPECT_EQ(spared(), 0);
  EXPECT_EQ(DeviceRefs::shared(info, one), 0);
  EXPECT_EQ(info.spared, 0);
}

TEST_F(DeviceRefsTest, NeverMoreThanThePodTakes) {
  const auto two = having({"a", "b"});
  refs.add(node, info, two, 2, Status::kRunning);
  refs.add(node, info, two, 1, Status::kRunning);
  EXPECT_EQ(spared(), 1);
  refs.add(node, info, two, 0, Status::kRunning);  // takes none: is not counted at all
  EXPECT_EQ(spared(), 1);
}

TEST_F(DeviceRefsTest, WhoWaitsTakesNothingOfWhatIsIdle) {
  const auto one = having({"a"});
  refs.add(node, info, one, 1, Status::kRunning);
  refs.add(node, info, one, 1, Status::kPipelined);
  EXPECT_EQ(spared(), 0);
  EXPECT_EQ(releasing(), 1);
  refs.remove(node, info, one, 1, Status::kPipelined);
  EXPECT_EQ(releasing(), 0);
  refs.add(node, info, one, 1, Status::kReleasing);
  EXPECT_EQ(spared(), 1);
  EXPECT_EQ(releasing(), -1);
}

}  // namespace
}  // namespace muster::kai
