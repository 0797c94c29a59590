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

  // Whoever led before may have bound pods, or asked for it, and our watches have not told of it.
  void list_binds_again() {
    for (auto& reflector : reflectors) {
      const auto kind = reflector->kind().kind;
      if ((kind == "Pod" || kind == "BindRequest") && reflector->list_again()) cycles->await_list();
    }
  }
};

}  // namespace muster::daemon
