#pragma once

#include <memory>

#include "policy/volcano/cycle_observer.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

// The dialect as a whole: a cluster, a configuration, and cycles over them.
class Scheduler {
 public:
  Scheduler(std::unique_ptr<Cluster> cluster, Config config, Behaviour behaviour, SearchKind search);

  Cluster& cluster() { return *cluster_; }
  const Cluster& cluster() const { return *cluster_; }
  const Config& config() const { return config_; }
  const Behaviour& behaviour() const { return memory_.behaviour; }
  // Through which the plugin extender asks, from the next cycle on.
  void set_extender(std::shared_ptr<ExtenderClient> extender) { memory_.extender = std::move(extender); }

  // Another configuration, from the next cycle on. The cluster must remember what it asks for (remember_for).
  void reconfigure(Config config);

  // One cycle: open, every action in the configured order, close. Decisions and writes are in the session that observers see.
  void run_cycle(Timestamp now, CycleObserver& observer);
  // Instead of a cycle, while another one decides: what is gone is forgotten, as when a cycle opens.
  void skip_cycle();

 private:
  std::unique_ptr<Cluster> cluster_;
  Config config_;
  Memory memory_;
};

}  // namespace muster::volcano
