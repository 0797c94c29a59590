#pragma once

#include <memory>
#include <vector>

#include "daemon/cycle_loop.h"
#include "kube/audit.h"
#include "kube/event_queue.h"
#include "kube/reflector.h"

namespace muster::daemon {

// What follows a cluster, and the thread that decides; made anew when a configuration needs it.
struct Following {
  explicit Following(std::size_t most) : changes(most) {}

  kube::EventQueue changes;
  std::unique_ptr<CycleLoop> cycles;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors;  // on the loop's thread only
  std::unique_ptr<kube::Audit> audit;                        // as they

  // When we begin to lead: no cycle before all has been seen that whoever led before may have written.
  void catch_up();
};

}  // namespace muster::daemon
