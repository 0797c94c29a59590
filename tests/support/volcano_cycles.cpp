#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class Recorder final : public CycleObserver {
 public:
  void acted(Session& session, std::string_view action) override {
    if (action != session.config().actions.back()) return;
    const auto& books = session.books();
    for (const auto id : IdRange<PodId>(books.pod_count())) {
      const auto state = books.pod(id).state;
      if (!books.removed(id) && (state == PodState::kAllocated || state == PodState::kPipelined))
        outcome.planned[books.pod(id).name] = books.node(books.pod(id).node).name;
    }
  }
  void closed(Session& session) override {
    const auto& books = session.books();
    for (const auto& bind : session.outbox()) {
      outcome.binds[books.pod(bind.pod).name] = books.node(bind.node).name;
      outcome.order.push_back(books.pod(bind.pod).name);
      if (bind.annotations) outcome.notes[books.pod(bind.pod).name] = {bind.annotations->begin(), bind.annotations->end()};
    }
    for (const auto id : IdRange<GroupId>(session.cluster().job_count())) record_job(session.cluster().job(id));
    const auto& writes = session.writes();
    for (const auto& event : writes.events)
      outcome.events[session.cluster().job(event.job).name].push_back(std::string(event.type) + " " + std::string(event.reason) +
                                                                      ": " + *event.message);
    for (const auto& written : writes.pod_conditions)
      outcome.pod_conditions[books.pod(written.pod).name] = std::string(written.reason) + ": " + *written.message;
    for (const auto id : writes.queues) outcome.queues[session.cluster().queue(id).name] = *session.cluster().queue(id).allocated;
    decisions = session.outbox();
  }

  CycleOutcome outcome;
  Outbox decisions;

 private:
  void record_job(const Job& job) {
    if (!job.schedulable()) return;
    outcome.phases[job.name] = name_of(job.status.phase);
    for (const auto& condition : job.status.conditions)
      if (condition->type == job.gang_condition)
        outcome.conditions[job.name] =
            condition->type + ": " + (condition->message.empty() ? condition->reason : condition->message);
  }
};

}  // namespace

namespace {

std::unique_ptr<Cluster> cluster_for(const Config& config, ClusterOptions options) {
  remember_for(config, options);
  return std::make_unique<Cluster>(std::move(options));
}

}  // namespace

VolcanoCycles::VolcanoCycles(Config config, Behaviour behaviour, ClusterOptions options, SearchKind search)
    : scheduler_(cluster_for(config, std::move(options)), Config(config), behaviour, search) {}

CycleOutcome VolcanoCycles::run() {
  cluster().settle();
  Recorder recorder;
  scheduler_.run_cycle(now, recorder);
  last_ = recorder.decisions;
  return std::move(recorder.outcome);
}

void VolcanoCycles::bound_pods_run() {
  for (const auto& bind : last_) cluster().pod_runs(bind.pod);
  last_.clear();
}

}  // namespace muster::volcano
