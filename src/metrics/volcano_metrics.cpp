#include "metrics/volcano_metrics.h"

namespace muster::metrics {
namespace {

const PrefixedRegistry::Labels kJob = {"job_name", "queue", "job_namespace"};
const PrefixedRegistry::Labels kNamespace = {"namespace_name"};
const PrefixedRegistry::Labels kQueue = {"queue_name"};

}  // namespace

VolcanoMetrics::QueueAmounts::QueueAmounts(PrefixedRegistry& registry, const std::string& amount, const std::string& what)
    : milli_cpu(registry.gauges("queue_" + amount + "_milli_cpu", kQueue, "Thousandths of a CPU " + what + ".")),
      memory_bytes(registry.gauges("queue_" + amount + "_memory_bytes", kQueue, "Bytes of memory " + what + ".")),
      scalar_resources(registry.gauges("queue_" + amount + "_scalar_resources", {"queue_name", "resource"},
                                       "Other resources, mostly in thousandths, " + what + ".")) {}

VolcanoMetrics::VolcanoMetrics(Registry& registry) : VolcanoMetrics(PrefixedRegistry(registry, "volcano")) {}

VolcanoMetrics::VolcanoMetrics(PrefixedRegistry registry)
    : e2e_scheduling_latency(registry.histogram("e2e_scheduling_latency_milliseconds",
                                                "How long a scheduling cycle took, from its opening to its close.",
                                                geometric(1, 5000, 20))),
      open_session_duration(registry.histogram("open_session_duration_milliseconds", "How long the opening of a cycle took.",
                                               geometric(1, 5000, 20))),
      action_scheduling_latency(registry.histograms("action_scheduling_latency_milliseconds", {"action"},
                                                    "How long an action took in a cycle.", geometric(1, 2000, 20))),
      plugin_scheduling_latency(registry.histograms("plugin_scheduling_latency_milliseconds", {"plugin", "OnSession"},
                                                    "How long a plugin took at the opening or the close of a cycle.",
                                                    geometric(0.1, 100, 15))),
      task_scheduling_latency(registry.histograms("task_scheduling_latency_milliseconds", {"stage"},
                                                  "Age of a pod when it reached a stage on its way to a node.",
                                                  geometric(50, 60000, 30))),
      scheduling_stage_duration(registry.histograms("scheduling_stage_duration_milliseconds", {"stage"},
                                                    "How long one stage of scheduling took for one pod.", geometric(0.1, 500, 20))),
      schedule_attempts(registry.counters("schedule_attempts_total", {"result"}, "Attempts to schedule a pod, by their result.")),
      e2e_job_scheduling_latency(registry.histogram("e2e_job_scheduling_latency_milliseconds",
                                                    "Age of a job when pods of it were given nodes.", geometric(100, 120000, 30))),
      e2e_job_scheduling_duration(registry.gauges("e2e_job_scheduling_duration", kJob,
                                                  "Age of the job in milliseconds when pods of it were last given nodes.")),
      e2e_job_scheduling_start_time(
          registry.gauges("e2e_job_scheduling_start_time", kJob, "When the job was created, in seconds since 1970.")),
      e2e_job_scheduling_last_time(registry.gauges("e2e_job_scheduling_last_time", kJob,
                                                   "When pods of the job were last given nodes, in seconds since 1970.")),
      unschedule_task_count(
          registry.gauges("unschedule_task_count", {"job_id"}, "Pods of the job that found no node in the last cycle.")),
      unschedule_job_count(registry.gauge("unschedule_job_count", "Jobs that could not start in the last cycle.")),
      job_retry_counts(registry.counters("job_retry_counts", {"job_id"}, "Cycles after which the job was still not ready.")),
      job_share(registry.gauges("job_share", {"job_ns", "job_id"}, "Dominant share of the job.")),
      pod_preemption_victims(registry.gauge("pod_preemption_victims", "Victims of the last attempt to preempt.")),
      total_preemption_attempts(registry.counter("total_preemption_attempts", "Attempts to preempt.")),
      eviction_transactions(registry.counters("eviction_transactions_total", {"action"}, "Eviction plans carried out, by action.")),
      namespace_share(registry.gauges("namespace_share", kNamespace, "Share of the namespace.")),
      namespace_weight(registry.gauges("namespace_weight", kNamespace, "Weight of the namespace.")),
      namespace_weighted_share(registry.gauges("namespace_weighted_share", kNamespace, "Share of the namespace over its weight.")),
      queue_allocated(registry, "allocated", "that the queue's pods hold"),
      queue_request(registry, "request", "that the queue's pods ask for"),
      queue_deserved(registry, "deserved", "that the queue deserves"),
      queue_inqueue(registry, "inqueue", "kept for jobs of the queue that were admitted and do not run yet"),
      queue_capacity(registry, "capacity", "that the queue may hold at most"),
      queue_real_capacity(registry, "real_capacity", "that the queue may hold at most beside the guarantees of others"),
      queue_share(registry.gauges("queue_share", kQueue, "What the queue holds of what it deserves, in its scarcest resource.")),
      queue_weight(registry.gauges("queue_weight", kQueue, "Weight of the queue.")),
      queue_overused(registry.gauges("queue_overused", kQueue, "1 when the queue holds more than it deserves, else 0.")) {}

void VolcanoMetrics::set_queue(QueueAmounts& families, std::string_view queue, const Amounts& amounts) {
  families.milli_cpu.with({queue}).set(amounts.milli_cpu);
  families.memory_bytes.with({queue}).set(amounts.memory_bytes);
  auto& told = told_resources_[std::string(queue)];
  for (const auto& [resource, amount] : amounts.scalar_resources) told.emplace(resource);
  for (const auto& resource : told) {
    double amount = 0;
    for (const auto& [name, value] : amounts.scalar_resources)
      if (name == resource) amount = value;
    families.scalar_resources.with({queue, resource}).set(amount);
  }
}

void VolcanoMetrics::remove_job_times(std::string_view job, std::string_view queue, std::string_view job_namespace) {
  for (auto* family : {&e2e_job_scheduling_duration, &e2e_job_scheduling_start_time, &e2e_job_scheduling_last_time})
    family->remove({job, queue, job_namespace});
}

void VolcanoMetrics::remove_job_id(std::string_view job) {
  unschedule_task_count.remove({job});
  job_retry_counts.remove({job});
}

void VolcanoMetrics::remove_amounts(QueueAmounts& families, std::string_view queue) {
  families.milli_cpu.remove({queue});
  families.memory_bytes.remove({queue});
  families.scalar_resources.remove_where("queue_name", queue);
}

void VolcanoMetrics::remove_queue(std::string_view queue) {
  for (auto* amount : {&queue_allocated, &queue_request, &queue_deserved, &queue_inqueue, &queue_capacity, &queue_real_capacity})
    remove_amounts(*amount, queue);
  for (auto* family : {&queue_share, &queue_weight, &queue_overused}) family->remove({queue});
  if (const auto told = told_resources_.find(queue); told != told_resources_.end()) told_resources_.erase(told);
}

}  // namespace muster::metrics
