#include "daemon/volcano_numbers.h"

#include <charconv>
#include <gtest/gtest.h>
#include <optional>

#include "daemon/volcano_cluster.h"
#include "support/volcano_builders.h"

namespace muster::daemon {
namespace {

using volcano::a_config;
using volcano::a_pod_group;
using volcano::a_volcano_node;
using volcano::a_volcano_pod;
using volcano::a_volcano_queue;
using volcano::an_option;

constexpr std::int64_t kNow = 1'767'225'600;

class SetClock final : public kube::Clock {
 public:
  kube::Instant now() const override { return {}; }
  Timestamp wall() const override { return {seconds, 0}; }
  std::int64_t seconds = kNow;
};

const kube::ResourceKind& kind_named(std::string_view name, kube::KindUse use = kube::KindUse::kCore) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name && kind.use == use) return kind;
  std::abort();
}

// Volcano's dialect on a small cluster, and what its metrics say.
class VolcanoNumbersTest : public testing::Test {
 protected:
  void start(volcano::Config config) {
    numbers_->show_in(registry_, clock_);
    cluster_ = std::make_unique<VolcanoCluster>(
        VolcanoSettings{.config = std::move(config), .behaviour = volcano::Behaviour::exact(), .options = {}, .numbers = numbers_});
    add(a_volcano_queue("root"));
    add(a_volcano_queue("default"));
  }
  void start_with(std::vector<std::string> plugins, std::vector<std::string> actions = {"enqueue", "allocate", "backfill"}) {
    std::vector<volcano::PluginOption> tier;
    for (auto& plugin : plugins) tier.push_back(an_option(std::move(plugin)));
    start(a_config(std::move(tier), std::move(actions)));
  }
  template <class Builder>
  void add(const Builder& builder) {
    cluster_->apply(Object(builder.object()));
  }
  CycleOutcome run() { return cluster_->run_cycle({kNow, 0}); }
  void group_goes(const std::string& name, const std::string& ns = "default") {
    cluster_->remove(kind_named("PodGroup", kube::KindUse::kVolcano), {ns, name, "uid-" + name, {}});
  }
  // The value of a series, "name{label="value"}"; none when there is none.
  std::optional<double> value(const std::string& series) const {
    const auto text = "\n" + registry_.text();
    const auto at = text.find("\n" + series + " ");
    if (at == std::string::npos) return std::nullopt;
    double out = 0;
    const auto* from = text.data() + at + series.size() + 2;
    std::from_chars(from, text.data() + text.size(), out);
    return out;
  }

  metrics::Registry registry_;
  SetClock clock_;
  std::shared_ptr<VolcanoNumbers> numbers_ = std::make_shared<VolcanoNumbers>();
  std::unique_ptr<VolcanoCluster> cluster_;
};

TEST_F(VolcanoNumbersTest, APodOnItsWay) {
  start_with({"gang", "predicates", "nodeorder"});
  add(a_volcano_node("n1").cpu("4"));
  add(a_volcano_node("n2").cpu("4"));
  add(a_pod_group("train").created(kNow - 100));
  const auto pod = a_volcano_pod("train-0").group("train").cpu("1").created(kNow - 2);
  add(pod);
  add(pod);  // changed, not new
  cluster_->settle();
  const std::string latency = "volcano_task_scheduling_latency_milliseconds";
  EXPECT_EQ(value(latency + "_count{stage=\"Watched\"}"), 1);
  EXPECT_EQ(value(latency + "_sum{stage=\"Watched\"}"), 2000);

  const auto binds = run().effects.binds;
  ASSERT_EQ(binds.size(), 1U);
  EXPECT_EQ(value(latency + "_count{stage=\"Assumed\"}"), 1);
  EXPECT_GE(value(latency + "_sum{stage=\"Assumed\"}"), 2000);
  EXPECT_EQ(value("volcano_scheduling_stage_duration_milliseconds_count{stage=\"Predicate\"}"), 1);
  EXPECT_EQ(value("volcano_scheduling_stage_duration_milliseconds_count{stage=\"Scoring\"}"), 1);
  EXPECT_EQ(value(latency + "_count{stage=\"Bound\"}"), std::nullopt);

  clock_.seconds += 1;
  EXPECT_EQ(value(latency + "_count{stage=\"PreBound\"}"), std::nullopt) << "there is nothing that it waits for";
  cluster_->on_prepared(binds.front(), std::chrono::milliseconds(700));
  EXPECT_EQ(value(latency + "_sum{stage=\"PreBound\"}"), 3000);
  EXPECT_EQ(value("volcano_scheduling_stage_duration_milliseconds_sum{stage=\"PreBind\"}"), 700);
  auto gone = binds.front();
  gone.pod.uid = "another";
  cluster_->on_prepared(gone, std::chrono::milliseconds(1));
  EXPECT_EQ(value(latency + "_count{stage=\"PreBound\"}"), 1);

  clock_.seconds += 2;
  cluster_->on_bind_taken(binds.front(), std::chrono::milliseconds(30));
  EXPECT_EQ(value(latency + "_sum{stage=\"Bound\"}"), 5000);
  EXPECT_EQ(value("volcano_scheduling_stage_duration_milliseconds_sum{stage=\"Bind\"}"), 30);
}

