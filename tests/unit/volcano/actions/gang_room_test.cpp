// Where room is made for a gang, and how much: nobody goes from where it does not help, or for pods that the gang can do without.

#include <gtest/gtest.h>

#include "policy/volcano/actions/gang_evict.h"
#include "policy/volcano/actions/gang_minimum.h"
#include "policy/volcano/actions/reclaim.h"
#include "support/fresh_world.h"
#include "support/priority_class.h"

namespace muster::volcano {
namespace {

using Names = std::vector<std::string>;

// Elastic jobs of the queue "lend" hold what the queue "own" deserves.
class GangRoomTest : public testing::Test {
 protected:
  GangRoomTest() : world(config()) {}

  static Config config() {
    return a_config(
        {an_option("priority"), an_option("gang"), an_option("capacity"), an_option("conformance"), an_option("predicates")},
        {"reclaim", "gangreclaim"});
  }
  void queues(const char* lent, const char* owned) {
    world.add(a_volcano_queue("lend").deserves("nvidia.com/gpu", lent));
    world.add(a_volcano_queue("own").deserves("nvidia.com/gpu", owned));
  }
  void nodes(std::initializer_list<const char*> names, const char* gpus = "8") {
    for (const auto* name : names) world.add(a_volcano_node(name).cpu("32").gpu(gpus).label("n", name));
  }
  void lent(const std::string& job, int minimum, std::initializer_list<const char*> on, const char* gpus = "8") {
    world.add(a_pod_group(job).queue("lend").minimum(minimum).phase("Running"));
    int index = 0;
    for (const auto* node : on)
      world.add(a_volcano_pod(job + "-" + std::to_string(index++)).group(job).cpu("1").gpu(gpus).on(node));
  }
  static VolcanoPodBuilder mine(int index, const char* gpus) {
    return a_volcano_pod("mine-" + std::to_string(index)).group("mine").cpu("1").gpu(gpus);
  }
  void own(int minimum, const char* priority = "") {
    world.add(a_pod_group("mine").queue("own").minimum(minimum).priority_class(priority).phase("Inqueue"));
  }

  Names gone(void (*action)(Session&), Behaviour behaviour = Behaviour::safe()) { return world.evicted_by(behaviour, action); }
  static Behaviour wasteful() { return Behaviour::safe().with(Quirk::kNeedlessVictims); }

