#pragma once

#include <memory>
#include <string_view>

#include "daemon/live_cluster.h"
#include "kube/clock.h"
#include "metrics/registry.h"
#include "policy/volcano/session.h"

namespace muster::daemon {

// What Volcano's metrics say of a scheduler that runs. While they are shown nowhere, nothing is kept. All on one thread.
class VolcanoNumbers {
 public:
  VolcanoNumbers();
  ~VolcanoNumbers();

  // Before the first object is told. Both must outlive it.
  void show_in(metrics::Registry& registry, const kube::Clock& clock);
  bool are_shown() const { return shown_ != nullptr; }

  // ---- objects
  // A cluster is followed from its beginning: what was told of an earlier one is over.
  void on_start();
  // A pod that this scheduler is to place, new or changed.
  void on_pod(const Pod& pod);
  void on_gone(const kube::ResourceKind& kind, const kube::Identity& id);
  // What a pod's bind had to wait for, volumes and devices, is there after this time.
  void on_prepared(const Timestamp& created, kube::Duration took);
  // The server was asked to bind a pod, and did so within this time.
  void on_bound(const Timestamp& created, kube::Duration took);

  // ---- a cycle
  void on_open(volcano::Session& session);
  void on_closing(volcano::Session& session);
  void on_closed(volcano::Session& session, const CycleOutcome& outcome);
  enum class PluginTurn { kOpen, kClose };
  void on_plugin(std::string_view plugin, PluginTurn turn, kube::Duration took);
  enum class SearchStage { kPredicate, kScoring };
  void on_search(SearchStage stage, kube::Duration took);

 private:
  struct Shown;
  std::unique_ptr<Shown> shown_;
};

}  // namespace muster::daemon
