#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/cycle_loop.h"
#include "daemon/profiler.h"
#include "daemon/write_queue.h"
#include "metrics/own_metrics.h"
#include "metrics/process_metrics.h"
#include "metrics/registry.h"
#include "server/server.h"

namespace muster::daemon {

struct MonitorSettings {
  std::string listen;           // for /metrics and the rest; empty: nowhere
  std::string token_file = {};  // of what others than this machine need for all but health and metrics; empty: they get none of it
  std::vector<std::string> names = {};  // besides localhost, by which clients on this machine may call it
  std::string healthz;                  // for /healthz and /readyz alone; empty: only where the rest is
  std::string profiles = {};            // for profiles; may be where the rest is; empty: nowhere
};

// How it went when the configuration was read again.
enum class Reload { kGood, kRefused, kUnreadable };

// What a running scheduler shows of itself: health, readiness, metrics. Values may be told from any thread.
class Monitor {
 public:
  struct Questions {
    std::function<bool()> ready;
    std::function<bool()> leading;
    std::function<std::size_t()> synced_kinds = {};
    std::function<bool()> evictions_stopped = {};
    std::function<void(server::Router&)> add_routes = {};  // of what is served beside the metrics
  };
  Monitor(MonitorSettings settings, Questions questions, Log& log);

  // An address that cannot be listened on is an error.
  Result<void> start();
  void stop();

  metrics::Registry& registry() { return registry_; }
  metrics::OwnMetrics& own() { return own_; }
  void on_cycle(const CycleOutcome& outcome);
  void on_outcome(std::string_view kind, kube::WriteOutcome outcome, const Decided& by);
  void on_first_bind(kube::Duration waited);
  void on_reload(Reload how);
  void on_watch_problem(std::string_view kind);
  void on_writes(const WriteQueue::Counts& counts);
  void on_audited(std::size_t objects);
  void on_mismatch(std::string_view kind);
  void on_broken(std::string_view invariant);

 private:
  server::Router health() const;
  server::Router everything();
  server::Router profiles();
  Result<void> listen(const std::string& address, server::Router router);

  const MonitorSettings settings_;
  std::string token_;
  Questions questions_;
  Log& log_;
  metrics::Registry registry_;
  metrics::OwnMetrics own_;
  metrics::ProcessMetrics process_;
  Profiler profiler_;
  std::vector<std::unique_ptr<server::Server>> servers_;
};

}  // namespace muster::daemon