  FreshWorld world;
};

// ------------------------------------------------------------------------------------------------------- where

TEST_F(GangRoomTest, OfASurplusThoseGoWhoAreInTheWay) {
  queues("2", "16"), nodes({"n0", "n1"}), lent("elastic", 1, {"n0", "n1"}), own(1);
  world.add(mine(0, "8").select("n", "n1"));
  EXPECT_EQ(gone(gang_reclaim), Names{"elastic-1"});
  EXPECT_EQ(gone(gang_reclaim, wasteful()), (Names{"elastic-0", "elastic-1"}));
}

// The lender may lose one of two pods: it is not lost where nobody can use it.
TEST_F(GangRoomTest, ALimitIsNotUsedUpWhereItDoesNotHelp) {
  queues("8", "8"), nodes({"n0", "n1"}), lent("elastic", 1, {"n0", "n1"}), own(1);
  world.add(mine(0, "8").select("n", "n1"));
  EXPECT_EQ(gone(gang_reclaim), Names{"elastic-1"});
  EXPECT_EQ(gone(gang_reclaim, wasteful()), Names{});
}

// Job by job the limit of two pods would be spent on two nodes, on neither of which there is room then.
TEST_F(GangRoomTest, ALimitIsSpentNodeByNodeIfNeedBe) {
  queues("8", "8"), nodes({"n0", "n1"}), own(1);
  lent("a", 0, {"n0", "n1"}, "4"), lent("b", 0, {"n0", "n1"}, "4");
  world.add(mine(0, "8"));
  const auto victims = gone(gang_reclaim);
  EXPECT_TRUE(victims == (Names{"a-0", "b-0"}) || victims == (Names{"a-1", "b-1"})) << testing::PrintToString(victims);
}

TEST_F(GangRoomTest, ASmallNodeIsNoHelp) {
  queues("2", "16"), own(1);
  world.add(a_volcano_node("n0").cpu("2").gpu("8")), nodes({"n1"});
  lent("elastic", 1, {"n0", "n1"});
  world.add(a_volcano_pod("mine-0").group("mine").cpu("16").gpu("8"));
  EXPECT_EQ(gone(gang_reclaim), Names{"elastic-1"});
}

// What a queue may hold at most is freed wherever its pods are; only as much of it as is needed.
TEST_F(GangRoomTest, RoomInTheQueueIsMadeAnywhere) {
  world.add_object(a_priority_class("high", 100)).add(a_volcano_queue("own").at_most("nvidia.com/gpu", "8"));
  nodes({"n0", "n1"}), own(1, "high");
  world.add(a_pod_group("low").queue("own").minimum(0).phase("Running"));
  for (const auto* name : {"low-0", "low-1"}) world.add(a_volcano_pod(name).group("low").cpu("1").gpu("4").on("n0"));
  world.add(mine(0, "4").select("n", "n1"));
  EXPECT_EQ(gone(gang_preempt).size(), 1u);
}

// ---------------------------------------------------------------------------------------------------- how much

TEST_F(GangRoomTest, RoomIsMadeForTheMinimum) {
  queues("1", "8"), nodes({"n0"}), own(2);
  lent("elastic", 1, {"n0", "n0", "n0", "n0", "n0", "n0", "n0", "n0"}, "1");
  for (int i = 0; i < 4; ++i) world.add(mine(i, "1"));
  EXPECT_EQ(gone(gang_reclaim).size(), 2u);
  EXPECT_EQ(gone(gang_reclaim, wasteful()).size(), 7u);  // all that the lender can do without, as one bundle
}

TEST_F(GangRoomTest, TheMinimumHasToBeWithinWhatTheQueueDeserves) {
  queues("1", "2"), nodes({"n0"}), own(1);
  lent("elastic", 1, {"n0", "n0", "n0", "n0", "n0", "n0", "n0", "n0"}, "1");
  for (int i = 0; i < 4; ++i) world.add(mine(i, "1"));
  EXPECT_EQ(gone(gang_reclaim).size(), 1u);
  EXPECT_EQ(gone(gang_reclaim, wasteful()), Names{});
}

class FewestTest : public GangRoomTest {
 protected:
  std::optional<Names> fewest() {
    auto& then = world.after(Behaviour::safe());
    const auto pods = fewest_to_run(then.session(), then.job("mine"));
    return pods ? std::optional(then.names(*pods)) : std::nullopt;
  }
};

TEST_F(FewestTest, RolesThatLackPodsComeFirst) {
  queues("1", "8"), nodes({"n0"});
  world.add(a_pod_group("mine").queue("own").minimum(2).role_minimum("ps", 1).role_minimum("worker", 1).phase("Inqueue"));
  for (int i = 0; i < 3; ++i) world.add(mine(i, "1").role("worker"));
  world.add(mine(3, "1").role("ps"));
  EXPECT_EQ(fewest(), (Names{"mine-0", "mine-3"}));
}

TEST_F(FewestTest, PodsThatRunCount) {
  queues("1", "8"), nodes({"n0"}), own(3);
  world.add(mine(0, "1").on("n0"));
  for (int i = 1; i < 5; ++i) world.add(mine(i, "1"));
  EXPECT_EQ(fewest(), (Names{"mine-1", "mine-2"}));
}

TEST_F(FewestTest, SubGroupsAreTakenWholeAndAsManyAsAreNeeded) {
  queues("1", "8"), nodes({"n0"});
  world.add(a_pod_group("mine").queue("own").minimum(2).sub_groups("slices", "slice", 2, 1).phase("Inqueue"));
  for (int i = 0; i < 6; ++i) world.add(mine(i, "1").label("slice", std::to_string(i / 2)));
  EXPECT_EQ(fewest(), (Names{"mine-0", "mine-1"}));
}

TEST_F(FewestTest, WhereGangDoesNotSayWhoStarvesNobodyCanTell) {
  auto gang = an_option("gang");
  gang.set(Hook::kJobStarving, false);
  world.config = a_config({an_option("priority"), gang, an_option("capacity"), an_option("predicates")}, {"gangreclaim"});
  queues("1", "8"), nodes({"n0"}), own(1);
  for (int i = 0; i < 2; ++i) world.add(mine(i, "1"));
  EXPECT_FALSE(fewest().has_value());
}

// ------------------------------------------------------------------------------------------------- pod by pod

// Reclaim comes to the small node first, and then finds room for all of the gang on the next.
TEST_F(GangRoomTest, ReclaimLeavesANodeThatItCanDoWithout) {
  queues("1", "16"), own(6);
  world.add(a_volcano_node("n0").cpu("4").gpu("8")), nodes({"n1", "n2"});
  lent("elastic", 1, {"n0", "n1", "n2"});
  for (int i = 0; i < 6; ++i) world.add(mine(i, "1"));
  const auto victims = gone(reclaim);
  EXPECT_EQ(victims.size(), 1u) << testing::PrintToString(victims);
  EXPECT_EQ(std::count(victims.begin(), victims.end(), "elastic-0"), 0);
  EXPECT_EQ(gone(reclaim, wasteful()).size(), 2u);
}

}  // namespace
}  // namespace muster::volcano
