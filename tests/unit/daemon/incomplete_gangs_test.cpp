#include "daemon/incomplete_gangs.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

const kube::Instant kStart{1h};

// A gang, ns/g, that needs four pods, if a test says nothing else. Who is on a node, as far as the cluster knows, counts.
class IncompleteGangsTest : public testing::Test {
 protected:
  static kube::Identity id(const std::string& name) { return {"ns", name, "u-" + name, ""}; }
  static Bind bind(const std::string& name) { return {id(name), "n1", {}, "ns/g"}; }
  void begin(const std::vector<std::string>& names) {
    std::vector<Bind> binds;
    for (const auto& name : names) {
      binds.push_back(bind(name));
      on_nodes_.insert("u-" + name);
    }
    gangs_.begin(binds);
  }
  // The server refuses the bind, and the cluster is told.
  bool refuse(const std::string& name, kube::Instant now) {
    const bool held_up = !gangs_.on_refused({{"ns/g", id(name), "the bind of ns/" + name + " was refused"}}, now).empty();
    on_nodes_.erase("u-" + name);
    return held_up;
  }
  // At kStart; a cycle sees it a second later.
  void begin_of_which_one_comes_to_nothing() {
    begin({"a", "b", "c", "d"});
    for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
    on_nodes_.erase("u-d");
    gangs_.on_not_bound("u-d", 1min);
    gangs_.settle(kStart + 1s);
  }
  void leave(const std::string& name) {
    gangs_.on_evicted({{.pod = id(name)}});
    on_nodes_.erase("u-" + name);
  }
  std::vector<std::string> due(kube::Instant now) {
    std::vector<std::string> names;
    for (const auto& gang : gangs_.due(now))
      for (const auto& pod : gang.pods) names.push_back(pod.name);
    return names;
  }

  std::set<std::string> on_nodes_;  // uids
  int needs_ = 4;
  int asked_ = 0;
  IncompleteGangs gangs_{5s,
                         {[this](const kube::Identity&, const std::set<std::string>& without) {
                            ++asked_;
                            return std::ranges::count_if(on_nodes_, [&](const auto& uid) { return !without.contains(uid); }) <
                                   needs_;
                          },
                          [this](const kube::Identity& pod) { return on_nodes_.contains(pod.uid); }}};
};

using Names = std::vector<std::string>;

TEST_F(IncompleteGangsTest, WhoWasBoundInVainLeavesAfterAWhile) {
  begin({"b", "a", "c", "d"});
  gangs_.on_bound("u-b", kStart);
  gangs_.on_bound("u-a", kStart);
  EXPECT_TRUE(refuse("d", kStart + 1s));
  gangs_.on_bound("u-c", kStart + 1s);
  EXPECT_EQ(gangs_.next(), kStart + 6s);
  EXPECT_TRUE(due(kStart + 5999ms).empty());
  const auto given_up = gangs_.due(kStart + 6s);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].gang, "ns/g");
  ASSERT_EQ(given_up[0].pods.size(), 3u) << "not the one that was refused";
  EXPECT_EQ(given_up[0].pods[0].name, "a");
  EXPECT_EQ(given_up[0].why, "its gang cannot be completed: the bind of ns/d was refused");
}

TEST_F(IncompleteGangsTest, AnotherRefusalGivesNoMoreTime) {
  needs_ = 2;
  begin({"a", "d"});
  gangs_.on_bound("u-a", kStart);
  refuse("d", kStart);
  begin({"d"});
  refuse("d", kStart + 3s);
  EXPECT_EQ(due(kStart + 5s), Names{"a"});
}

TEST_F(IncompleteGangsTest, AGangThatIsCompletedIsOver) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  refuse("d", kStart);
  begin({"d"});
  gangs_.on_bound("u-d", kStart + 1s);
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.size(), 0u);
  on_nodes_.erase("u-a");
  EXPECT_TRUE(due(kStart + 9s).empty()) << "what runs is not touched when it loses a pod later";
}

TEST_F(IncompleteGangsTest, AnotherPodMayTakeThePlaceOfTheRefusedOne) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  refuse("d", kStart);
  begin({"e"});
  gangs_.on_bound("u-e", kStart + 1s);
  EXPECT_TRUE(due(kStart + 5s).empty());
  gangs_.forget("u-d");
  EXPECT_EQ(gangs_.size(), 0u);
}

