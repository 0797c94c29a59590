#pragma once

#include <optional>
#include <string>

#include "daemon/live_cluster.h"
#include "kube/clock.h"
#include "metrics/kai_metrics.h"
#include "policy/kai/cycle_observer.h"
#include "policy/kai/session.h"

namespace muster::daemon {

// What KAI's metrics say of cycles. Those of the search for victims within a budget of time are not filled: nothing here stops a
// search by the clock.
class KaiNumbers {
 public:
  // With the prefix of --metrics-namespace; before the first cycle. The registry must outlive it.
  void show_in(metrics::Registry& registry, const std::string& metrics_namespace) { metrics_.emplace(registry, metrics_namespace); }

  // While the session is still there. Its times are those that the outcome has so far.
  void on_cycle(const kai::Session& session, const CycleOutcome& outcome);
  void on_plugin(std::string_view plugin, kai::CycleObserver::PluginTurn turn, std::int64_t micros);
  // The server took a bind, or the order for one.
  void on_bind_taken(kube::Duration took);
  // Whoever knows what queues used has answered, well or not. For any thread.
  void on_usage_answer(kube::Duration took);
  void on_group_gone(const std::string& uid) {
    if (metrics_) metrics_->remove_pod_group(uid);
  }

 private:
  void take_times(const CycleOutcome& outcome);
  void take_decisions(const kai::Session& session);
  void take_queues(const kai::Session& session);

  std::optional<metrics::KaiMetrics> metrics_;  // none: nobody looks
};

}  // namespace muster::daemon
