#include "metrics/kai_metrics.h"

namespace muster::metrics {
namespace {

const PrefixedRegistry::Labels kAction = {"action"};
const PrefixedRegistry::Labels kQueue = {"queue_name", "queue_metadata_name", "queue_display_name"};

Buckets of_milliseconds() { return exponential(5, 2, 10); }

}  // namespace

KaiMetrics::KaiMetrics(Registry& registry, std::string_view metrics_namespace)
    : KaiMetrics(PrefixedRegistry(registry, metrics_namespace)) {}

KaiMetrics::KaiMetrics(PrefixedRegistry registry)
    : e2e_scheduling_latency(registry.gauge("e2e_scheduling_latency_milliseconds", "How long the last cycle took.")),
      open_session_latency(registry.gauge("open_session_latency_milliseconds", "How long the opening of the last cycle took.")),
      close_session_latency(registry.gauge("close_session_latency_milliseconds", "How long the close of the last cycle took.")),
      plugin_scheduling_latency(registry.gauges("plugin_scheduling_latency_milliseconds", {"plugin", "OnSession"},
                                                "How long a plugin took at the opening or the close of the last cycle.")),
      action_scheduling_latency(
          registry.gauges("action_scheduling_latency_milliseconds", kAction, "How long an action took in the last cycle.")),
      task_scheduling_latency(registry.histogram("task_scheduling_latency_milliseconds",
                                                 "How long a pod waited until it was given a node.", of_milliseconds())),
      task_bind_latency(registry.histogram("task_bind_latency_milliseconds", "How long it took to ask for a pod to be bound.",
                                           of_milliseconds())),
      podgroups_scheduled(registry.counters("podgroups_scheduled_by_action", kAction, "Pod groups that an action scheduled.")),
      podgroups_acted_on(registry.counters("podgroups_acted_on_by_action", kAction, "Pod groups that an action tried.")),
      scenarios_simulated(
          registry.counters("scenarios_simulation_by_action", kAction, "Sets of victims that an action tried out.")),
      scenarios_filtered(registry.counters("scenarios_filtered_by_action", kAction,
                                           "Sets of victims that an action set aside without trying them out.")),
      total_preemption_attempts(registry.counter("total_preemption_attempts", "Preemptions that made room.")),
      pod_group_evicted_pods(registry.counters("pod_group_evicted_pods_total",
                                               {"podgroup", "namespace", "uid", "nodepool", "action"},
                                               "Pods of the pod group that were evicted.")),
      queue_fair_share_cpu_cores(registry.gauges("queue_fair_share_cpu_cores", kQueue, "Fair share of the queue, in CPUs.")),
      queue_fair_share_memory_gb(
          registry.gauges("queue_fair_share_memory_gb", kQueue, "Fair share of the queue, in 10^9 bytes of memory.")),
      queue_fair_share_gpu(registry.gauges("queue_fair_share_gpu", kQueue, "Fair share of the queue, in GPUs.")),
      queue_cpu_usage(
          registry.gauges("queue_cpu_usage", kQueue, "CPU that the queue has used, in the unit of the usage database.")),
      queue_memory_usage(
          registry.gauges("queue_memory_usage", kQueue, "Memory that the queue has used, in the unit of the usage database.")),
      queue_gpu_usage(
          registry.gauges("queue_gpu_usage", kQueue, "GPUs that the queue has used, in the unit of the usage database.")),
      usage_query_latency(registry.histograms("usage_query_latency_milliseconds", {}, "How long the usage database took to answer.",
                                              of_milliseconds())),
      search_jobs(registry.counters("scenario_search_jobs_total", {"action", "result", "reduced_budget"},
                                    "Jobs for which victims were searched.")),
      search_action_budget(registry.gauges("scenario_search_action_budget_configured_seconds", kAction,
                                           "Longest time that an action may search for victims.")),
      search_job_budget(registry.gauge("scenario_search_job_budget_configured_seconds",
                                       "Longest time for which victims for one job may be searched.")),
      search_generator_budget(registry.gauges("scenario_search_generator_budget_configured_seconds", {"generator"},
                                              "Longest time that one way to find victims may take.")),
      search_budget_exhausted(registry.counters("scenario_search_action_budget_exhausted_total", kAction,
                                                "Times that an action's time to search for victims ran out.")),
      search_duration(registry.histograms("scenario_search_duration_seconds", {"action", "generator", "result"},
                                          "How long one way to find victims took.", exponential(0.001, 2, 16))),
      search_scenarios(registry.counters("scenario_search_scenarios_total", {"action", "generator", "state"},
                                         "Sets of victims that came up in the search, by what became of them.")) {}

}  // namespace muster::metrics
