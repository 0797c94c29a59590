// Whether what is kept between jobs is what would be found out anew for each of them.

#include "policy/volcano/actions/victim_stock.h"

#include <gtest/gtest.h>
#include <random>

#include "policy/volcano/statement.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

using Kind = GangDemand::Kind;
constexpr std::size_t kTold = 16;

class VictimStockTest : public testing::Test {
 protected:
  VictimStockTest()
      : world(a_config({an_option("priority"), an_option("gang"), an_option("conformance"), an_option("predicates")})) {
    world.memory().behaviour = Behaviour::safe();
    for (const char* queue : {"own", "lend", "rent"}) world.add(a_volcano_queue(queue));
    for (int n = 0; n < 6; ++n) world.add(a_volcano_node("n" + std::to_string(n)).cpu(n % 2 == 0 ? "8" : "6"));
    world.add(a_pod_group("mine").queue("own").phase("Inqueue")).add(a_volcano_pod("mine").group("mine").cpu("2"));
    for (int j = 0; j < 9; ++j) {
      const auto job = "job" + std::to_string(j);
      const int pods = j % 4 + 1;
      world.add(a_pod_group(job).queue(j % 3 == 0 ? "lend" : "rent").minimum(j % 2 == 0 ? pods : 1).phase("Running"));
      for (int p = 0; p < pods; ++p) {
        running.push_back(job + "-" + std::to_string(p));
        world.add(a_volcano_pod(running.back()).group(job).cpu(j % 3 == 0 ? "2" : "1").on("n" + std::to_string((j + 2 * p) % 6)));
      }
    }
    world.open();
  }
  GangDemand demand() { return {Kind::kReclaim, world.job("mine").id}; }
  using Told = std::vector<std::pair<VictimBundle::Kind, std::vector<std::string>>>;
  Told told(const std::vector<VictimBundle>& bundles) {
    Told all;
    for (const auto& bundle : bundles) all.emplace_back(bundle.kind, world.names(bundle.pods));
    if (all.size() > kTold) all.resize(kTold);
    return all;
  }
  Told found_anew() {
    auto& session = world.session();
    GangVictims victims(session, demand(), GangVictims::Gangs::kMayGo);
    const auto candidates = victims.on(session.hyper_tree().nodes(HyperTree::root()));
    const std::vector<PodId> pods = {world.pod("mine")};
    const GangRoom room(session, pods, HyperTree::root(), candidates, GangRoom::Helps::kWhereTheyMayGo);
    return told(victims.bundle(candidates, session.books().shape_of(pods.front()).request, &room).all);
  }

  VolcanoWorld world;
  std::vector<std::string> running;
};

TEST_F(VictimStockTest, TellsWhatWouldBeFoundAnewWhateverHappens) {
  auto& session = world.session();
  ASSERT_TRUE(VictimStock::can_be_kept(session));
  VictimStock stock(session, demand(), GangVictims::Gangs::kMayGo, world.pod("mine"), HyperTree::root());
  std::mt19937 random(7);
  std::vector<Statement> done;
  std::size_t most = 0;
  for (int step = 0; step < 300; ++step) {
    ASSERT_TRUE(stock.follow(world.pod("mine")));
    const auto first = stock.first(demand());
    ASSERT_TRUE(first);
    const auto told_now = told(first->bundles);
    ASSERT_EQ(told_now, found_anew()) << "step " << step;
    most = std::max(most, told_now.size());
    if (!done.empty() && random() % 3 == 0) {
      done.back().discard();
      done.pop_back();
      continue;
    }
    const auto pod = world.pod(running[random() % running.size()]);
    if (session.books().pod(pod).state != PodState::kRunning) continue;
    done.emplace_back(session);
    done.back().evict(pod, "gangreclaim", {world.job("mine").id, PodId()});
  }
  EXPECT_GT(most, 3u);
  while (!done.empty()) done.back().discard(), done.pop_back();
}

TEST_F(VictimStockTest, KnowsWhetherThereCouldBeEnough) {
  VictimStock stock(world.session(), demand(), GangVictims::Gangs::kMayGo, world.pod("mine"), HyperTree::root());
  ASSERT_TRUE(stock.follow(world.pod("mine")));
  Amounts need;
  need.set(kCpu, 42'000);
  EXPECT_TRUE(stock.could_have(need));
  need.set(kCpu, 42'001);
  EXPECT_FALSE(stock.could_have(need));
}

// Nothing is kept where what is tried leaves traces.
TEST_F(VictimStockTest, TheOriginalsBehaviourDoesWithout) {
  world.memory().behaviour = Behaviour::exact();
  world.open();
  EXPECT_FALSE(VictimStock::can_be_kept(world.session()));
}

}  // namespace
}  // namespace muster::volcano
