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
Tree node_internal_address_cell(const Tree& node, Timestamp now);
Tree node_external_address_cell(const Tree& node, Timestamp now);
Tree node_kernel_cell(const Tree& node, Timestamp now);

Tree service_external_address_cell(const Tree& service, Timestamp now);
Tree service_ports_cell(const Tree& service, Timestamp now);

// Of the pods that a workload makes; of a CronJob those of its Jobs.
Tree containers_cell(const Tree& workload, Timestamp now);
Tree images_cell(const Tree& workload, Timestamp now);
Tree selector_cell(const Tree& workload, Timestamp now);
// Where the selector is a plain map of labels.
Tree plain_selector_cell(const Tree& object, Timestamp now);
Tree template_node_selector_cell(const Tree& workload, Timestamp now);
Tree replicas_ready_cell(const Tree& workload, Timestamp now);
Tree job_status_cell(const Tree& job, Timestamp now);
Tree job_completions_cell(const Tree& job, Timestamp now);
Tree job_duration_cell(const Tree& job, Timestamp now);
Tree cron_job_active_cell(const Tree& job, Timestamp now);
Tree cron_job_last_cell(const Tree& job, Timestamp now);

Tree event_last_seen_cell(const Tree& event, Timestamp now);
Tree event_first_seen_cell(const Tree& event, Timestamp now);
Tree event_object_cell(const Tree& event, Timestamp now);
Tree event_source_cell(const Tree& event, Timestamp now);
Tree event_count_cell(const Tree& event, Timestamp now);

Tree bound_role_cell(const Tree& binding, Timestamp now);
Tree bound_users_cell(const Tree& binding, Timestamp now);
Tree bound_groups_cell(const Tree& binding, Timestamp now);
Tree bound_accounts_cell(const Tree& binding, Timestamp now);

Tree drivers_count_cell(const Tree& node, Timestamp now);
Tree volume_phase_cell(const Tree& volume, Timestamp now);
Tree access_modes_cell(const Tree& volume, Timestamp now);
// Of a claim that has a volume; of another one nothing.
Tree claim_modes_cell(const Tree& claim, Timestamp now);
Tree claim_capacity_cell(const Tree& claim, Timestamp now);
Tree volume_claim_cell(const Tree& volume, Timestamp now);
Tree claim_state_cell(const Tree& claim, Timestamp now);

}  // namespace muster::sim
