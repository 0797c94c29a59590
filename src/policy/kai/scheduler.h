#pragma once

#include <memory>

#include "policy/kai/cycle_observer.h"
#include "policy/kai/session.h"

namespace muster::kai {

// The dialect as a whole: a cluster, a configuration, and cycles over them.
class Scheduler {
 public:
  Scheduler(std::unique_ptr<Cluster> cluster, Config config, SearchKind search);

  Cluster& cluster() { return *cluster_; }
  const Config& config() const { return config_; }
  // From the next cycle on. The cluster must remember what it asks for.
  void reconfigure(Config config) { config_ = std::move(config); }
  // Shared GPUs that cycles open get names of which the first part is this: see GpuGroupNames.
  void name_gpu_groups(std::string first_part) { memory_.gpu_groups.begin_with(std::move(first_part)); }

  // One cycle: open, every action in the configured order, close. Decisions are in the session that observers see.
  void run_cycle(Timestamp now, CycleObserver& observer);
  // Instead of a cycle, while another one decides: what is gone is forgotten, as when a cycle opens.
  void skip_cycle(Timestamp now);

 private:
  std::unique_ptr<Cluster> cluster_;
  Config config_;
  Memory memory_;
};

}  // namespace muster::kai
