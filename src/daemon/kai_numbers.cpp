#include "daemon/kai_numbers.h"

#include <algorithm>
#include <set>

#include "policy/kai/status_text.h"

namespace muster::daemon {
namespace {

using kai::Share;

double whole_milliseconds(kube::Duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}
double whole_milliseconds(std::int64_t micros) { return static_cast<double>(micros / 1000); }

// How much of a resource makes one in a metric.
constexpr double kMilliPerCore = 1000;
constexpr double kBytesPerGb = 1e9;

using Series = std::vector<std::pair<std::vector<std::string_view>, double>>;

std::vector<std::string_view> labels_of(const kai::QueueInfo& queue) {
  // A queue without a name for people has its own in its place everywhere but in the last label.
  const std::string_view for_people = queue.display_name;
  return {for_people, queue.name, for_people == queue.name ? std::string_view() : for_people};
}

}  // namespace

void KaiNumbers::on_cycle(const kai::Session& session, const CycleOutcome& outcome) {
  if (!metrics_) return;
  take_times(outcome);
  take_decisions(session);
  take_queues(session);
}

void KaiNumbers::take_times(const CycleOutcome& outcome) {
  metrics_->e2e_scheduling_latency.set(whole_milliseconds(outcome.total_micros));
  for (const auto& [part, micros] : outcome.micros) {
    if (part == "open")
      metrics_->open_session_latency.set(whole_milliseconds(micros));
    else if (part == "close")
      metrics_->close_session_latency.set(whole_milliseconds(micros));
    else
      metrics_->action_scheduling_latency.with({part}).set(whole_milliseconds(micros));
  }
}

void KaiNumbers::on_plugin(std::string_view plugin, kai::CycleObserver::PluginTurn turn, std::int64_t micros) {
  const auto* when = turn == kai::CycleObserver::PluginTurn::kOpen ? "OnSessionOpen" : "OnSessionClose";
  if (metrics_) metrics_->plugin_scheduling_latency.with({plugin, when}).set(whole_milliseconds(micros));
}

void KaiNumbers::on_bind_taken(kube::Duration took) {
  if (metrics_) metrics_->task_bind_latency.observe(whole_milliseconds(took));
}

void KaiNumbers::on_usage_answer(kube::Duration took) {
  if (metrics_) metrics_->usage_query_latency.with({}).observe(whole_milliseconds(took));
}

void KaiNumbers::take_decisions(const kai::Session& session) {
  const auto& cluster = session.cluster();
  for (const auto& [action, tally] : session.tallies()) {
    metrics_->podgroups_acted_on.with({action}).add(static_cast<double>(tally.jobs));
    if (tally.simulated != 0) metrics_->scenarios_simulated.with({action}).add(static_cast<double>(tally.simulated));
    if (tally.filtered != 0) metrics_->scenarios_filtered.with({action}).add(static_cast<double>(tally.filtered));
  }
  std::set<std::pair<std::string_view, GroupId>> served;  // by action
  for (const auto& decision : session.outbox()) {
    const auto group = session.books().pod(decision.pod).group;
    if (decision.kind == Decision::Kind::kBind) {
      const auto waited = nanos_between(session.books().pod(decision.pod).created, session.now());
      metrics_->task_scheduling_latency.observe(static_cast<double>(std::max<std::int64_t>(0, waited) / 1'000'000));
      served.emplace(decision.rule, group);
      continue;
    }
    if (decision.for_whom.group) served.emplace(decision.rule, decision.for_whom.group);
    if (!group) continue;
    const auto& job = cluster.job(group);
    metrics_->pod_group_evicted_pods.with({job.name, job.ns, job.uid, kai::pool_name(job), decision.rule}).increment();
  }
  for (const auto& [action, group] : served) {
    metrics_->podgroups_scheduled.with({action}).increment();
    if (action == "preempt") metrics_->total_preemption_attempts.increment();
  }
}

void KaiNumbers::take_queues(const kai::Session& session) {
  const auto& queues = session.cluster().queues();
  Series cpu, memory, gpu, used_cpu, used_memory, used_gpu;
  const auto& shares = session.fair_shares();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto labels = labels_of(queues[QueueId(i)]);
    cpu.emplace_back(labels, shares[i][Share::kCpu] / kMilliPerCore);
    memory.emplace_back(labels, shares[i][Share::kMemory] / kBytesPerGb);
    gpu.emplace_back(labels, shares[i][Share::kGpu]);
  }
  for (const auto& [name, parts] : session.cluster().usage()) {
    const auto id = queues.find(name);
    if (!id) continue;
    const auto labels = labels_of(queues[id]);
    used_cpu.emplace_back(labels, parts[Share::kCpu]);
    used_memory.emplace_back(labels, parts[Share::kMemory]);
    used_gpu.emplace_back(labels, parts[Share::kGpu]);
  }
  metrics_->queue_fair_share_cpu_cores.replace_all(cpu);
  metrics_->queue_fair_share_memory_gb.replace_all(memory);
  metrics_->queue_fair_share_gpu.replace_all(gpu);
  metrics_->queue_cpu_usage.replace_all(used_cpu);
  metrics_->queue_memory_usage.replace_all(used_memory);
  metrics_->queue_gpu_usage.replace_all(used_gpu);
}

}  // namespace muster::daemon
