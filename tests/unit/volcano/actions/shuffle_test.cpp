#include "policy/volcano/actions/shuffle.h"

#include <gtest/gtest.h>

#include "support/fresh_world.h"

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

TEST_F(ShuffleTest, WhenSafeABudgetIsNoReasonToGo) {
  world.memory().behaviour = Behaviour::safe();
  EXPECT_EQ(shuffled(), Names());
}

TEST_F(ShuffleTest, WhenSafeItLeavesAloneWhatMustNotBeInterrupted) {
  world.memory().behaviour = Behaviour::safe().with(Quirk::kPdbNamesAll);
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

// A zone whose hours are over is to be emptied. When safe, that is no reason to harm anybody.
class ZoneShuffle : public testing::Test {
 protected:
  ZoneShuffle()
      : world(tiered_config({{an_option("gang"), an_option("conformance"), an_option("cdp"), an_option("pdb")},
                             {an_option("tdm", {{"tdm.revocable-zone.night", value_of("20:00-23:00")}})}},
                            {"shuffle"})) {
    world.add(a_volcano_queue("default"));
    world.add(a_volcano_node("n1").cpu("99").label("volcano.sh/revocable-zone", "night")).add(a_volcano_node("n2").cpu("99"));
  }
  static VolcanoPodBuilder in_zone(const std::string& job, const std::string& name) {
    return a_volcano_pod(name).group(job).cpu("1").on("n1");
  }
  Names shuffled(Behaviour behaviour) { return world.evicted_by(behaviour, shuffle); }
  FreshWorld world;
};

TEST_F(ZoneShuffle, ProtectedPodsStay) {
  for (const auto* job : {"free", "cool", "kept", "fixed"}) world.add(a_pod_group(job).minimum(0));
  world.add(in_zone("free", "free-0"));
  world.add(in_zone("cool", "cool-0").annotation("volcano.sh/cooldown-time", "9h").scheduled({1'767'225'600, 0}));
  world.add(in_zone("kept", "kept-0").label("app", "kept")).add(a_budget("kept").selects("app", "kept").allows(0));
  world.add(in_zone("fixed", "fixed-0").annotation("volcano.sh/preemptable", "false"));
  EXPECT_EQ(shuffled(Behaviour::safe()), Names{"free-0"});
  EXPECT_EQ(shuffled(Behaviour::safe().with(Quirk::kShuffleUnasked)), (Names{"cool-0", "free-0", "kept-0"}));
}

TEST_F(ZoneShuffle, AGangLosesWhatItCanDoWithoutOrGoesAsAWhole) {
  const auto all = [](PodGroupBuilder group) { return group.annotation("volcano.sh/jdb-max-unavailable", "100%"); };
  world.add(a_pod_group("gang").minimum(2)).add(in_zone("gang", "gang-0")).add(in_zone("gang", "gang-1"));
  world.add(a_pod_group("elastic").minimum(1)).add(in_zone("elastic", "elastic-0")).add(in_zone("elastic", "elastic-1"));
  world.add(all(a_pod_group("whole").minimum(2))).add(in_zone("whole", "whole-0")).add(in_zone("whole", "whole-1"));
  world.add(all(a_pod_group("half").minimum(2))).add(in_zone("half", "half-0"));
  world.add(a_volcano_pod("half-1").group("half").cpu("1").on("n2"));
  EXPECT_EQ(shuffled(Behaviour::safe()), (Names{"elastic-0", "whole-0", "whole-1"}));
  EXPECT_EQ(shuffled(Behaviour::safe().with(Quirk::kShuffleUnasked)),
            (Names{"elastic-0", "gang-0", "half-0", "whole-0", "whole-1"}));
}

}  // namespace
}  // namespace muster::volcano
