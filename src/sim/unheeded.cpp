#include "sim/unheeded.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::sim {
namespace {

struct UnheededKind {
  std::string_view group;
  std::string_view kind;
  std::string_view what;
};

constexpr std::array kUnheededKinds{
    UnheededKind{"", "LimitRange", "LimitRanges have no effect"},
    UnheededKind{"", "ResourceQuota", "ResourceQuotas have no effect"},
    UnheededKind{"", "ReplicationController", "ReplicationControllers make no pods"},
    UnheededKind{"apps", "DaemonSet", "DaemonSets make no pods"},
    UnheededKind{"batch", "CronJob", "CronJobs make no Jobs"},
};

struct UnheededField {
  std::string_view group;
  std::string_view kind;
  std::string_view path;
};

constexpr std::array kUnheededFields{
    UnheededField{"apps", "Deployment", "spec.minReadySeconds"}, UnheededField{"apps", "StatefulSet", "spec.volumeClaimTemplates"},
    UnheededField{"batch", "Job", "spec.backoffLimitPerIndex"},  UnheededField{"batch", "Job", "spec.maxFailedIndexes"},
    UnheededField{"batch", "Job", "spec.podFailurePolicy"},      UnheededField{"batch", "Job", "spec.successPolicy"},
    UnheededField{"batch.volcano.sh", "Job", "spec.plugins"},    UnheededField{"batch.volcano.sh", "Job", "spec.volumes"},
};

template <class Row>
bool is_about(const Row& row, const Kind& kind) {
  return row.group == kind.group && row.kind == kind.kind;
}

constexpr std::string_view kHere = "in the embedded cluster";

// Nothing, false, 0 and what is empty ask for nothing.
bool asks(const Tree* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto* members = value->as_map()) return !members->empty();
  if (const auto* items = value->as_list()) return !items->empty();
  return value->as_integer() != 0;
}

bool waits(const Tree& policy) { return asks(policy.find("timeout")); }

bool has_policy_that_waits(const Tree* policies) {
  return policies != nullptr && policies->is_list() && std::ranges::any_of(*policies->as_list(), waits);
}

void add_waiting_policies(const Tree& job, std::vector<std::string>& out) {
  const auto add = [&](std::string_view path) {
    out.push_back(fmt::format("{}: policies with a timeout have no effect {}", path, kHere));
  };
  if (has_policy_that_waits(job.at("spec.policies"))) add("spec.policies");
  const auto* tasks = job.at("spec.tasks");
  if (tasks == nullptr || !tasks->is_list()) return;
  const auto& items = *tasks->as_list();
  const auto found = std::ranges::find_if(items, [](const Tree& task) { return has_policy_that_waits(task.find("policies")); });
  if (found != items.end()) add(fmt::format("spec.tasks[{}].policies", found - items.begin()));
}

}  // namespace

bool has_unheeded(const Kind& kind) {
  const auto about = [&](const auto& row) { return is_about(row, kind); };
  return std::ranges::any_of(kUnheededKinds, about) || std::ranges::any_of(kUnheededFields, about);
}

std::vector<std::string> unheeded(const Kind& kind, const Tree& object) {
  std::vector<std::string> out;
  for (const auto& one : kUnheededKinds)
    if (is_about(one, kind)) out.push_back(fmt::format("{} {}", one.what, kHere));
  for (const auto& one : kUnheededFields)
    if (is_about(one, kind) && asks(object.at(one.path))) out.push_back(fmt::format("{} has no effect {}", one.path, kHere));
  if (kind.group == "batch.volcano.sh" && kind.kind == "Job") add_waiting_policies(object, out);
  return out;
}

}  // namespace muster::sim
