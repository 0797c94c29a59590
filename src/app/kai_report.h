#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/outcome_json.h"
#include "app/stopwatch.h"
#include "policy/kai/scheduler.h"

namespace muster {

// What one cycle of the KAI dialect did, in names: the keys of the conformance format.
struct KaiCycle {
  struct PodPlace {
    std::string status;
    std::string node;
  };
  struct Evictor {
    std::string action;
    std::string preemptor;  // the job for which it was; empty: for nobody
    std::string node;       // that the pod has to leave
    std::string why = {};   // in words, where somebody asked for them
  };
  struct Bind {
    std::string node;
    std::string type;
    std::vector<std::string> gpu_groups;
    std::int64_t gpu_count = 0;
    std::string gpu_portion;
    std::vector<NumaZoneShare> numa;
    std::map<std::string, std::vector<std::string>> claims;  // by the claim's name in the pod: devices
    std::vector<std::string> extended;                       // devices that stand for resources of containers
  };
  std::map<std::string, std::string> binds;
  std::map<std::string, Bind> bind_details;  // of binds that are more than a node
  std::vector<std::string> evicted;
  std::map<std::string, Evictor> evicted_by;
  std::map<std::string, std::string> pipelined;
  std::map<std::string, PodPlace> pods;
  std::map<std::string, std::vector<std::string>> unschedulable_reasons;
  std::map<std::string, kai::Quantities> fair_share;
  std::vector<std::string> last_start_set, stale_set;
};

// Where each pod that takes part stands.
std::map<std::string, KaiCycle::PodPlace> pods_of(const kai::Cluster& cluster);

// Measures the phases of a cycle and collects what it did.
class KaiRecorder final : public kai::CycleObserver {
 public:
  void opened(kai::Session& session) override;
  void acted(kai::Session& session, std::string_view action) override;
  void closed(kai::Session& session) override;

  const CycleTiming& timing() const { return timing_; }
  const std::string& refusal() const { return refusal_; }
  KaiCycle take() { return std::move(cycle_); }
  // Statuses at the end of the cycle, of pods that take part.
  const std::vector<std::pair<PodId, kai::Status>>& statuses() const { return statuses_; }
  const Outbox& outbox() const { return outbox_; }

 private:
  Stopwatch watch_;
  CycleTiming timing_;
  KaiCycle cycle_;
  std::vector<std::pair<PodId, kai::Status>> statuses_;
  Outbox outbox_;
  std::string refusal_;
};

// The outcome of cycles as one line of JSON. `final_pods` is how the pods are left, of several cycles only.
std::string kai_outcome_json(std::optional<std::string_view> id, const std::vector<KaiCycle>& cycles,
                             const std::map<std::string, std::string>& final_pods, const CaseTiming* timing);

}  // namespace muster
