// Pods that move between shared GPUs, and the groups that count for a request.

#include <gtest/gtest.h>

#include "policy/kai/statement.h"
#include "support/kai_world.h"

namespace muster::kai {
namespace {

constexpr std::int64_t kMemory = 40'000;  // of a GPU
constexpr std::int64_t kHalf = kMemory / 2;

// A pod has half of a GPU, and a plan to move it to the other one of its node is taken back.
class KaiSharedMove : public ::testing::Test {
 protected:
  void plan_and_take_back(Behaviour behaviour) {
    KaiWorld world;
    world.node("n1", 2);
    world.job({.name = "half", .fraction = "0.5", .nodes = {"n1"}});
    for (auto& object : world.objects()) {
      if (auto* host = std::get_if<Node>(&object)) host->meta.labels.set("nvidia.com/gpu.memory", std::to_string(kMemory));
      if (auto* pod = std::get_if<Pod>(&object)) pod->meta.labels.set("runai-gpu-group", "g");
    }
    ClusterOptions options;
    options.behaviour = behaviour;
    cluster = std::make_unique<Cluster>(options);
    for (const auto& object : world.objects()) cluster->apply(object);
    session = std::make_unique<Session>(*cluster, world.config, KaiWorld::kNow, memory);
    session->open();
    node = cluster->books().find_node("n1");
    const auto pod = cluster->find_pod("ns/half-0");
    ASSERT_EQ(group().used, kHalf);

    Statement statement(*session);
    ASSERT_TRUE(statement.evict(pod, "test", {}));
    cluster->task(pod).groups = {session->new_gpu_group()};
    ASSERT_TRUE(statement.pipeline(pod, node, Statement::IfThere::kUnevict));
    EXPECT_EQ(cluster->task(pod).status, Status::kPipelined);
    statement.discard();
    EXPECT_EQ(cluster->task(pod).status, Status::kRunning);
    EXPECT_EQ(cluster->task(pod).node, node);
  }
  const GpuGroup& group() const { return *cluster->node_info(node).find_group(cluster->books().symbols().find("g")); }

  Memory memory;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<Session> session;
  NodeId node;
};

TEST_F(KaiSharedMove, IsTakenBackWhole) {
  plan_and_take_back(Behaviour::safe());
  EXPECT_EQ(group().used, kHalf);
  EXPECT_EQ(group().allocated, kHalf);
  EXPECT_EQ(group().releasing, 0);
  EXPECT_TRUE(cluster->books().check_sums());
}

// In the original the pod leaves the GPU and comes to it once more, until the cycle is over.
TEST_F(KaiSharedMove, LeavesAShareBehindInTheOriginal) {
  plan_and_take_back(Behaviour::safe().with(Quirk::kLostShares));
  EXPECT_EQ(group().used, kMemory);
  EXPECT_EQ(group().allocated, kMemory);
  EXPECT_EQ(group().releasing, kHalf);
  session->close();
  session->release();
  EXPECT_EQ(group().used, kHalf);
  EXPECT_EQ(group().allocated, kHalf);
  EXPECT_EQ(group().releasing, 0);
  EXPECT_TRUE(cluster->books().check_sums());
}

TEST(KaiSharedGpus, CountAsFarAsTheyAreNeeded) {
  NodeInfo info;
  info.gpu_memory = kMemory;
  info.memory_known = true;
  for (std::uint32_t i = 0; i < 3; ++i) info.groups.push_back({.id = SymbolId(i), .used = kHalf, .allocated = kHalf});
  const GpuRequest half{.kind = GpuKind::kFraction, .devices = 1, .portion = 0.5};
  EXPECT_EQ(GpuSharing::fitting_groups(info, half), 3);
  EXPECT_TRUE(GpuSharing::suffices(info, half, 0));
  EXPECT_FALSE(GpuSharing::suffices(info, half, -1));  // a GPU that is promised twice is missing, however many groups have room
  const GpuRequest two_halves{.kind = GpuKind::kFraction, .devices = 2, .portion = 0.5};
  EXPECT_TRUE(GpuSharing::suffices(info, two_halves, 0));
  EXPECT_FALSE(GpuSharing::suffices(info, two_halves, -1));
  info.groups.clear();
  EXPECT_TRUE(GpuSharing::suffices(info, half, 1));
  EXPECT_FALSE(GpuSharing::suffices(info, half, 0));
}

}  // namespace
}  // namespace muster::kai
