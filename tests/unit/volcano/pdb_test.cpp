// Who may go as far as disruption budgets are concerned.

#include "policy/volcano/plugins/pdb.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class PdbTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;
  PdbTest() {
    world.memory().behaviour = Behaviour::exact();
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("8")).add(a_pod_group("job"));
    for (const auto* name : {"a0", "a1", "a2"}) world.add(running(name).label("app", "a").label("tier", "x"));
    world.add(running("b0").label("app", "b"));
    world.add(running("bare"));
  }
  static VolcanoPodBuilder running(const std::string& name) { return a_volcano_pod(name).group("job").cpu("1").on("n1"); }
  Names left(const Names& candidates = {"a0", "a1", "a2", "b0", "bare"}) {
    Pdb plugin(world.open());
    plugin.open();
    const auto pods = world.pods(candidates);
    const auto victims = plugin.victim_tasks(pods);
    EXPECT_EQ(plugin.preemptable(pods.front(), pods).victims, victims);  // every question starts anew
    EXPECT_EQ(plugin.reclaimable(pods.front(), pods).victims, victims);
    EXPECT_EQ(plugin.reclaimable(pods.front(), pods).vote, Vote::kPermit);
    return world.names(victims);
  }
  VolcanoWorld world;
};

TEST_F(PdbTest, WithoutBudgetsEverybodyWithLabelsMayGo) { EXPECT_EQ(left(), (Names{"a0", "a1", "a2", "b0"})); }

TEST_F(PdbTest, AsManyAsABudgetAllows) {
  world.add(a_budget("a").selects("app", "a").allows(2));
  EXPECT_EQ(left(), (Names{"a0", "a1", "b0"}));
  EXPECT_EQ(left({"a2", "a1", "a0"}), (Names{"a2", "a1"}));
}

TEST_F(PdbTest, EveryBudgetHasToAllowIt) {
  world.add(a_budget("a").selects("app", "a").allows(3)).add(a_budget("x").selects("tier", "x").allows(0));
  EXPECT_EQ(left(), Names{"b0"});
}

TEST_F(PdbTest, WhoIsRefusedByOneBudgetIsChargedToTheOthers) {
  world.add(running("c0").label("app", "b").label("tier", "x"));
  world.add(a_budget("x").selects("tier", "x").allows(0)).add(a_budget("b").selects("app", "b").allows(1));
  EXPECT_EQ(left({"c0", "b0"}), Names());
  EXPECT_EQ(left({"b0", "c0"}), Names{"b0"});
}

TEST_F(PdbTest, WhoIsGoingAlreadyIsNotChargedAgain) {
  world.add(a_budget("a").selects("app", "a").allows(0).disrupted("a1"));
  EXPECT_EQ(left(), (Names{"a1", "b0"}));
}

TEST_F(PdbTest, BudgetsWithoutSelectorAndOfOtherNamespacesAreForNobody) {
  world.add(a_budget("nobody").allows(0)).add(a_budget("empty").selects_all().allows(0));
  auto elsewhere = a_budget("elsewhere").selects("app", "a").allows(0).object();
  elsewhere.meta.ns = "other";
  world.cluster().apply(Object(elsewhere));
  EXPECT_EQ(left(), (Names{"a0", "a1", "a2", "b0"}));
}

}  // namespace
}  // namespace muster::volcano
