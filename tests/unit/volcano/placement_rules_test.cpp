// How the answers of several plugins are put together.

#include "policy/volcano/placement_rules.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

// Cannot say anything about the first node.
class FailsOnTheFirst final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kNodeOrder); }
  Dependence order_dependence(PodId) const override { return Dependence::kNode; }
  void add_node_order(PodId, std::span<const NodeId> nodes, std::span<double> totals) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += nodes[i] == NodeId(0) ? kNoOrder : 10;
  }
};

class LooksAtAll final : public Plugin {
 public:
  using Plugin::Plugin;
  Points points() const override { return Points(Point::kBatchNodeOrder); }
  Dependence order_dependence(PodId) const override { return Dependence::kOthers; }
  void add_batch_order(PodId, std::span<const NodeId> nodes, std::span<double> totals) override {
    for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += 5;
  }
};

TEST(PlacementRules, AnOrderThatFailsCountsForNothingAlsoWhenScoresAreMadeInParts) {
  VolcanoWorld world;
  world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("1")).add(a_volcano_node("n2").cpu("1"));
  world.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("1"));
  auto& session = world.open();
  FailsOnTheFirst fails(session);
  LooksAtAll looks(session);
  ClassTable classes;
  SessionRules rules(session.books(), classes, {}, {&fails}, {&looks});
  const auto pod = world.pod("p");
  const std::vector<NodeId> nodes = {world.node("n1"), world.node("n2")};
  std::vector<double> whole(2), completed(2);
  std::vector<PlacementRules::ScorePart> parts(2);
  ASSERT_TRUE(rules.has_local_part(pod));
  ASSERT_TRUE(rules.score(pod, nodes, whole));
  rules.score_local_part(pod, nodes, parts);
  ASSERT_TRUE(rules.complete_scores(pod, nodes, parts, completed));
  EXPECT_EQ(whole, (std::vector<double>{5, 15}));
  EXPECT_EQ(completed, whole);
}

}  // namespace
}  // namespace muster::volcano
