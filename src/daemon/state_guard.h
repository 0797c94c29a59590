#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/cycle_loop.h"
#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/trust.h"
#include "kube/audit.h"

namespace muster::daemon {

// Looks after what is remembered of the cluster: has it compared with the API server, and does what is to be done when it turns out
// to be wrong. What differs is told anew; once may be a fault of a watch. The second time, or when an invariant is broken, it is
// ours: then evictions stop, until everything was made anew from fresh lists and found in order.
class StateGuard {
 public:
  struct Means {
    std::function<void()> stop_evicting;
    std::function<void(kube::Duration)> make_anew_after;
  };
  StateGuard(const kube::Clock& clock, TrustSettings trust, kube::AuditSettings audit, Monitor& monitor, Log& log, Means means)
      : trust_(clock, trust), audit_(audit), monitor_(monitor), log_(log), means_(std::move(means)) {}

  // Everything is being made anew. Whether evictions are allowed at once, or when a first check has found everything in order.
  Evictions begin_anew();
  // Has a deciding thread tell what it finds.
  void link(CycleLoop::Links& links);
  // What compares; on the loop's thread.
  std::unique_ptr<kube::Audit> start_audit(kube::Loop& loop, const std::vector<std::unique_ptr<kube::Reflector>>& reflectors);

  // From any thread.
  bool evictions_stopped() const { return trust_.is_doubted(); }

 private:
  void on_mismatch(const kube::ResourceKind& kind, const kube::Identity& id, std::string_view what);
  void doubt(std::string_view invariant, const std::string& what, const Decided& found);

  Trust trust_;
  const kube::AuditSettings audit_;
  Monitor& monitor_;
  Log& log_;
  const Means means_;
};

}  // namespace muster::daemon
