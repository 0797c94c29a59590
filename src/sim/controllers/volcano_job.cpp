#include "sim/controllers/volcano_job.h"

#include <algorithm>

namespace muster::sim {
namespace {

std::vector<std::string_view> events_of(const Tree& policy) {
  std::vector<std::string_view> out;
  if (const auto* list = policy.find("events"); list != nullptr && list->is_list())
    for (const auto& one : *list->as_list())
      if (const auto* text = one.as_string()) out.push_back(*text);
  if (const auto event = policy.text_at("event"); !event.empty()) out.push_back(event);
  return out;
}

// The action of the first policy that the event is for; empty when there is none.
std::string action_in(const Tree* policies, const VolcanoEvent& event) {
  if (policies == nullptr || !policies->is_list()) return {};
  for (const auto& policy : *policies->as_list()) {
    if (policy.find("timeout") != nullptr) continue;
    const auto events = events_of(policy);
    const bool named = std::any_of(events.begin(), events.end(), [&](auto one) { return one == event.name || one == "*"; });
    const auto code = policy.integer_at("exitCode");
    if (named || (code && *code == event.exit_code)) return std::string(policy.text_at("action"));
  }
  return {};
}

}  // namespace

const Kind& volcano_job_kind() {
  static const Kind& kind = kind_named("batch.volcano.sh", "jobs");
  return kind;
}

const Kind& volcano_group_kind() {
  static const Kind& kind = kind_named("scheduling.volcano.sh", "podgroups");
  return kind;
}

std::string volcano_action(const VolcanoJob& job, const VolcanoEvent& event) {
  constexpr std::string_view kSync = "SyncJob";
  if (event.version < job.version) return std::string(kSync);  // of pods from before the last restart
  if (const auto* task = job.task(event.task))
    if (auto action = action_in(task->spec->find("policies"), event); !action.empty()) return action;
  if (auto action = action_in(job.tree.at("spec.policies"), event); !action.empty()) return action;
  return std::string(kSync);
}

}  // namespace muster::sim
