#include "policy/kai/scheduler.h"

#include "base/assert.h"
#include "policy/kai/registry.h"

namespace muster::kai {

Scheduler::Scheduler(std::unique_ptr<Cluster> cluster, Config config, SearchKind search)
    : cluster_(std::move(cluster)), config_(std::move(config)) {
  memory_.search = search;
}

void Scheduler::run_cycle(Timestamp now, CycleObserver& observer) {
  Session session(*cluster_, config_, now, memory_);
  session.open(&observer);
  observer.opened(session);
  for (const auto& action : config_.actions) {
    MUSTER_ASSERT(run_action(action, session));  // the configuration was checked when it was read
    observer.acted(session, action);
  }
  session.close(&observer);
  observer.closed(session);
  session.release();
}

void Scheduler::skip_cycle(Timestamp now) { refresh(*cluster_, memory_, now); }

}  // namespace muster::kai