TEST_F(IncompleteGangsTest, WhatIsUnderWayIsWaitedFor) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  refuse("d", kStart);
  begin({"d"});
  EXPECT_TRUE(due(kStart + 5s).empty());
  EXPECT_EQ(gangs_.next(), std::nullopt) << "it was asked for";
  refuse("d", kStart + 5s);
  EXPECT_EQ(due(kStart + 5s), (Names{"a", "b", "c"}));
}

TEST_F(IncompleteGangsTest, AGangThatHasItsMinimumIsNotHeldUp) {
  on_nodes_ = {"u-1", "u-2", "u-3", "u-4"};
  begin({"a", "d"});
  gangs_.on_bound("u-a", kStart);
  EXPECT_FALSE(refuse("d", kStart));
  EXPECT_TRUE(due(kStart + 9s).empty());
}

TEST_F(IncompleteGangsTest, WhoHadANodeBeforeStays) {
  on_nodes_ = {"u-1", "u-2"};
  begin({"a", "d"});
  gangs_.on_bound("u-a", kStart);
  EXPECT_TRUE(refuse("d", kStart));
  EXPECT_EQ(due(kStart + 5s), Names{"a"});
}

TEST_F(IncompleteGangsTest, NobodyHoldsRoomWhenAllAreRefused) {
  needs_ = 2;
  begin({"a", "d"});
  refuse("a", kStart);
  refuse("d", kStart);
  EXPECT_EQ(gangs_.next(), std::nullopt);
  begin({"a", "d"});
  gangs_.on_bound("u-a", kStart + 7s);
  EXPECT_EQ(gangs_.next(), std::nullopt) << "what was refused then is not refused now";
  EXPECT_TRUE(due(kStart + 20s).empty());
  refuse("d", kStart + 20s);
  EXPECT_EQ(gangs_.next(), kStart + 25s) << "it has its own time";
}

TEST_F(IncompleteGangsTest, TheNextAttemptIsNotJudgedByTheLastOne) {
  begin({"a", "b", "c", "d"});
  gangs_.on_bound("u-a", kStart);
  refuse("d", kStart);
  leave("a");
  gangs_.forget("u-a");
  begin({"a2", "d"});
  gangs_.on_bound("u-a2", kStart + 60s);
  EXPECT_TRUE(due(kStart + 90s).empty()) << "nothing was refused in this one";
}

TEST_F(IncompleteGangsTest, WhatSomebodyElseMayHaveCompletedStays) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  refuse("d", kStart);
  gangs_.forget_all();
  EXPECT_EQ(gangs_.size(), 0u);
  EXPECT_EQ(gangs_.next(), std::nullopt);
  begin({"e"});
  refuse("e", kStart + 1h);
  EXPECT_TRUE(due(kStart + 2h).empty()) << "they have run for an hour, as far as anybody knows";
}

TEST_F(IncompleteGangsTest, WhoLeavesIsNotAskedAgainUnlessItStays) {
  needs_ = 3;
  begin({"a", "b", "d"});
  gangs_.on_bound("u-a", kStart);
  gangs_.on_bound("u-b", kStart);
  refuse("d", kStart);
  EXPECT_EQ(due(kStart + 5s), (Names{"a", "b"}));
  EXPECT_EQ(due(kStart + 6s), (Names{"a", "b"})) << "nobody has evicted them";
  leave("a");
  leave("b");
  EXPECT_TRUE(due(kStart + 7s).empty());
  gangs_.on_stays("u-b");
  on_nodes_.insert("u-b");
  EXPECT_EQ(due(kStart + 8s), Names{"b"});
  for (const auto* name : {"a", "b", "d"}) gangs_.forget(std::string("u-") + name);
  EXPECT_EQ(gangs_.size(), 0u);
}

TEST_F(IncompleteGangsTest, WhoRunsStaysWhateverIsRefusedLater) {
  begin({"a", "b", "c", "d", "e"});  // one more than are needed
  for (const auto* name : {"a", "b", "c", "d"}) gangs_.on_bound(std::string("u-") + name, kStart);
  EXPECT_FALSE(refuse("e", kStart)) << "it can do without";
  gangs_.settle(kStart + 1s);
  on_nodes_.erase("u-d");
  gangs_.forget("u-d");
  begin({"f"});
  EXPECT_TRUE(refuse("f", kStart + 1h));
  EXPECT_TRUE(due(kStart + 2h).empty()) << "they ran before this attempt";
}

