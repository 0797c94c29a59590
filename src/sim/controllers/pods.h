#pragma once

#include <string_view>
#include <vector>

#include "sim/controllers/workbench.h"
#include "sim/workloads/pod_template.h"

namespace muster::sim {

// What controllers ask of pods, and do with them.
const Kind& pod_kind();
std::string_view phase_of(const Object& pod);
// Succeeded or Failed.
bool has_ended(const Object& pod);
// Neither ended nor being deleted.
bool is_active(const Object& pod);
// The condition Ready.
bool is_ready_pod(const Object& pod);

// What was made; nothing where the server refused it, of which there is then a Warning about the owner, that is looked at again
// ten seconds later, or where the owner is held: it is looked at again when that ends.
ObjectPtr create_pod(Workbench& bench, const Kind& kind, const Object& owner, Tree pod);
void delete_pod(Workbench& bench, const Object& pod);

// Those that can go best come first: without a node, not started, not ready, young ones, and by name.
void order_for_deletion(std::vector<ObjectPtr>& pods);

}  // namespace muster::sim