TEST_F(VolcanoNumbersTest, TimesOfCyclesActionsAndPlugins) {
  start_with({"gang", "drf"});
  cluster_->settle();
  run();
  const auto outcome = run();
  EXPECT_EQ(value("volcano_e2e_scheduling_latency_milliseconds_count"), 2);
  EXPECT_EQ(value("volcano_open_session_duration_milliseconds_count"), 2);
  EXPECT_EQ(value("volcano_action_scheduling_latency_milliseconds_count{action=\"allocate\"}"), 2);
  EXPECT_EQ(value("volcano_action_scheduling_latency_milliseconds_count{action=\"close\"}"), std::nullopt);
  EXPECT_EQ(value("volcano_plugin_scheduling_latency_milliseconds_count{OnSession=\"OnSessionOpen\",plugin=\"drf\"}"), 2);
  EXPECT_EQ(value("volcano_plugin_scheduling_latency_milliseconds_count{OnSession=\"OnSessionClose\",plugin=\"gang\"}"), 2);
  std::vector<std::string> parts;
  for (const auto& [part, micros] : outcome.micros) parts.push_back(part);
  EXPECT_EQ(parts, (std::vector<std::string>{"open", "enqueue", "allocate", "backfill", "close"}));
}

TEST_F(VolcanoNumbersTest, AGangThatWaitsAndThenStarts) {
  start_with({"gang", "predicates"});
  add(a_volcano_node("n1").cpu("4"));
  add(a_pod_group("train").minimum(3).created(kNow - 100));
  for (const auto* name : {"train-0", "train-1", "train-2"}) add(a_volcano_pod(name).group("train").cpu("2"));
  cluster_->settle();
  run();
  EXPECT_EQ(value("volcano_unschedule_task_count{job_id=\"train\"}"), 1) << "two had places";
  EXPECT_EQ(value("volcano_unschedule_job_count"), 1);
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), 1);
  const std::string labels = "{job_name=\"train\",job_namespace=\"default\",queue=\"default\"}";
  EXPECT_EQ(value("volcano_e2e_job_scheduling_start_time" + labels), kNow - 100);
  EXPECT_EQ(value("volcano_e2e_job_scheduling_duration" + labels), std::nullopt);
  run();
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), 2);
  EXPECT_EQ(value("volcano_unschedule_task_count{job_id=\"train\"}"), 1);

  add(a_volcano_node("n2").cpu("4"));
  EXPECT_EQ(run().effects.binds.size(), 3U);
  EXPECT_EQ(value("volcano_unschedule_task_count{job_id=\"train\"}"), 0);
  EXPECT_EQ(value("volcano_unschedule_job_count"), 0);
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), 2);
  EXPECT_EQ(value("volcano_e2e_job_scheduling_latency_milliseconds_count"), 1) << "one plan for the gang";
  EXPECT_GE(value("volcano_e2e_job_scheduling_duration" + labels), 100'000);
  EXPECT_GE(value("volcano_e2e_job_scheduling_last_time" + labels), kNow);

  group_goes("train");
  run();
  for (const auto* name : {"start_time", "duration", "last_time"})
    EXPECT_EQ(value("volcano_e2e_job_scheduling_" + std::string(name) + labels), std::nullopt) << name;
  EXPECT_EQ(value("volcano_unschedule_task_count{job_id=\"train\"}"), std::nullopt);
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), std::nullopt);
}

