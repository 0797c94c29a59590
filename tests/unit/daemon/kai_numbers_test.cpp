#include "daemon/kai_numbers.h"

#include <gtest/gtest.h>

#include "support/kai_world.h"

namespace muster::daemon {
namespace {

// Shows a cycle to the numbers, as a cluster does.
class Shown final : public kai::CycleObserver {
 public:
  explicit Shown(KaiNumbers& numbers) : numbers_(numbers) {}
  void closed(kai::Session& session) override {
    CycleOutcome outcome;
    outcome.total_micros = 12'345;
    outcome.micros = {{"open", 2'000}, {"allocate", 7'999}, {"close", 1'000}};
    numbers_.on_cycle(session, outcome);
  }

 private:
  KaiNumbers& numbers_;
};

std::string text_after(kai::KaiWorld& world, KaiNumbers& numbers, metrics::Registry& registry) {
  auto cluster = std::make_unique<kai::Cluster>();
  for (const auto& object : world.objects()) cluster->apply(object);
  kai::Scheduler scheduler(std::move(cluster), kai::default_config(), SearchKind::kIndex);
  Shown observer(numbers);
  scheduler.run_cycle(kai::KaiWorld::kNow, observer);
  return registry.text();
}

TEST(KaiNumbers, TellOfACycle) {
  kai::KaiWorld world;
  world.node("n1", 2);
  world.job({.name = "low", .pods = 2, .minimum = 1, .nodes = {"n1", "n1"}});
  world.job({.name = "high", .priority = "high"});
  metrics::Registry registry;
  KaiNumbers numbers;
  numbers.show_in(registry, "kai");
  const auto text = text_after(world, numbers, registry);
  for (const auto* line : {
           "kai_e2e_scheduling_latency_milliseconds 12\n",
           "kai_open_session_latency_milliseconds 2\n",
           "kai_action_scheduling_latency_milliseconds{action=\"allocate\"} 7\n",
           "kai_total_preemption_attempts 1\n",
           "kai_podgroups_scheduled_by_action{action=\"preempt\"} 1\n",
           "kai_podgroups_acted_on_by_action{action=\"allocate\"} 1\n",
           "kai_podgroups_acted_on_by_action{action=\"preempt\"} 1\n",
           "\nkai_scenarios_simulation_by_action{action=\"preempt\"} ",
           "kai_pod_group_evicted_pods_total{action=\"preempt\",namespace=\"ns\",nodepool=\"default\",podgroup=\"low\",uid=\"\"} "
           "1\n",
           "kai_queue_fair_share_gpu{queue_display_name=\"\",queue_metadata_name=\"q\",queue_name=\"q\"} ",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(KaiNumbers, PodsThatGotANodeHaveWaited) {
  kai::KaiWorld world;
  world.node("n1", 1);
  world.job({.name = "a"});
  metrics::Registry registry;
  KaiNumbers numbers;
  numbers.show_in(registry, "other");
  const auto text = text_after(world, numbers, registry);
  EXPECT_NE(text.find("other_task_scheduling_latency_milliseconds_sum 500000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("other_podgroups_scheduled_by_action{action=\"allocate\"} 1\n"), std::string::npos) << text;
}

TEST(KaiNumbers, TimesInWholeMilliseconds) {
  metrics::Registry registry;
  KaiNumbers numbers;
  numbers.show_in(registry, "kai");
  EXPECT_EQ(registry.text().find("kai_usage_query_latency_milliseconds"), std::string::npos) << "nobody was asked yet";
  numbers.on_plugin("proportion", kai::CycleObserver::PluginTurn::kOpen, 2'999);
  numbers.on_plugin("proportion", kai::CycleObserver::PluginTurn::kOpen, 1'999);
  numbers.on_bind_taken(std::chrono::microseconds(7'500));
  numbers.on_usage_answer(std::chrono::milliseconds(12));
  const auto text = registry.text();
  for (const auto* line : {
           "kai_plugin_scheduling_latency_milliseconds{OnSession=\"OnSessionOpen\",plugin=\"proportion\"} 1\n",
           "kai_task_bind_latency_milliseconds_sum 7\n",
           "kai_usage_query_latency_milliseconds_sum 12\n",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(KaiNumbers, NobodyHasToLook) {
  kai::KaiWorld world;
  world.node("n1", 1);
  metrics::Registry registry;
  KaiNumbers numbers;
  EXPECT_EQ(text_after(world, numbers, registry), "");
  numbers.on_group_gone("u1");
  numbers.on_bind_taken({});
  numbers.on_usage_answer({});
}

}  // namespace
}  // namespace muster::daemon
