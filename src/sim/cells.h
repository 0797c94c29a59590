#pragma once

#include <string>

#include "model/time.h"
#include "sim/tree.h"

namespace muster::sim {

// Cells that are more than a field of the object.
Tree age_cell(const Tree& object, Timestamp now);
Tree data_count_cell(const Tree& object, Timestamp now);

Tree pod_ready_cell(const Tree& pod, Timestamp now);
Tree pod_status_cell(const Tree& pod, Timestamp now);
Tree pod_restarts_cell(const Tree& pod, Timestamp now);
Tree pod_gates_cell(const Tree& pod, Timestamp now);

Tree node_status_cell(const Tree& node, Timestamp now);
Tree node_roles_cell(const Tree& node, Timestamp now);
Tree node_address_cell(const Tree& node, Timestamp now);

Tree service_ports_cell(const Tree& service, Timestamp now);
Tree replicas_ready_cell(const Tree& workload, Timestamp now);
Tree job_status_cell(const Tree& job, Timestamp now);
Tree job_completions_cell(const Tree& job, Timestamp now);
Tree job_duration_cell(const Tree& job, Timestamp now);

Tree event_last_seen_cell(const Tree& event, Timestamp now);
Tree event_first_seen_cell(const Tree& event, Timestamp now);
Tree event_object_cell(const Tree& event, Timestamp now);
Tree event_source_cell(const Tree& event, Timestamp now);

Tree access_modes_cell(const Tree& volume, Timestamp now);
Tree volume_claim_cell(const Tree& volume, Timestamp now);
Tree claim_state_cell(const Tree& claim, Timestamp now);

}  // namespace muster::sim