// A gang that lacks pods and has none to place is looked at only when something happens to it.
TEST_F(VolcanoNumbersTest, AGangThatLostAPodIsStillCounted) {
  start_with({"gang", "predicates"});
  add(a_volcano_node("n1").cpu("4"));
  add(a_pod_group("train").minimum(2).phase("Running"));
  add(a_volcano_pod("train-0").group("train").cpu("1").on("n1"));
  add(a_volcano_pod("train-1").group("train").cpu("1").on("n1").phase("Failed"));
  cluster_->settle();
  for (int cycle = 1; cycle <= 3; ++cycle) {
    run();
    EXPECT_EQ(value("volcano_unschedule_job_count"), 1) << cycle;
    EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), cycle);
  }
}

TEST_F(VolcanoNumbersTest, NamesakesShareWhatHasNoNamespace) {
  start_with({"gang", "drf", "predicates"});
  auto other = a_pod_group("train").object();
  other.meta.ns = "other";
  other.meta.uid = "uid-of-another";
  auto pod = a_volcano_pod("train-0").group("train").cpu("1").object();
  add(a_pod_group("train"));
  cluster_->apply(Object(pod));
  pod.meta.ns = "other";
  pod.meta.uid = "uid-of-the-other";
  cluster_->apply(Object(other));
  cluster_->apply(Object(pod));
  cluster_->settle();
  run();
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), 2) << "one each";
  group_goes("train", "other");
  run();
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), 3);
  EXPECT_EQ(value("volcano_job_share{job_id=\"train\",job_ns=\"other\"}"), std::nullopt);
  EXPECT_EQ(value("volcano_job_share{job_id=\"train\",job_ns=\"default\"}"), 0);
  group_goes("train");
  EXPECT_EQ(value("volcano_job_retry_counts{job_id=\"train\"}"), std::nullopt);
}

TEST_F(VolcanoNumbersTest, SharesOfJobsFollowTheCluster) {
  start_with({"gang", "drf", "predicates"});
  add(a_volcano_node("n1").cpu("8"));
  add(a_pod_group("train").phase("Running"));
  add(a_volcano_pod("train-0").group("train").cpu("2").on("n1"));
  cluster_->settle();
  run();
  EXPECT_EQ(value("volcano_job_share{job_id=\"train\",job_ns=\"default\"}"), 0.25);
  add(a_volcano_node("n2").cpu("8"));
  run();
  EXPECT_EQ(value("volcano_job_share{job_id=\"train\",job_ns=\"default\"}"), 0.125);
  group_goes("train");
  run();
  EXPECT_EQ(value("volcano_job_share{job_id=\"train\",job_ns=\"default\"}"), std::nullopt);
}

TEST_F(VolcanoNumbersTest, AJobThatMovesToAnotherQueueTakesItsSeriesAlong) {
  start_with({"gang"});
  add(a_volcano_queue("research"));
  add(a_pod_group("train").created(kNow - 9));
  cluster_->settle();
  run();
  add(a_pod_group("train").created(kNow - 9).queue("research"));
  run();
  const std::string begin = "volcano_e2e_job_scheduling_start_time{job_name=\"train\",job_namespace=\"default\",queue=\"";
  EXPECT_EQ(value(begin + "default\"}"), std::nullopt);
  EXPECT_EQ(value(begin + "research\"}"), kNow - 9);
}

