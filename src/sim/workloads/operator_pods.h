#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "sim/workloads/submitted.h"

namespace muster::sim {

// The schedulers that operators know, by the names that they write into pods however these run elsewhere.
inline constexpr std::string_view kVolcanoScheduler = "volcano";
inline constexpr std::string_view kKaiScheduler = "kai-scheduler";

// Refuses a workload that waits for somebody to resume it, or that another controller looks after.
Result<void> refuse_if_not_run(const Submitted& workload, std::string_view suspend, std::string_view managed_by,
                               std::string_view own_controller);
// An object that stands between the workload and its pods: its metadata, in the workload's namespace.
Submitted owned_object(const Submitted& workload, const grouping::ObjectKind& kind, std::string_view name, const Submitted& owner);
// A pod as a template says, owned by an object, with a name.
Tree named_pod(const Tree* pod_template, const Submitted& owner, std::string_view name);
// Writes labels over those that are there.
void add_labels(Tree& object, std::initializer_list<std::pair<std::string_view, std::string>> labels);

}  // namespace muster::sim
