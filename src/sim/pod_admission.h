#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api_error.h"
#include "sim/store.h"

namespace muster::sim {

// What a server writes into pods that name nobody.
inline constexpr std::string_view kDefaultScheduler = "default-scheduler";

// What the API server writes into the spec of a pod, alone or in a template: policies, and requests where only limits are given.
void default_pod_spec(Tree& spec);
void default_pod(Tree& pod);
// Its address stands in two fields of the status, of which podIP counts.
void repeat_pod_address(Tree& pod);

// "Guaranteed", "Burstable" or "BestEffort", by the requests and limits of its containers.
std::string_view quality_of(const Tree& pod);

// The priority of its class, and what must be there.
Answered<void> admit_new_pod(Tree& pod, const Store& store);
void check_containers(const Tree* spec, const std::string& path, std::vector<Cause>& wrong);
// Of the spec of a pod only few fields may change.
Answered<void> check_pod_change(const Tree& before, const Tree& after);

}  // namespace muster::sim