// The example of the original's arithmetic: 10 CPUs, weights 1 and 3, requests of 2 and 20.
TEST_F(VolcanoNumbersTest, QueuesAsProportionSeesThem) {
  start_with({"gang", "predicates", "proportion"});
  add(a_volcano_node("n1").cpu("10").gpu("4"));
  add(a_volcano_queue("q1"));
  add(a_volcano_queue("q2").weight(3));
  add(a_volcano_queue("idle"));
  add(a_pod_group("one").queue("q1"));
  add(a_volcano_pod("one-0").group("one").cpu("2").gpu("1"));
  add(a_pod_group("two").queue("q2").needs("cpu", "3"));
  for (int i = 0; i < 20; ++i) add(a_volcano_pod("two-" + std::to_string(i)).group("two").cpu("1"));
  cluster_->settle();
  run();
  const auto of = [&](const std::string& name, const std::string& queue) {
    return value("volcano_queue_" + name + "{queue_name=\"" + queue + "\"}");
  };
  EXPECT_EQ(of("request_milli_cpu", "q1"), 2000);
  EXPECT_EQ(of("request_milli_cpu", "q2"), 20'000);
  EXPECT_EQ(of("deserved_milli_cpu", "q1"), 2000);
  EXPECT_EQ(of("deserved_milli_cpu", "q2"), 8000);
  EXPECT_EQ(of("inqueue_milli_cpu", "q2"), 3000);
  EXPECT_EQ(of("allocated_milli_cpu", "q1"), 2000);
  EXPECT_EQ(of("allocated_milli_cpu", "q2"), 8000);
  EXPECT_EQ(of("weight", "q2"), 3);
  EXPECT_EQ(of("share", "q2"), 1);
  EXPECT_EQ(of("overused", "q1"), 1);
  EXPECT_EQ(of("overused", "q2"), 0) << "of pods it deserves more than it has";
  EXPECT_EQ(value("volcano_queue_allocated_scalar_resources{queue_name=\"q1\",resource=\"nvidia.com/gpu\"}"), 1000);
  EXPECT_EQ(of("real_capacity_milli_cpu", "q1"), std::nullopt) << "that is capacity's to say";
  for (const auto* name : {"allocated", "request", "inqueue"}) EXPECT_EQ(of(std::string(name) + "_milli_cpu", "idle"), 0) << name;
  for (const auto* name : {"deserved_milli_cpu", "share", "weight", "overused"}) EXPECT_EQ(of(name, "idle"), std::nullopt) << name;

  group_goes("one");
  cluster_->remove(kind_named("Pod"), {"default", "one-0", "uid-one-0", {}});
  run();
  EXPECT_EQ(of("allocated_milli_cpu", "q1"), 0);
  EXPECT_EQ(value("volcano_queue_allocated_scalar_resources{queue_name=\"q1\",resource=\"nvidia.com/gpu\"}"), 0);
  EXPECT_EQ(of("share", "q1"), std::nullopt) << "of a queue without jobs nothing else is said";
  cluster_->remove(kind_named("Queue", kube::KindUse::kVolcano), {"", "q1", "uid-q1", {}});
  run();
  EXPECT_EQ(registry_.text().find("queue_name=\"q1\""), std::string::npos);
}

TEST_F(VolcanoNumbersTest, QueuesAsCapacitySeesThem) {
  start_with({"gang", "predicates", "capacity"});
  add(a_volcano_node("n1").cpu("10").memory("10Gi"));
  add(a_volcano_queue("busy").at_most("cpu", "6").deserves("cpu", "2").guaranteed("cpu", "1"));
  add(a_volcano_queue("idle").deserves("cpu", "3"));
  add(a_pod_group("one").queue("busy"));
  for (int i = 0; i < 4; ++i) add(a_volcano_pod("one-" + std::to_string(i)).group("one").cpu("1"));
  cluster_->settle();
  run();
  const auto of = [&](const std::string& name, const std::string& queue) {
    return value("volcano_queue_" + name + "{queue_name=\"" + queue + "\"}");
  };
  EXPECT_EQ(of("deserved_milli_cpu", "busy"), 2000);
  EXPECT_EQ(of("allocated_milli_cpu", "busy"), 4000);
  EXPECT_EQ(of("capacity_milli_cpu", "busy"), 6000);
  EXPECT_EQ(of("real_capacity_milli_cpu", "busy"), 6000);
  EXPECT_EQ(of("share", "busy"), 2);
  EXPECT_EQ(of("overused", "busy"), 1);
  EXPECT_EQ(of("weight", "busy"), std::nullopt) << "that is proportion's to say";
  EXPECT_EQ(of("deserved_milli_cpu", "idle"), 3000);
  EXPECT_EQ(of("allocated_milli_cpu", "idle"), 0);
  EXPECT_EQ(of("capacity_milli_cpu", "idle"), std::nullopt) << "it names no limit";
  EXPECT_EQ(of("real_capacity_milli_cpu", "idle"), 9000) << "what is not guaranteed to others";
  EXPECT_EQ(of("share", "idle"), std::nullopt);
}

TEST_F(VolcanoNumbersTest, LimitsInATreeOfQueues) {
  auto capacity = an_option("capacity");
  capacity.set(volcano::Hook::kHierarchy, true);
  start(a_config({an_option("gang"), capacity}));
  add(a_volcano_node("n1").cpu("10"));
  add(a_volcano_queue("team").at_most("cpu", "8"));
  add(a_volcano_queue("leaf").parent("team").at_most("memory", "1Gi"));
  cluster_->settle();
  run();
  EXPECT_EQ(value("volcano_queue_capacity_milli_cpu{queue_name=\"leaf\"}"), 8000) << "its parent's";
  EXPECT_EQ(value("volcano_queue_real_capacity_milli_cpu{queue_name=\"leaf\"}"), 8000);
  EXPECT_EQ(value("volcano_queue_capacity_memory_bytes{queue_name=\"leaf\"}"), 1024.0 * 1024 * 1024);
  EXPECT_EQ(value("volcano_queue_share{queue_name=\"leaf\"}"), 1) << "it deserves nothing";
}

TEST_F(VolcanoNumbersTest, WhatAnotherConfigurationDoesNotSayGoes) {
  start_with({"gang", "capacity"});
  add(a_volcano_node("n1").cpu("10"));
  cluster_->settle();
  run();
  EXPECT_EQ(value("volcano_queue_real_capacity_milli_cpu{queue_name=\"default\"}"), 10'000);
  ASSERT_TRUE(cluster_->reconfigure("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n", "conf"));
  run();
  EXPECT_EQ(registry_.text().find("queue_name=\"default\""), std::string::npos);
}

TEST_F(VolcanoNumbersTest, APreemption) {
  start_with({"priority", "gang", "conformance", "predicates", "nodeorder"}, {"allocate", "preempt"});
  PriorityClass high;
  high.meta.name = "high";
  high.value = 100;
  cluster_->apply(Object(high));
  add(a_volcano_node("n1").cpu("4"));
  add(a_pod_group("low").phase("Running"));
  for (const auto* name : {"low-0", "low-1"}) add(a_volcano_pod(name).group("low").cpu("2").on("n1"));
  add(a_pod_group("high").priority_class("high"));
  add(a_volcano_pod("high-0").group("high").cpu("2").priority(100));
  cluster_->settle();
  const auto outcome = run();
  ASSERT_EQ(outcome.effects.evictions.size(), 1U);
  EXPECT_EQ(outcome.requested_pods, 1U);
  EXPECT_EQ(value("volcano_total_preemption_attempts"), 1);
  EXPECT_EQ(value("volcano_pod_preemption_victims"), 1) << "the other one is the gang's minimum";
  EXPECT_EQ(value("volcano_eviction_transactions_total{action=\"preempt\"}"), 1);
  run();
  EXPECT_EQ(value("volcano_eviction_transactions_total{action=\"preempt\"}"), 1);
}

TEST_F(VolcanoNumbersTest, ANewClusterBeginsAnew) {
  start_with({"gang", "proportion"});
  add(a_pod_group("old"));
  cluster_->settle();
  run();
  cluster_ = std::make_unique<VolcanoCluster>(VolcanoSettings{.config = a_config({an_option("gang"), an_option("proportion")}),
                                                              .behaviour = volcano::Behaviour::exact(),
                                                              .options = {},
                                                              .numbers = numbers_});
  add(a_volcano_queue("other"));
  cluster_->settle();
  run();
  const auto text = registry_.text();
  EXPECT_EQ(text.find("job_name=\"old\""), std::string::npos);
  EXPECT_EQ(text.find("queue_name=\"default\""), std::string::npos);
  EXPECT_NE(text.find("queue_name=\"other\""), std::string::npos);
}

TEST(VolcanoNumbers, NobodyHasToLook) {
  VolcanoNumbers numbers;
  EXPECT_FALSE(numbers.are_shown());
  numbers.on_start();
  numbers.on_pod(Pod());
  numbers.on_gone(kind_named("Pod"), {});
  numbers.on_bound({}, {});
  numbers.on_plugin("gang", VolcanoNumbers::PluginTurn::kOpen, {});
  numbers.on_search(VolcanoNumbers::SearchStage::kScoring, {});
}

}  // namespace
}  // namespace muster::daemon