TEST_F(IncompleteGangsTest, AGangIsCompleteWhenThePodsThatAreOpenGo) {
  begin({"a", "b", "c", "d", "e"});
  for (const auto* name : {"a", "b", "c", "d"}) gangs_.on_bound(std::string("u-") + name, kStart);
  on_nodes_.erase("u-e");
  gangs_.forget("u-e");
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.size(), 0u);
}

TEST_F(IncompleteGangsTest, WhoHasEndedOrIsOnItsWayOutIsNotAskedFor) {
  needs_ = 3;
  begin({"a", "b", "d"});
  gangs_.on_bound("u-a", kStart);
  gangs_.on_bound("u-b", kStart);
  refuse("d", kStart);
  on_nodes_.erase("u-a");  // it has failed
  EXPECT_EQ(due(kStart + 5s), Names{"b"});
  on_nodes_.erase("u-b");  // somebody else deletes it
  EXPECT_TRUE(due(kStart + 6s).empty());
}

TEST_F(IncompleteGangsTest, APodThatChangesItsGangLeavesNothingBehind) {
  begin({"a"});
  auto moved = bind("a");
  moved.group = "ns/other";
  gangs_.begin({moved});
  EXPECT_EQ(gangs_.size(), 1u);
  gangs_.forget("u-a");
  EXPECT_EQ(gangs_.size(), 0u);
}

TEST_F(IncompleteGangsTest, WhoCanRunWithoutTheRefusedOneIsStillToBeSent) {
  begin({"a", "b", "c", "d", "e"});
  EXPECT_FALSE(refuse("e", kStart)) << "the other four are enough, when they have their nodes";
  EXPECT_TRUE(refuse("d", kStart)) << "three are not";
  EXPECT_EQ(gangs_.next(), std::nullopt) << "nobody holds room yet";
}

TEST_F(IncompleteGangsTest, AGangThatLosesAPodBeforeItIsCompleteIsHeldUpToo) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  gangs_.on_lost(id("d"));  // with its node
  gangs_.forget("u-d");
  on_nodes_.erase("u-d");
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.next(), kStart + 6s);
  const auto given_up = gangs_.due(kStart + 6s);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].pods.size(), 3u);
  EXPECT_EQ(given_up[0].why, "its gang cannot be completed: ns/d was lost");
}

TEST_F(IncompleteGangsTest, WhatIsRefusedTogetherIsAskedAboutOnce) {
  begin({"a", "b", "c", "d"});
  gangs_.on_bound("u-a", kStart);
  const auto before = asked_;
  const auto held_up = gangs_.on_refused({{"ns/g", id("b"), "b"}, {"ns/g", id("c"), "c"}, {"ns/g", id("d"), "d"}}, kStart);
  EXPECT_EQ(held_up, (std::map<std::string, std::string>{{"ns/g", "b"}}));
  EXPECT_EQ(asked_ - before, 2) << "whether it is held up, and whether the rest is still to be sent";
}

// The server had too much to do, or did not answer. The pod is decided about anew, but the room may be somebody else's by then.
TEST_F(IncompleteGangsTest, AGangWhoseBindCameToNothingHasMoreTime) {
  begin_of_which_one_comes_to_nothing();
  EXPECT_EQ(gangs_.next(), kStart + 61s);
  EXPECT_TRUE(due(kStart + 60s).empty());
  gangs_.on_not_bound("u-d", 1min);
  gangs_.settle(kStart + 60s);
  const auto given_up = gangs_.due(kStart + 61s);
  ASSERT_EQ(given_up.size(), 1u) << "another attempt gives no more";
  EXPECT_EQ(given_up[0].pods.size(), 3u);
  EXPECT_EQ(given_up[0].why, "its gang cannot be completed: the bind of ns/d came to nothing");
}

TEST_F(IncompleteGangsTest, AGangWhoseBindCameToNothingIsNotHeldUpWhenTheNextOneCounts) {
  begin_of_which_one_comes_to_nothing();
  begin({"d"});
  EXPECT_EQ(gangs_.next(), std::nullopt) << "it is under way";
  EXPECT_TRUE(due(kStart + 61s).empty());
  on_nodes_.erase("u-d");
  gangs_.on_not_bound("u-d", 1min);
  gangs_.settle(kStart + 62s);
  EXPECT_EQ(gangs_.next(), kStart + 122s) << "the next time it has no place is another one";
  begin({"d"});
  gangs_.on_bound("u-d", kStart + 63s);
  EXPECT_EQ(gangs_.size(), 0u);
}

