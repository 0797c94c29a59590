#include "daemon/volcano_numbers.h"

#include "daemon/age.h"
#include "daemon/volcano_job_numbers.h"
#include "daemon/volcano_queue_numbers.h"

namespace muster::daemon {
namespace {

double millis_of_micros(std::int64_t micros) { return static_cast<double>(micros) / 1e3; }
double millis_of(kube::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

}  // namespace

struct VolcanoNumbers::Shown {
  Shown(metrics::Registry& registry, const kube::Clock& given) : clock(given), metrics(registry), jobs(metrics), queues(metrics) {}

  const kube::Clock& clock;
  metrics::VolcanoMetrics metrics;
  VolcanoJobNumbers jobs;
  VolcanoQueueNumbers queues;
  boost::unordered_flat_set<std::string> seen;  // uids of pods that came without a node
  metrics::Histogram* predicate = nullptr;      // asked for very often
  metrics::Histogram* scoring = nullptr;
};

VolcanoNumbers::VolcanoNumbers() = default;
VolcanoNumbers::~VolcanoNumbers() = default;

void VolcanoNumbers::show_in(metrics::Registry& registry, const kube::Clock& clock) {
  shown_ = std::make_unique<Shown>(registry, clock);
}

// ------------------------------------------------------------------------------------------------------------ objects

void VolcanoNumbers::on_start() {
  if (!shown_) return;
  shown_->jobs.forget_all();
  shown_->queues.forget_all();
}

void VolcanoNumbers::on_pod(const Pod& pod) {
  if (!shown_ || !pod.spec.node_name.empty() || !shown_->seen.insert(pod.meta.uid).second) return;
  shown_->metrics.task_scheduling_latency.with({"Watched"}).observe(age_in_millis(pod.meta.created, shown_->clock.wall()));
}

void VolcanoNumbers::on_gone(const kube::ResourceKind& kind, const kube::Identity& id) {
  if (!shown_) return;
  if (kind.kind == "Pod") shown_->seen.erase(id.uid);
  if (kind.kind == "PodGroup") shown_->jobs.on_gone(id.ns, id.name);
  if (kind.kind == "Queue") shown_->queues.on_gone(id.name);
}

void VolcanoNumbers::on_prepared(const Timestamp& created, kube::Duration took) {
  if (!shown_) return;
  shown_->metrics.scheduling_stage_duration.with({"PreBind"}).observe(millis_of(took));
  shown_->metrics.task_scheduling_latency.with({"PreBound"}).observe(age_in_millis(created, shown_->clock.wall()));
}

void VolcanoNumbers::on_bound(const Timestamp& created, kube::Duration took) {
  if (!shown_) return;
  shown_->metrics.scheduling_stage_duration.with({"Bind"}).observe(millis_of(took));
  shown_->metrics.task_scheduling_latency.with({"Bound"}).observe(age_in_millis(created, shown_->clock.wall()));
}

// ------------------------------------------------------------------------------------------------------------ a cycle

void VolcanoNumbers::on_open(volcano::Session& session) {
  if (shown_) shown_->queues.on_open(session);
}

void VolcanoNumbers::on_closing(volcano::Session& session) {
  if (!shown_) return;
  shown_->queues.on_closing(session);
  shown_->jobs.on_closing(session);
}

// Pods that backfill placed are not among those that the original calls assumed: it decides them outside of any statement.
void VolcanoNumbers::on_closed(volcano::Session& session, const CycleOutcome& outcome) {
  if (!shown_) return;
  auto& metrics = shown_->metrics;
  metrics.e2e_scheduling_latency.observe(millis_of_micros(outcome.total_micros));
  for (const auto& [part, micros] : outcome.micros) {
    if (part == "open")
      metrics.open_session_duration.observe(millis_of_micros(micros));
    else if (part != "close")
      metrics.action_scheduling_latency.with({part}).observe(millis_of_micros(micros));
  }
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kBind && decision.rule != "backfill")
      metrics.task_scheduling_latency.with({"Assumed"})
          .observe(age_in_millis(session.books().pod(decision.pod).created, session.now(), outcome.total_micros));
  const auto& tally = session.tally();
  for (const auto action : tally.evictions) metrics.eviction_transactions.with({action}).increment();
  metrics.total_preemption_attempts.add(static_cast<double>(tally.preemption_attempts));
  if (tally.preemption_victims) metrics.pod_preemption_victims.set(static_cast<double>(*tally.preemption_victims));
  shown_->jobs.on_closed(session, outcome.total_micros);
}

void VolcanoNumbers::on_plugin(std::string_view plugin, PluginTurn turn, kube::Duration took) {
  if (!shown_) return;
  const auto* when = turn == PluginTurn::kOpen ? "OnSessionOpen" : "OnSessionClose";
  shown_->metrics.plugin_scheduling_latency.with({plugin, when}).observe(millis_of(took));
}

void VolcanoNumbers::on_search(SearchStage stage, kube::Duration took) {
  if (!shown_) return;
  const bool filters = stage == SearchStage::kPredicate;
  auto*& histogram = filters ? shown_->predicate : shown_->scoring;
  if (histogram == nullptr) histogram = &shown_->metrics.scheduling_stage_duration.with({filters ? "Predicate" : "Scoring"});
  histogram->observe(millis_of(took));
}

}  // namespace muster::daemon
