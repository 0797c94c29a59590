#include "policy/volcano/actions/shuffle.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

using Names = std::vector<std::string>;

VolcanoPodBuilder running(const std::string& name) { return a_volcano_pod(name).group("job").cpu("1").on("n1").label("app", name); }

class ShuffleTest : public testing::Test {
 protected:
  ShuffleTest() : world(tiered_config({{an_option("gang")}, {an_option("pdb")}}, {"shuffle"})) {
    world.memory().behaviour = Behaviour::exact();
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("8")).add(a_pod_group("job"));
    world.add(running("a")).add(running("b").annotation("volcano.sh/preemptable", "false"));
    world.add(running("bound").phase("Pending")).add(running("leaving").terminating());
    world.add(a_volcano_pod("waiting").group("job").cpu("1").label("app", "x"));
  }
  Names shuffled() {
    shuffle(world.open());
    return world.evicted();
  }
  VolcanoWorld world;
};

TEST_F(ShuffleTest, EvictsWhomThePluginsName) {
  EXPECT_EQ(shuffled(), (Names{"a", "b"}));
  EXPECT_EQ(world.session().outbox().front().rule, "shuffle");
  EXPECT_EQ(world.session().books().pod(world.pod("a")).state, PodState::kReleasing);
  EXPECT_TRUE(world.cluster().books().check_sums());
}

TEST_F(ShuffleTest, WhenSafeItLeavesAloneWhatMustNotBeInterrupted) {
  world.memory().behaviour = Behaviour::safe();
  EXPECT_EQ(shuffled(), Names{"a"});
}

TEST_F(ShuffleTest, TheFirstTierThatNamesAnybodyDecides) {
  world.config() = tiered_config({{an_option("tdm")}, {an_option("pdb")}}, {"shuffle"});
  EXPECT_EQ(shuffled(), (Names{"a", "b"}));  // tdm has nobody to name
}

TEST_F(ShuffleTest, ASwitchTurnsAPluginOff) {
  auto pdb = an_option("pdb");
  pdb.set(Hook::kVictim, false);
  world.config() = a_config({pdb}, {"shuffle"});
  EXPECT_EQ(shuffled(), Names());
}

TEST_F(ShuffleTest, PodsWithoutAJobStay) {
  world.add(a_volcano_pod("orphan").group("nowhere").cpu("1").on("n1").label("app", "o"));
  EXPECT_EQ(shuffled(), (Names{"a", "b"}));
}

}  // namespace
}  // namespace muster::volcano
