#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/prefixed_registry.h"

namespace muster::metrics {

// What Volcano's scheduler exports, under its names; dashboards and alerts read them. Times are in milliseconds unless a comment
// says otherwise. Registered when it is made; the registry must outlive it.
struct VolcanoMetrics {
  explicit VolcanoMetrics(Registry& registry);

  // Three families of gauges about one amount of every queue.
  struct QueueAmounts {
    QueueAmounts(PrefixedRegistry& registry, const std::string& amount, const std::string& what);

    Family<Gauge>& milli_cpu;         // {queue_name}
    Family<Gauge>& memory_bytes;      // {queue_name}
    Family<Gauge>& scalar_resources;  // {queue_name, resource}
  };

  // Cycles.
  Histogram& e2e_scheduling_latency;             // a whole cycle
  Histogram& open_session_duration;              // its opening
  Family<Histogram>& action_scheduling_latency;  // {action}
  Family<Histogram>& plugin_scheduling_latency;  // {plugin, OnSession}: "OnSessionOpen" or "OnSessionClose"

  // Pods.
  Family<Histogram>& task_scheduling_latency;    // {stage} since the pod's creation: Watched, Assumed, PreBound, Bound
  Family<Histogram>& scheduling_stage_duration;  // {stage}: Predicate, Scoring, PreBind, Bind
  Family<Counter>& schedule_attempts;            // {result}

  // Jobs.
  Histogram& e2e_job_scheduling_latency;         // since the job's creation, at each commit
  Family<Gauge>& e2e_job_scheduling_duration;    // {job_name, queue, job_namespace}: the same, the last one
  Family<Gauge>& e2e_job_scheduling_start_time;  // same labels; seconds since 1970, when the job was created
  Family<Gauge>& e2e_job_scheduling_last_time;   // same labels; seconds since 1970, at the last commit
  Family<Gauge>& unschedule_task_count;          // {job_id}
  Gauge& unschedule_job_count;
  Family<Counter>& job_retry_counts;  // {job_id}
  Family<Gauge>& job_share;           // {job_ns, job_id}

  // Evictions.
  Gauge& pod_preemption_victims;  // of the last attempt
  Counter& total_preemption_attempts;
  Family<Counter>& eviction_transactions;  // {action}

  // Namespaces: declared and never set, as in the original.
  Family<Gauge>& namespace_share;           // {namespace_name}
  Family<Gauge>& namespace_weight;          // {namespace_name}
  Family<Gauge>& namespace_weighted_share;  // {namespace_name}

  // Queues.
  QueueAmounts queue_allocated;
  QueueAmounts queue_request;
  QueueAmounts queue_deserved;
  QueueAmounts queue_inqueue;
  QueueAmounts queue_capacity;
  QueueAmounts queue_real_capacity;
  Family<Gauge>& queue_share;     // {queue_name}
  Family<Gauge>& queue_weight;    // {queue_name}
  Family<Gauge>& queue_overused;  // {queue_name}: 0 or 1

  struct Amounts {
    double milli_cpu = 0;
    double memory_bytes = 0;
    std::vector<std::pair<std::string_view, double>> scalar_resources = {};
  };
  // Sets one amount of a queue. A resource that was once told of the queue and is not in `amounts` becomes 0. This and
  // what removes queues are for one thread.
  void set_queue(QueueAmounts& families, std::string_view queue, const Amounts& amounts);
  void remove_amounts(QueueAmounts& families, std::string_view queue);
  // What a queue that has gone leaves behind; and a job: its times, and what jobs of its name have in common.
  void remove_queue(std::string_view queue);
  void remove_job_times(std::string_view job, std::string_view queue, std::string_view job_namespace);
  void remove_job_id(std::string_view job);

 private:
  explicit VolcanoMetrics(PrefixedRegistry registry);

  std::map<std::string, std::set<std::string>, std::less<>> told_resources_;  // by queue
};

}  // namespace muster::metrics
