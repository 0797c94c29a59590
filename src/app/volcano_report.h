#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/volcano/scheduler.h"

namespace muster {

// A decision to evict a pod, with its reason.
struct Eviction {
  std::string pod;
  std::string job;      // whose pod it is; empty: of no job
  std::string node;     // that it has to leave
  std::string rule;     // the action that decided it
  std::string for_job;  // for whom room is made; empty: for nobody in particular
  std::string for_pod;
  std::string why = {};  // all of that in words, where more is known than what the rule means in general
};

// "a plugin asked for it to be moved": why one of Volcano's actions evicts; empty for others.
std::string_view volcano_rule_text(std::string_view rule);

// What one cycle of the Volcano dialect did, in names: the keys of the conformance format.
struct VolcanoCycle {
  std::map<std::string, std::string> binds;
  std::map<std::string, std::map<std::string, std::string>> bind_annotations;
  std::vector<std::string> evicted;
  std::map<std::string, std::string> evict_reasons;  // by which action
  std::vector<Eviction> evictions;                   // the same with their reasons, in the order in which they were decided
  std::map<std::string, std::string> pipelined;
  std::map<std::string, std::string> allocated_not_bound;
  std::map<std::string, std::string> podgroup_phase;
  std::map<std::string, std::map<std::string, Condition>> podgroup_conditions;
  std::map<std::string, std::vector<std::string>> podgroup_events;
  std::map<std::string, std::pair<std::string, std::string>> pod_conditions;  // reason, message
  std::map<std::string, std::string> nominated;
  std::map<std::string, ResourceList> queue_allocated;
  std::map<std::string, std::map<std::string, std::uint32_t>> task_status_nums;
  std::vector<std::string> warnings;                              // what went wrong outside of any job
  bool has_claims = false;                                        // the cluster has resource claims
  std::map<std::string, std::vector<std::string>> claim_devices;  // "request=driver/pool/device" of claims that have devices
};

// What went wrong in all of them, each once.
std::vector<std::string> warnings_of(const std::vector<VolcanoCycle>& cycles);

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
