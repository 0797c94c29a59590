#pragma once

#include <string_view>

#include "metrics/prefixed_registry.h"

namespace muster::metrics {

// What KAI's scheduler exports, under its names, with the prefix of --metrics-namespace. Times are in whole milliseconds unless a
// comment says otherwise. Registered when it is made; the registry must outlive it.
//
// The original also shows each family a second time without its prefix and never sets it; nobody can be reading those, and they are
// left out.
struct KaiMetrics {
  explicit KaiMetrics(Registry& registry, std::string_view metrics_namespace = "kai");

  // Cycles: the last one.
  Gauge& e2e_scheduling_latency;
  Gauge& open_session_latency;
  Gauge& close_session_latency;
  Family<Gauge>& plugin_scheduling_latency;  // {plugin, OnSession}: "OnSessionOpen" or "OnSessionClose"
  Family<Gauge>& action_scheduling_latency;  // {action}

  // Pods.
  Histogram& task_scheduling_latency;
  Histogram& task_bind_latency;

  // Pod groups and what was tried for them, all by {action}.
  Family<Counter>& podgroups_scheduled;
  Family<Counter>& podgroups_acted_on;
  Family<Counter>& scenarios_simulated;
  Family<Counter>& scenarios_filtered;

  // Evictions.
  Counter& total_preemption_attempts;       // successful ones alone, as in the original
  Family<Counter>& pod_group_evicted_pods;  // {podgroup, namespace, uid, nodepool, action}

  // Queues, all by {queue_name, queue_metadata_name, queue_display_name}; the first is the display name where there is one. Filled
  // anew in every cycle: use replace_all().
  Family<Gauge>& queue_fair_share_cpu_cores;
  Family<Gauge>& queue_fair_share_memory_gb;  // 10⁹ bytes
  Family<Gauge>& queue_fair_share_gpu;
  Family<Gauge>& queue_cpu_usage;  // in the unit of the usage database, as the two below
  Family<Gauge>& queue_memory_usage;
  Family<Gauge>& queue_gpu_usage;
  Family<Histogram>& usage_query_latency;  // no labels, and no series before the first query

  // The search for victims under a budget of time.
  Family<Counter>& search_jobs;              // {action, result, reduced_budget}: "true" or "false"
  Family<Gauge>& search_action_budget;       // {action}, seconds
  Gauge& search_job_budget;                  // seconds
  Family<Gauge>& search_generator_budget;    // {generator}, seconds
  Family<Counter>& search_budget_exhausted;  // {action}
  Family<Histogram>& search_duration;        // {action, generator, result}, seconds
  Family<Counter>& search_scenarios;         // {action, generator, state}: emitted, simulated, validator_rejected, duplicate

  // What a pod group that has gone leaves behind.
  void remove_pod_group(std::string_view uid) { pod_group_evicted_pods.remove_where("uid", uid); }

 private:
  explicit KaiMetrics(PrefixedRegistry registry);
};

}  // namespace muster::metrics
