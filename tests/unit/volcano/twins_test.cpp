// What is left of a pod's first copy when the original places it a second time.

#include "policy/volcano/twins.h"

#include <gtest/gtest.h>

#include "policy/volcano/statement.h"
#include "policy/volcano/status.h"
#include "support/books_snapshot.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class TwinsTest : public testing::Test {
 protected:
  TwinsTest() : world(a_config({an_option("gang"), an_option("predicates")})) {
    world.memory().behaviour = Behaviour::exact();
    world.add(a_volcano_queue("default")).add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4"));
    world.add(a_pod_group("job").phase("Inqueue")).add(a_volcano_pod("a").group("job").cpu("3"));
    world.open();
  }
  // As a gang action does whose plan makes the pod wait on the second node.
  void promise_second_node() {
    Statement statement(world.session());
    constexpr bool kEvictsOthers = true;
    ASSERT_TRUE(statement.pipeline(world.pod("a"), world.node("n2"), kEvictsOthers));
    statement.commit("gangpreempt");
    world.session().twins().make(world.pod("a"));
  }
  bool places(const std::string& node) {
    Statement statement(world.session());
    const bool placed = statement.allocate(world.pod("a"), world.node(node));
    world.session().keep(std::move(statement));
    return placed;
  }
  const PodRecord& pod() { return books().pod(world.pod("a")); }
  std::int64_t later(const std::string& node) { return books().free_later(kCpu, world.node(node)); }
  std::size_t seen_on(const std::string& node) { return books().pods_present(world.node(node)).size(); }
  const Books& books() { return world.session().books(); }

  VolcanoWorld world;
};

TEST_F(TwinsTest, WhatTheFirstCopyHeldStaysTakenAndSeen) {
  promise_second_node();
  EXPECT_TRUE(world.session().twins().has(world.pod("a")));
  ASSERT_TRUE(places("n1"));
  EXPECT_FALSE(world.session().twins().has(world.pod("a")));
  EXPECT_EQ(pod().node, world.node("n1"));
  EXPECT_EQ(later("n1"), 1000);
  EXPECT_EQ(later("n2"), 1000);
  EXPECT_EQ(seen_on("n1"), 1u);
  EXPECT_EQ(seen_on("n2"), 1u);
}

TEST_F(TwinsTest, OnTheNodeOfTheFirstCopyTheSecondIsRefusedAndTheRoomIsFree) {
  promise_second_node();
  EXPECT_FALSE(places("n2"));
  EXPECT_EQ(pod().state, PodState::kPending);
  EXPECT_EQ(later("n2"), 4000);
  EXPECT_EQ(seen_on("n2"), 1u);  // all the same
  EXPECT_TRUE(places("n2"));
  EXPECT_EQ(seen_on("n2"), 2u);
}

TEST_F(TwinsTest, TheFirstCopyIsInTheWayForAsLongAsItHoldsRoom) {
  promise_second_node();
  {
    Statement elsewhere(world.session());
    ASSERT_TRUE(elsewhere.allocate(world.pod("a"), world.node("n1")));
    elsewhere.discard();
  }
  EXPECT_EQ(later("n1"), 4000);
  EXPECT_EQ(later("n2"), 1000);
  EXPECT_FALSE(places("n2"));
  EXPECT_EQ(later("n2"), 4000);
  EXPECT_TRUE(places("n2"));
}

TEST_F(TwinsTest, ThePodCanBeDoubledAgain) {
  promise_second_node();
  EXPECT_FALSE(places("n2"));
  promise_second_node();
  ASSERT_TRUE(places("n1"));
  EXPECT_EQ(later("n2"), 1000);
  EXPECT_EQ(seen_on("n2"), 2u);
}

TEST_F(TwinsTest, NothingOutlivesTheCycle) {
  const auto before = snapshot_of(books()).ledgers;
  promise_second_node();
  ASSERT_TRUE(places("n1"));
  world.open();  // which closes the one before
  EXPECT_EQ(snapshot_of(books()).ledgers, before);
  EXPECT_TRUE(books().check_sums());
  EXPECT_FALSE(world.session().twins().any());
  EXPECT_EQ(books().live_pods(), 1u);
  world.add(a_volcano_pod("b").group("job").cpu("1"));  // an id that was given to a copy is given out again
  EXPECT_EQ(books().pod(world.pod("b")).name, "b");
}

// A nomination that a plan did not live up to is forgotten in the cycle. Writing the same one again changes nothing on the object.
TEST_F(TwinsTest, ANominationThatIsDroppedAndMadeAgainIsNotNew) {
  auto& task = world.session().cluster().task(world.pod("a"));
  task.nominated_node = "n2";
  task.nomination_dropped = true;
  EXPECT_EQ(task.nomination(), "");
  promise_second_node();
  world.session().attend(world.job("job").id);
  world.session().close();
  EXPECT_TRUE(world.session().writes().nominated.empty());
  ASSERT_EQ(world.session().writes().pod_conditions.size(), 1u);
  EXPECT_EQ(task.nomination(), "n2");
}

}  // namespace
}  // namespace muster::volcano
