#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/volcano/scheduler.h"

namespace muster {

// What one cycle of the Volcano dialect did, in names: the keys of the conformance format.
struct VolcanoCycle {
  std::map<std::string, std::string> binds;
  std::map<std::string, std::map<std::string, std::string>> bind_annotations;
  std::vector<std::string> evicted;
  std::map<std::string, std::string> pipelined;
  std::map<std::string, std::string> allocated_not_bound;
  std::map<std::string, std::string> podgroup_phase;
  std::map<std::string, std::map<std::string, Condition>> podgroup_conditions;
  std::map<std::string, std::vector<std::string>> podgroup_events;
  std::map<std::string, std::pair<std::string, std::string>> pod_conditions;  // reason, message
  std::map<std::string, std::string> nominated;
  std::map<std::string, ResourceList> queue_allocated;
  std::map<std::string, std::map<std::string, std::uint32_t>> task_status_nums;
};

// Collects a cycle while it runs. What is only planned is seen when the actions are over and gone when the cycle has closed.
class VolcanoReporter {
 public:
  void before_close(volcano::Session& session);
  void after_close(volcano::Session& session);
  VolcanoCycle take() { return std::move(cycle_); }

 private:
  VolcanoCycle cycle_;
};

}  // namespace muster
