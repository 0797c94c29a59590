// How many GPUs a node has left beside those that pods share.

#include <gtest/gtest.h>

#include "policy/kai/statement.h"
#include "support/kai_world.h"

namespace muster::kai {
namespace {

// Two pods leave a node for one with two whole GPUs and for two that share one; then the two would have to go again for
// somebody more urgent, and that plan is taken back.
class KaiSharedGpuCount : public ::testing::Test {
 protected:
  void plan_and_take_back(Behaviour behaviour) {
    KaiWorld world;
    world.node("n1", 4);
    world.job({.name = "old", .pods = 2, .minimum = 2, .gpus = 2, .nodes = {"n1", "n1"}});
    world.job({.name = "big", .gpus = 2});
    world.job({.name = "half", .pods = 2, .minimum = 2, .fraction = "0.5"});
    ClusterOptions options;
    options.behaviour = behaviour;
    cluster = std::make_unique<Cluster>(options);
    for (const auto& object : world.objects()) cluster->apply(object);
    session = std::make_unique<Session>(*cluster, world.config, KaiWorld::kNow, memory);
    session->open();
    node = cluster->books().find_node("n1");

    Statement room(*session);
    for (const auto* name : {"ns/old-0", "ns/old-1"}) ASSERT_TRUE(room.evict(cluster->find_pod(name), "test", {}));
    ASSERT_TRUE(room.pipeline(cluster->find_pod("ns/big-0"), node, Statement::IfThere::kUnevict));
    group = session->new_gpu_group();
    for (const auto* name : {"ns/half-0", "ns/half-1"}) {
      cluster->task(cluster->find_pod(name)).groups = {group};
      ASSERT_TRUE(room.pipeline(cluster->find_pod(name), node, Statement::IfThere::kUnevict));
    }
    ASSERT_EQ(gpus(Ledger::kIdle), 0);
    ASSERT_EQ(gpus(Ledger::kLater), 1);

    Statement other(*session);
    for (const auto* name : {"ns/half-1", "ns/half-0"}) ASSERT_TRUE(other.evict(cluster->find_pod(name), "test", {}));
    later_without_them = gpus(Ledger::kLater);
    other.discard();
  }
  enum class Ledger : std::uint8_t { kIdle, kLater };
  std::int64_t gpus(Ledger which) const {
    const auto& ledgers = cluster->books().ledgers();
    const auto r = cluster->gpu().index();
    const auto n = node.index();
    const auto idle = ledgers.idle[r][n];
    const auto later = idle + ledgers.releasing[r][n] - ledgers.pipelined[r][n];
    return (which == Ledger::kIdle ? idle : later) / kWholeGpu;
  }
  bool has_its_gpu() const {
    const auto& info = cluster->node_info(node);
    return GpuSharing::fits_now(info, *info.find_group(group), {.kind = GpuKind::kFraction, .devices = 1, .portion = 0.5});
  }

  Memory memory;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<Session> session;
  NodeId node;
  SymbolId group;
  std::int64_t later_without_them = 0;
};

TEST_F(KaiSharedGpuCount, IsAsBeforeWhenAPlanIsTakenBack) {
  plan_and_take_back(Behaviour::safe());
  EXPECT_EQ(later_without_them, 2);
  EXPECT_EQ(gpus(Ledger::kIdle), 0);
  EXPECT_EQ(gpus(Ledger::kLater), 1);
  EXPECT_FALSE(has_its_gpu());  // others have not left it
}

TEST_F(KaiSharedGpuCount, IsOneLessInTheOriginal) {
  plan_and_take_back(Behaviour::safe().with(Quirk::kGuessedGpus));
  EXPECT_EQ(later_without_them, 1);
  EXPECT_EQ(gpus(Ledger::kIdle), -1);
  EXPECT_TRUE(has_its_gpu());
}

// One of the two GPUs that the label tells of is broken.
TEST(KaiSharedGpus, AreTakenFromThoseThatThereAre) {
  KaiWorld world;
  world.node("n1", 1);
  std::get<Node>(world.objects().back()).meta.labels.set("nvidia.com/gpu.count", "2");
  world.job({.name = "half", .fraction = "0.5"});
  world.job({.name = "whole", .created = 1});
  EXPECT_EQ(world.run(Behaviour::safe()), "bind half-0@n1");
  EXPECT_EQ(world.run(Behaviour::safe().with(Quirk::kGuessedGpus)), "bind half-0@n1, bind whole-0@n1");
}

}  // namespace
}  // namespace muster::kai
