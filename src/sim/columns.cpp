#include "sim/columns.h"

#include <algorithm>
#include <array>

#include "sim/cells.h"

namespace muster::sim {
namespace {

constexpr Column kName{.name = "Name", .path = "metadata.name"};
constexpr Column kAge{.name = "Age", .cell = age_cell};
constexpr int kWide = 1;

constexpr Column text(std::string_view name, std::string_view path, int priority = 0) {
  return {.name = name, .priority = priority, .path = path};
}
constexpr Column number(std::string_view name, std::string_view path, int priority = 0) {
  return {.name = name, .type = "integer", .priority = priority, .path = path};
}
constexpr Column made(std::string_view name, Tree (*cell)(const Tree&, Timestamp), int priority = 0) {
  return {.name = name, .priority = priority, .cell = cell};
}

constexpr Column or_else(Column column, std::string_view absent) {
  column.absent = absent;
  return column;
}
// Custom resources show nothing where there is nothing.
constexpr Column own_text(std::string_view name, std::string_view path, int priority = 0) {
  return or_else(text(name, path, priority), "");
}
constexpr Column own_number(std::string_view name, std::string_view path) { return or_else(number(name, path), ""); }

// What a real server has no columns for.
constexpr std::array kUnknown{kName, text("Created At", "metadata.creationTimestamp")};
constexpr std::array kPlain{kName, kAge};
constexpr auto kContainers = made("Containers", containers_cell, kWide);
constexpr auto kImages = made("Images", images_cell, kWide);
constexpr auto kSelector = made("Selector", selector_cell, kWide);
constexpr auto kPlainSelector = made("Selector", plain_selector_cell, kWide);
constexpr std::array kPod{kName,
                          made("Ready", pod_ready_cell),
                          made("Status", pod_status_cell),
                          made("Restarts", pod_restarts_cell),
                          kAge,
                          text("IP", "status.podIP", kWide),
                          text("Node", "spec.nodeName", kWide),
                          text("Nominated Node", "status.nominatedNodeName", kWide),
                          made("Readiness Gates", pod_gates_cell, kWide)};
constexpr std::array kNode{kName,
                           made("Status", node_status_cell),
                           made("Roles", node_roles_cell),
                           kAge,
                           or_else(text("Version", "status.nodeInfo.kubeletVersion"), ""),
                           made("Internal-IP", node_internal_address_cell, kWide),
                           made("External-IP", node_external_address_cell, kWide),
                           or_else(text("OS-Image", "status.nodeInfo.osImage", kWide), "<unknown>"),
                           made("Kernel-Version", node_kernel_cell, kWide),
                           or_else(text("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", kWide), "<unknown>")};
constexpr std::array kNamespace{kName, text("Status", "status.phase"), kAge};
constexpr std::array kService{kName,
                              text("Type", "spec.type"),
                              text("Cluster-IP", "spec.clusterIP"),
                              made("External-IP", service_external_address_cell),
                              made("Port(s)", service_ports_cell),
                              kAge,
                              kPlainSelector};
constexpr std::array kConfigMap{kName, made("Data", data_count_cell), kAge};
constexpr std::array kSecret{kName, text("Type", "type"), made("Data", data_count_cell), kAge};
constexpr std::array kEvent{made("Last Seen", event_last_seen_cell),
                            text("Type", "type"),
                            text("Reason", "reason"),
                            made("Object", event_object_cell),
                            or_else(text("Subobject", "involvedObject.fieldPath", kWide), ""),
                            made("Source", event_source_cell, kWide),
                            text("Message", "message"),
                            made("First Seen", event_first_seen_cell, kWide),
                            made("Count", event_count_cell, kWide),
                            text("Name", "metadata.name", kWide)};
constexpr auto kVolumeAttributes = or_else(text("VolumeAttributesClass", "spec.volumeAttributesClassName"), "<unset>");
constexpr auto kVolumeMode = or_else(text("VolumeMode", "spec.volumeMode", kWide), "<unset>");
constexpr std::array kVolume{kName,
                             or_else(text("Capacity", "spec.capacity.storage"), "0"),
                             made("Access Modes", access_modes_cell),
                             own_text("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
                             made("Status", volume_phase_cell),
                             made("Claim", volume_claim_cell),
                             own_text("StorageClass", "spec.storageClassName"),
                             kVolumeAttributes,
                             own_text("Reason", "status.reason"),
                             kAge,
                             kVolumeMode};
constexpr std::array kVolumeClaim{kName,
                                  made("Status", volume_phase_cell),
                                  own_text("Volume", "spec.volumeName"),
                                  made("Capacity", claim_capacity_cell),
                                  made("Access Modes", claim_modes_cell),
                                  own_text("StorageClass", "spec.storageClassName"),
                                  kVolumeAttributes,
                                  kAge,
                                  kVolumeMode};
constexpr std::array kDeployment{kName,
                                 made("Ready", replicas_ready_cell),
                                 number("Up-to-date", "status.updatedReplicas"),
                                 number("Available", "status.availableReplicas"),
                                 kAge,
                                 kContainers,
                                 kImages,
                                 kSelector};
constexpr auto kDesired = number("Desired", "spec.replicas");
constexpr auto kCurrent = number("Current", "status.replicas");
constexpr auto kReady = number("Ready", "status.readyReplicas");
constexpr std::array kReplicaSet{kName, kDesired, kCurrent, kReady, kAge, kContainers, kImages, kSelector};
constexpr std::array kReplicationController{kName, kDesired, kCurrent, kReady, kAge, kContainers, kImages, kPlainSelector};
constexpr std::array kStatefulSet{kName, made("Ready", replicas_ready_cell), kAge, kContainers, kImages};
constexpr std::array kDaemonSet{kName,
                                number("Desired", "status.desiredNumberScheduled"),
                                number("Current", "status.currentNumberScheduled"),
                                number("Ready", "status.numberReady"),
                                number("Up-to-date", "status.updatedNumberScheduled"),
                                number("Available", "status.numberAvailable"),
                                made("Node Selector", template_node_selector_cell),
                                kAge,
                                kContainers,
                                kImages,
                                kSelector};
constexpr std::array kJob{kName,
                          made("Status", job_status_cell),
                          made("Completions", job_completions_cell),
                          made("Duration", job_duration_cell),
                          kAge,
                          kContainers,
                          kImages,
                          kSelector};
constexpr std::array kCronJob{kName,
                              text("Schedule", "spec.schedule"),
                              text("Timezone", "spec.timeZone"),
                              text("Suspend", "spec.suspend"),
                              made("Active", cron_job_active_cell),
                              made("Last Schedule", cron_job_last_cell),
                              kAge,
                              kContainers,
                              kImages,
                              kSelector};
constexpr std::array kLease{kName, own_text("Holder", "spec.holderIdentity"), kAge};
constexpr std::array kRoleBinding{kName,
                                  made("Role", bound_role_cell),
                                  kAge,
                                  made("Users", bound_users_cell, kWide),
                                  made("Groups", bound_groups_cell, kWide),
                                  made("ServiceAccounts", bound_accounts_cell, kWide)};
constexpr std::array kBudget{kName, or_else(text("Min Available", "spec.minAvailable"), "N/A"),
                             or_else(text("Max Unavailable", "spec.maxUnavailable"), "N/A"),
                             number("Allowed Disruptions", "status.disruptionsAllowed"), kAge};
constexpr std::array kPriorityClass{kName, number("Value", "value"), or_else(text("Global-Default", "globalDefault"), "false"),
                                    kAge, text("PreemptionPolicy", "preemptionPolicy")};
constexpr std::array kStorageClass{kName,
                                   text("Provisioner", "provisioner"),
                                   text("ReclaimPolicy", "reclaimPolicy"),
                                   text("VolumeBindingMode", "volumeBindingMode"),
                                   or_else(text("AllowVolumeExpansion", "allowVolumeExpansion"), "false"),
                                   kAge};
constexpr std::array kResourceClaim{kName, made("State", claim_state_cell), kAge};
constexpr std::array kCsiNode{kName, made("Drivers", drivers_count_cell), kAge};
constexpr std::array kResourceSlice{kName, own_text("Node", "spec.nodeName"), text("Driver", "spec.driver"),
                                    text("Pool", "spec.pool.name"), kAge};
// Those of the custom resources are the columns of the CustomResourceDefinitions in deploy/crds.
constexpr std::array kVolcanoJob{kName,
                                 own_text("STATUS", "status.state.phase"),
                                 own_number("minAvailable", "spec.minAvailable"),
                                 own_number("RUNNINGS", "status.running"),
                                 made("AGE", age_cell),
                                 own_text("QUEUE", "spec.queue", kWide)};
constexpr std::array kVolcanoQueue{kName, own_text("PARENT", "spec.parent")};
constexpr std::array kVolcanoGroup{kName,
                                   own_text("STATUS", "status.phase"),
                                   own_number("minMember", "spec.minMember"),
                                   own_number("RUNNINGS", "status.running"),
                                   made("AGE", age_cell),
                                   own_text("QUEUE", "spec.queue", kWide)};
constexpr std::array kNodeShard{kName, made("AGE", age_cell)};
constexpr std::array kHyperNode{kName, own_text("Tier", "spec.tier"), own_text("TierName", "spec.tierName"),
                                own_number("NodeCount", "status.nodeCount"), kAge};
constexpr std::array kKaiQueue{kName, own_text("Priority", "spec.priority"), own_text("Parent", "spec.parentQueue"),
                               own_text("Children", "status.childQueues"), own_text("DisplayName", "spec.displayName")};

struct ColumnsOfKind {
  std::string_view group;
  std::string_view kind;
  std::span<const Column> columns;
};
constexpr std::array kColumns{
    ColumnsOfKind{"", "Pod", kPod},
    ColumnsOfKind{"", "Node", kNode},
    ColumnsOfKind{"", "Namespace", kNamespace},
    ColumnsOfKind{"", "Service", kService},
    ColumnsOfKind{"", "ConfigMap", kConfigMap},
    ColumnsOfKind{"", "Secret", kSecret},
    ColumnsOfKind{"", "Event", kEvent},
    ColumnsOfKind{"events.k8s.io", "Event", kEvent},
    ColumnsOfKind{"", "PersistentVolume", kVolume},
    ColumnsOfKind{"", "PersistentVolumeClaim", kVolumeClaim},
    ColumnsOfKind{"", "ReplicationController", kReplicationController},
    ColumnsOfKind{"", "LimitRange", kUnknown},
    ColumnsOfKind{"apps", "Deployment", kDeployment},
    ColumnsOfKind{"apps", "ReplicaSet", kReplicaSet},
    ColumnsOfKind{"apps", "StatefulSet", kStatefulSet},
    ColumnsOfKind{"apps", "DaemonSet", kDaemonSet},
    ColumnsOfKind{"batch", "Job", kJob},
    ColumnsOfKind{"batch", "CronJob", kCronJob},
    ColumnsOfKind{"coordination.k8s.io", "Lease", kLease},
    ColumnsOfKind{"policy", "PodDisruptionBudget", kBudget},
    ColumnsOfKind{"rbac.authorization.k8s.io", "ClusterRole", kUnknown},
    ColumnsOfKind{"rbac.authorization.k8s.io", "ClusterRoleBinding", kRoleBinding},
    ColumnsOfKind{"rbac.authorization.k8s.io", "Role", kUnknown},
    ColumnsOfKind{"rbac.authorization.k8s.io", "RoleBinding", kRoleBinding},
    ColumnsOfKind{"scheduling.k8s.io", "PriorityClass", kPriorityClass},
    ColumnsOfKind{"storage.k8s.io", "CSINode", kCsiNode},
    ColumnsOfKind{"storage.k8s.io", "StorageClass", kStorageClass},
    ColumnsOfKind{"resource.k8s.io", "ResourceClaim", kResourceClaim},
    ColumnsOfKind{"resource.k8s.io", "ResourceSlice", kResourceSlice},
    ColumnsOfKind{"batch.volcano.sh", "Job", kVolcanoJob},
    ColumnsOfKind{"scheduling.volcano.sh", "Queue", kVolcanoQueue},
    ColumnsOfKind{"scheduling.volcano.sh", "PodGroup", kVolcanoGroup},
    ColumnsOfKind{"shard.volcano.sh", "NodeShard", kNodeShard},
    ColumnsOfKind{"topology.volcano.sh", "HyperNode", kHyperNode},
    ColumnsOfKind{"scheduling.run.ai", "Queue", kKaiQueue},
};

}  // namespace

Tree Column::value(const Tree& object, Timestamp now) const {
  if (cell != nullptr) return cell(object, now);
  const auto* found = object.at(path);
  if (found == nullptr || found->is_null()) return type == "integer" && !absent.empty() ? Tree(std::int64_t{0}) : Tree(absent);
  if (type == "integer") return *found;
  return Tree(found->is_map() || found->is_list() ? found->text() : found->scalar_text());
}

std::span<const Column> columns_of(const Kind& kind) {
  const auto* found = std::find_if(kColumns.begin(), kColumns.end(),
                                   [&](const ColumnsOfKind& one) { return one.group == kind.group && one.kind == kind.kind; });
  return found == kColumns.end() ? std::span<const Column>(kPlain) : found->columns;
}

}  // namespace muster::sim
