#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/workbench.h"
#include "sim/workloads/pod_template.h"

namespace muster::sim {

// --- what controllers ask of pods -------------------------------------------------------------------------------------

const Kind& pod_kind();
std::string_view phase_of(const Object& pod);
// Succeeded or Failed.
bool has_ended(const Object& pod);
// Neither ended nor being deleted.
bool is_active(const Object& pod);
// The condition Ready.
bool is_ready_pod(const Object& pod);

// --- and do with them -------------------------------------------------------------------------------------------------

// What was made; nothing where the server refused it, of which there is then a Warning about the owner, that is looked at again
// ten seconds later.
ObjectPtr create_pod(Workbench& bench, const Kind& kind, const Object& owner, Tree pod);
void delete_pod(Workbench& bench, const Object& pod);

// Those that can go best come first: without a node, not started, not ready, young ones, and by name.
void order_for_deletion(std::vector<ObjectPtr>& pods);

// --- small things of objects ------------------------------------------------------------------------------------------

const Tree* status_condition(const Tree& object, std::string_view type);
bool has_true_condition(const Tree& object, std::string_view type);
// Times change only with the status.
void put_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                   const std::string& now);
// In seconds; nothing where there is no time.
std::optional<std::int64_t> time_at(const Tree& object, std::string_view path);
// A few letters and digits that differ when the text differs.
std::string short_hash(const std::string& text);

}  // namespace muster::sim
