// What is registered, against tables that were written from the originals' behaviour.

#include <gtest/gtest.h>
#include <string>

#include "metrics/kai_metrics.h"
#include "metrics/own_metrics.h"
#include "metrics/volcano_metrics.h"

namespace muster::metrics {
namespace {

// "type name{label,label}" per family.
std::string listed(const Registry& registry) {
  std::string out = "\n";
  for (const auto* family : registry.families()) {
    out.append(text_of(family->kind())).append(" ").append(family->description().name);
    std::string labels;
    for (const auto& label : family->description().labels) labels += (labels.empty() ? "" : ",") + label;
    if (!labels.empty()) out += "{" + labels + "}";
    out += "\n";
  }
  return out;
}

TEST(Volcano, EveryFamily) {
  Registry registry;
  const VolcanoMetrics metrics(registry);
  EXPECT_EQ(listed(registry), R"(
histogram volcano_action_scheduling_latency_milliseconds{action}
gauge volcano_e2e_job_scheduling_duration{job_name,queue,job_namespace}
gauge volcano_e2e_job_scheduling_last_time{job_name,queue,job_namespace}
histogram volcano_e2e_job_scheduling_latency_milliseconds
gauge volcano_e2e_job_scheduling_start_time{job_name,queue,job_namespace}
histogram volcano_e2e_scheduling_latency_milliseconds
counter volcano_eviction_transactions_total{action}
counter volcano_job_retry_counts{job_id}
gauge volcano_job_share{job_ns,job_id}
gauge volcano_namespace_share{namespace_name}
gauge volcano_namespace_weight{namespace_name}
gauge volcano_namespace_weighted_share{namespace_name}
histogram volcano_open_session_duration_milliseconds
histogram volcano_plugin_scheduling_latency_milliseconds{plugin,OnSession}
gauge volcano_pod_preemption_victims
gauge volcano_queue_allocated_memory_bytes{queue_name}
gauge volcano_queue_allocated_milli_cpu{queue_name}
gauge volcano_queue_allocated_scalar_resources{queue_name,resource}
gauge volcano_queue_capacity_memory_bytes{queue_name}
gauge volcano_queue_capacity_milli_cpu{queue_name}
gauge volcano_queue_capacity_scalar_resources{queue_name,resource}
gauge volcano_queue_deserved_memory_bytes{queue_name}
gauge volcano_queue_deserved_milli_cpu{queue_name}
gauge volcano_queue_deserved_scalar_resources{queue_name,resource}
gauge volcano_queue_inqueue_memory_bytes{queue_name}
gauge volcano_queue_inqueue_milli_cpu{queue_name}
gauge volcano_queue_inqueue_scalar_resources{queue_name,resource}
gauge volcano_queue_overused{queue_name}
gauge volcano_queue_real_capacity_memory_bytes{queue_name}
gauge volcano_queue_real_capacity_milli_cpu{queue_name}
gauge volcano_queue_real_capacity_scalar_resources{queue_name,resource}
gauge volcano_queue_request_memory_bytes{queue_name}
gauge volcano_queue_request_milli_cpu{queue_name}
gauge volcano_queue_request_scalar_resources{queue_name,resource}
gauge volcano_queue_share{queue_name}
gauge volcano_queue_weight{queue_name}
counter volcano_schedule_attempts_total{result}
histogram volcano_scheduling_stage_duration_milliseconds{stage}
histogram volcano_task_scheduling_latency_milliseconds{stage}
counter volcano_total_preemption_attempts
gauge volcano_unschedule_job_count
gauge volcano_unschedule_task_count{job_id}
)");
}

TEST(Volcano, BucketsOfEveryHistogram) {
  Registry registry;
  VolcanoMetrics metrics(registry);
  EXPECT_EQ(metrics.e2e_scheduling_latency.bounds(), geometric(1, 5000, 20));
  EXPECT_EQ(metrics.open_session_duration.bounds(), geometric(1, 5000, 20));
  EXPECT_EQ(metrics.action_scheduling_latency.with({"allocate"}).bounds(), geometric(1, 2000, 20));
  EXPECT_EQ(metrics.plugin_scheduling_latency.with({"gang", "OnSessionOpen"}).bounds(), geometric(0.1, 100, 15));
  EXPECT_EQ(metrics.task_scheduling_latency.with({"Bound"}).bounds(), geometric(50, 60000, 30));
  EXPECT_EQ(metrics.scheduling_stage_duration.with({"Bind"}).bounds(), geometric(0.1, 500, 20));
  EXPECT_EQ(metrics.e2e_job_scheduling_latency.bounds(), geometric(100, 120000, 30));
}

TEST(Volcano, ResourcesOfAQueueThatWentBecomeZero) {
  Registry registry;
  VolcanoMetrics metrics(registry);
  metrics.set_queue(metrics.queue_allocated, "q", {.milli_cpu = 2000, .memory_bytes = 5e9, .scalar_resources = {{"gpu", 3000}}});
  metrics.set_queue(metrics.queue_request, "q", {.milli_cpu = 1, .scalar_resources = {{"npu", 7}}});
  metrics.set_queue(metrics.queue_allocated, "q", {});
  EXPECT_EQ(metrics.queue_allocated.milli_cpu.with({"q"}).value(), 0);
  EXPECT_EQ(metrics.queue_allocated.scalar_resources.size(), 2U);
  EXPECT_EQ(metrics.queue_allocated.scalar_resources.with({"q", "gpu"}).value(), 0);
  EXPECT_EQ(metrics.queue_request.scalar_resources.size(), 2U);
  EXPECT_EQ(metrics.queue_request.scalar_resources.with({"q", "npu"}).value(), 7);

  metrics.remove_queue("q");
  metrics.set_queue(metrics.queue_allocated, "q", {});
  EXPECT_EQ(metrics.queue_allocated.scalar_resources.size(), 0U);
}

TEST(Volcano, NothingStaysOfWhatWent) {
  Registry registry;
  VolcanoMetrics metrics(registry);
  const auto before = registry.text();
  metrics.e2e_job_scheduling_duration.with({"j", "q", "n"}).set(1);
  metrics.e2e_job_scheduling_start_time.with({"j", "q", "n"}).set(1);
  metrics.e2e_job_scheduling_last_time.with({"j", "q", "n"}).set(1);
  metrics.unschedule_task_count.with({"j"}).set(1);
  metrics.job_retry_counts.with({"j"}).increment();
  metrics.job_share.with({"n", "j"}).set(1);
  for (auto* amount : {&metrics.queue_allocated, &metrics.queue_request, &metrics.queue_deserved, &metrics.queue_inqueue,
                       &metrics.queue_capacity, &metrics.queue_real_capacity})
    metrics.set_queue(*amount, "q", {.scalar_resources = {{"gpu", 1}}});
  for (auto* family : {&metrics.queue_share, &metrics.queue_weight, &metrics.queue_overused}) family->with({"q"}).set(1);
  EXPECT_NE(registry.text(), before);
  metrics.remove_job_times("j", "q", "n");
  metrics.remove_job_id("j");
  metrics.job_share.remove({"n", "j"});
  metrics.remove_queue("q");
  metrics.remove_queue("another");
  EXPECT_EQ(registry.text(), before);
}

TEST(Kai, EveryFamily) {
  Registry registry;
  const KaiMetrics metrics(registry);
  EXPECT_EQ(listed(registry), R"(
gauge kai_action_scheduling_latency_milliseconds{action}
gauge kai_close_session_latency_milliseconds
gauge kai_e2e_scheduling_latency_milliseconds
gauge kai_open_session_latency_milliseconds
gauge kai_plugin_scheduling_latency_milliseconds{plugin,OnSession}
counter kai_pod_group_evicted_pods_total{podgroup,namespace,uid,nodepool,action}
counter kai_podgroups_acted_on_by_action{action}
counter kai_podgroups_scheduled_by_action{action}
gauge kai_queue_cpu_usage{queue_name,queue_metadata_name,queue_display_name}
gauge kai_queue_fair_share_cpu_cores{queue_name,queue_metadata_name,queue_display_name}
gauge kai_queue_fair_share_gpu{queue_name,queue_metadata_name,queue_display_name}
gauge kai_queue_fair_share_memory_gb{queue_name,queue_metadata_name,queue_display_name}
gauge kai_queue_gpu_usage{queue_name,queue_metadata_name,queue_display_name}
gauge kai_queue_memory_usage{queue_name,queue_metadata_name,queue_display_name}
gauge kai_scenario_search_action_budget_configured_seconds{action}
counter kai_scenario_search_action_budget_exhausted_total{action}
histogram kai_scenario_search_duration_seconds{action,generator,result}
gauge kai_scenario_search_generator_budget_configured_seconds{generator}
gauge kai_scenario_search_job_budget_configured_seconds
counter kai_scenario_search_jobs_total{action,result,reduced_budget}
counter kai_scenario_search_scenarios_total{action,generator,state}
counter kai_scenarios_filtered_by_action{action}
counter kai_scenarios_simulation_by_action{action}
histogram kai_task_bind_latency_milliseconds
histogram kai_task_scheduling_latency_milliseconds
counter kai_total_preemption_attempts
histogram kai_usage_query_latency_milliseconds
)");
}

TEST(Kai, BucketsOfEveryHistogram) {
  Registry registry;
  KaiMetrics metrics(registry);
  EXPECT_EQ(metrics.task_scheduling_latency.bounds(), exponential(5, 2, 10));
  EXPECT_EQ(metrics.task_bind_latency.bounds(), exponential(5, 2, 10));
  EXPECT_EQ(metrics.usage_query_latency.size(), 0U);
  EXPECT_EQ(metrics.usage_query_latency.with({}).bounds(), exponential(5, 2, 10));
  EXPECT_EQ(metrics.search_duration.with({"reclaim", "g", "found"}).bounds(), exponential(0.001, 2, 16));
}

TEST(Kai, TheNamespaceIsASetting) {
  Registry registry;
  const KaiMetrics bare(registry, "");
  const KaiMetrics renamed(registry, "ours");
  const auto text = registry.text();
  EXPECT_NE(text.find("\nours_e2e_scheduling_latency_milliseconds 0\n"), std::string::npos);
  EXPECT_NE(text.find("\ne2e_scheduling_latency_milliseconds 0\n"), std::string::npos);
}

TEST(Kai, NothingStaysOfAPodGroupThatWent) {
  Registry registry;
  KaiMetrics metrics(registry);
  metrics.pod_group_evicted_pods.with({"g", "n", "u1", "", "reclaim"}).increment();
  metrics.pod_group_evicted_pods.with({"g", "n", "u1", "", "preempt"}).increment();
  metrics.pod_group_evicted_pods.with({"g", "n", "u2", "", "preempt"}).increment();
  metrics.remove_pod_group("u1");
  EXPECT_EQ(metrics.pod_group_evicted_pods.size(), 1U);
}

TEST(Own, EveryFamily) {
  Registry registry;
  const OwnMetrics metrics(registry);
  EXPECT_EQ(listed(registry), R"(
counter muster_audit_checked_total
counter muster_audit_mismatches_total{kind}
counter muster_broken_invariants_total{invariant}
counter muster_config_reloads_total{result}
histogram muster_cycle_phase_seconds{phase}
counter muster_cycles_total
counter muster_decisions_total{kind}
counter muster_events_dropped_total
counter muster_evicted_pods_total
gauge muster_evictions_stopped
counter muster_failed_expectations_total
histogram muster_gang_first_bind_seconds
counter muster_given_up_pods_total
gauge muster_leader
counter muster_requested_pods_total
gauge muster_synced_kinds
counter muster_watch_problems_total{kind}
counter muster_write_outcomes_total{kind,outcome}
gauge muster_writes_in_flight
gauge muster_writes_queued
)");
}

TEST(Own, EveryFamilySaysWhatItIs) {
  Registry registry;
  const VolcanoMetrics volcano(registry);
  const KaiMetrics kai(registry);
  const OwnMetrics own(registry);
  for (const auto* family : registry.families()) EXPECT_EQ(family->description().help.back(), '.') << family->description().name;
}

TEST(Own, BugsThatWereSurvivedAreCounted) {
  Registry registry;
  const OwnMetrics metrics(registry);
  const auto before = failed_expectations();
  Counter().add(-1);
  EXPECT_NE(registry.text().find("\nmuster_failed_expectations_total " + std::to_string(before + 1) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace muster::metrics