TEST_F(IncompleteGangsTest, WhatIsForGoodShortensTheTimeOfWhatMayPass) {
  begin_of_which_one_comes_to_nothing();
  begin({"d"});
  refuse("d", kStart + 2s);
  EXPECT_EQ(gangs_.next(), kStart + 7s);
}

TEST_F(IncompleteGangsTest, WhoTakesThePlaceOfALostPodCompletesTheGang) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  gangs_.on_lost(id("d"));
  gangs_.forget("u-d");
  on_nodes_.erase("u-d");
  begin({"e"});
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.next(), std::nullopt);
  gangs_.on_bound("u-e", kStart + 1s);
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.size(), 0u);
}

// In a cluster that has nothing to do no cycle looks at the gang between its last bind and the loss.
TEST_F(IncompleteGangsTest, AGangThatWasCompletedStaysWhenItLosesAPodLater) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c", "d"}) gangs_.on_bound(std::string("u-") + name, kStart);
  EXPECT_EQ(gangs_.size(), 0u) << "it is complete";
  gangs_.on_lost(id("d"));
  on_nodes_.erase("u-d");
  gangs_.settle(kStart + 1h);
  EXPECT_TRUE(due(kStart + 2h).empty());
}

// More than it needs: some of its binds are still open.
TEST_F(IncompleteGangsTest, AGangThatHadItsMinimumStaysWhenItLosesAPodLater) {
  begin({"a", "b", "c", "d", "e"});
  for (const auto* name : {"a", "b", "c", "d"}) gangs_.on_bound(std::string("u-") + name, kStart);
  gangs_.on_lost(id("d"));
  on_nodes_.erase("u-d");
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.next(), std::nullopt);
  EXPECT_TRUE(due(kStart + 1h).empty());
}

// Preempted, or moved.
TEST_F(IncompleteGangsTest, WhoLeavesBecauseWeWantItIsNotLost) {
  begin({"a", "b", "c", "d"});
  for (const auto* name : {"a", "b", "c"}) gangs_.on_bound(std::string("u-") + name, kStart);
  leave("c");
  gangs_.on_lost(id("c"));
  gangs_.settle(kStart + 1s);
  EXPECT_EQ(gangs_.next(), std::nullopt);
  EXPECT_TRUE(due(kStart + 1h).empty());
}

// Without the gang plugin, say.
TEST_F(IncompleteGangsTest, WhoWasDecidedWithoutItsGangIsLeftAlone) {
  begin({"a", "d"});
  gangs_.on_bound("u-a", kStart);
  EXPECT_FALSE(refuse("d", kStart));
  gangs_.on_lost(id("d"));
  gangs_.settle(kStart + 1s);
  EXPECT_TRUE(due(kStart + 1h).empty());
}

TEST_F(IncompleteGangsTest, WithoutPatienceNothingIsEverGivenUp) {
  IncompleteGangs gangs(0s, {[](const auto&, const auto& without) { return !without.empty(); }, [](const auto&) { return true; }});
  gangs.begin({bind("a"), bind("d")});
  gangs.on_bound("u-a", kStart);
  EXPECT_TRUE(gangs.on_refused({{"ns/g", id("d"), "no"}}, kStart).empty());
  gangs.on_not_bound("u-d", 1min);
  EXPECT_TRUE(gangs.due(kStart + 1h).empty());
}

TEST(TellWhy, OnlyOfWhatTheRuleHasEvicted) {
  Effects effects;
  effects.evictions = {{.pod = {"ns", "a", "u-a", ""}, .group = "ns/g", .rule = "incomplete-gang"},
                       {.pod = {"ns", "b", "u-b", ""}, .group = "ns/g", .rule = "preempt"}};
  effects.evictions[0].told.push_back(
      {.about = {"ns", "a", "u-a", ""}, .type = "Warning", .reason = "Evict", .action = "Evict", .note = "evicted"});
  tell_why({{"ns/g", {}, "so it is"}}, effects);
  EXPECT_EQ(effects.evictions[0].why, "so it is");
  EXPECT_EQ(effects.evictions[1].why, "");
  EXPECT_EQ(effects.evictions[0].told.at(0).note, "evicted: so it is");
}

}  // namespace
}  // namespace muster::daemon
