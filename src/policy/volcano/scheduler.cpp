#include "policy/volcano/scheduler.h"

#include "base/assert.h"
#include "policy/volcano/registry.h"

namespace muster::volcano {

Scheduler::Scheduler(std::unique_ptr<Cluster> cluster, Config config, Behaviour behaviour, SearchKind search)
    : cluster_(std::move(cluster)), config_(std::move(config)) {
  memory_.behaviour = behaviour;
  memory_.search = search;
}

void Scheduler::reconfigure(Config config) {
  config_ = std::move(config);
  memory_.classes.reset();  // which pods are alike, and what was found for them, rests on the plugins
}

void Scheduler::run_cycle(Timestamp now, CycleObserver& observer) {
  Session session(*cluster_, config_, now, memory_);
  session.open(&observer);
  observer.opened(session);
  for (const auto& action : config_.actions) {
    MUSTER_ASSERT(run_action(action, session));  // the configuration was checked when it was read
    observer.acted(session, action);
  }
  observer.closing(session);
  session.close(&observer);
  observer.closed(session);
}

void Scheduler::skip_cycle() { forget_gone(*cluster_, memory_); }

}  // namespace muster::volcano
