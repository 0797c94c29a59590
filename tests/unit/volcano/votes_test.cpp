// How a session combines what its plugins say: orders, votes, switches, tiers.

#include <gtest/gtest.h>

#include "support/priority_class.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

// Two jobs: "old" waits longer, "high" has the higher priority; the queue of "old" is full, that of "high" is not.
class VotesTest : public testing::Test {
 protected:
  void open(Config config) {
    world.emplace(std::move(config));
    world->cluster().apply(a_priority_class("high", 10));
    world->add(a_volcano_queue("default").created(5)).add(a_volcano_queue("other").created(7));
    world->add(a_volcano_node("n1").cpu("8").memory("8Gi"));
    world->add(a_pod_group("old").created(1).needs("cpu", "100").phase("Pending"));
    world->add(a_pod_group("high").created(2).priority_class("high").queue("other").phase("Pending"));
    for (const char* job : {"old", "high"}) world->add(a_volcano_pod(std::string(job) + "-w-0").group(job).cpu("1"));
    world->open();
  }
  bool old_first() { return world->session().job_before(world->job("old").id, world->job("high").id); }
  bool enqueueable(const std::string& job) { return world->session().job_enqueueable(world->job(job)); }

  std::optional<VolcanoWorld> world;
};

PluginOption without(const std::string& plugin, Hook hook) {
  auto option = an_option(plugin);
  option.set(hook, false);
  return option;
}

TEST_F(VotesTest, WithoutPluginsAgeDecides) {
  open(a_config({}));
  EXPECT_TRUE(old_first());
  EXPECT_FALSE(world->session().job_before(world->job("high").id, world->job("old").id));
  EXPECT_TRUE(world->session().queue_before(world->queue("default"), world->queue("other")));
}

TEST_F(VotesTest, TheFirstPluginThatTellsTwoApartDecides) {
  open(a_config({an_option("gang"), an_option("priority")}));
  EXPECT_FALSE(old_first());  // gang sees two that are not ready; priority decides
}

TEST_F(VotesTest, ASwitchThatIsOffSilencesThatPointOnly) {
  open(a_config({without("priority", Hook::kJobOrder)}));
  EXPECT_TRUE(old_first());
  EXPECT_EQ(world->session().chain(Point::kTaskOrder).size(), 1u);
}

TEST_F(VotesTest, WithoutVotersEverybodyIsLetIn) {
  open(a_config({an_option("gang")}));
  EXPECT_TRUE(enqueueable("old"));
}

TEST_F(VotesTest, ARejectDecidesAtOnce) {
  open(tiered_config({{an_option("resourcequota")}, {an_option("overcommit")}}));
  EXPECT_TRUE(enqueueable("old"));  // resourcequota permits, and a permit ends its tier
  open(tiered_config({{an_option("resourcequota"), an_option("overcommit")}}));
  EXPECT_FALSE(enqueueable("old"));  // in one tier the reject is heard
  EXPECT_TRUE(enqueueable("high"));
}

TEST_F(VotesTest, AnAbstentionLeavesItToTheNextTier) {
  open(tiered_config({{an_option("sla")}, {an_option("overcommit")}}));
  EXPECT_FALSE(enqueueable("old"));
  open(tiered_config({{an_option("sla", {{"sla-waiting-time", value_of("1s")}})}, {an_option("overcommit")}}));
  EXPECT_TRUE(enqueueable("old"));  // overdue: sla permits before overcommit is asked
}

TEST_F(VotesTest, ReadinessNeedsEveryPlugin) {
  open(a_config({}));
  EXPECT_TRUE(world->session().job_ready(world->job("old")));
  open(a_config({an_option("gang")}));
  EXPECT_FALSE(world->session().job_ready(world->job("old")));
  open(a_config({without("gang", Hook::kJobReady)}));
  EXPECT_TRUE(world->session().job_ready(world->job("old")));
}

TEST_F(VotesTest, OfAPluginListedTwiceTheLaterOneAnswersForBoth) {
  open(a_config({an_option("overcommit", {{"overcommit-factor", value_of(1.0)}}),
                 an_option("overcommit", {{"overcommit-factor", value_of(100.0)}})}));
  EXPECT_TRUE(enqueueable("old"));
  EXPECT_EQ(world->session().chain(Point::kJobEnqueueable).size(), 2u);
}

// ------------------------------------------------------------------------------------------------- order of tasks

class TaskOrder : public testing::Test {
 protected:
  TaskOrder() : world(a_config({an_option("priority")})) { world.add(a_volcano_queue("default")).add(a_pod_group("job")); }
  bool before(const VolcanoPodBuilder& left, const VolcanoPodBuilder& right) {
    auto l = left, r = right;
    world.add(l.group("job")).add(r.group("job"));
    world.open();
    const auto l_id = world.pod(left.object().meta.name), r_id = world.pod(right.object().meta.name);
    EXPECT_NE(world.session().task_before(l_id, r_id), world.session().task_before(r_id, l_id));
    return world.session().task_before(l_id, r_id);
  }
  VolcanoWorld world;
};

TEST_F(TaskOrder, HigherPriorityFirst) {
  EXPECT_TRUE(before(a_volcano_pod("j-w-9").priority(5), a_volcano_pod("j-w-1").priority(4)));
  EXPECT_TRUE(before(a_volcano_pod("k-w-9").annotation("volcano.sh/task-priority", "7"), a_volcano_pod("k-w-1").priority(4)));
  EXPECT_TRUE(before(a_volcano_pod("l-w-9"), a_volcano_pod("l-w-1").priority(0)));  // without one: 1
}

TEST_F(TaskOrder, ThenTheNumberInTheName) {
  EXPECT_TRUE(before(a_volcano_pod("j-w-2").created(9), a_volcano_pod("j-w-10").created(1)));
}

TEST_F(TaskOrder, ThenAgeWhereOneNameHasNoNumber) {
  EXPECT_TRUE(before(a_volcano_pod("j-w-x").created(1), a_volcano_pod("j-w-0").created(2)));
  EXPECT_TRUE(before(a_volcano_pod("single-1").created(1), a_volcano_pod("j-w-1").created(2)));  // one dash: no number
}

TEST_F(TaskOrder, ThenTheUid) { EXPECT_TRUE(before(a_volcano_pod("a"), a_volcano_pod("b"))); }

}  // namespace
}  // namespace muster::volcano
