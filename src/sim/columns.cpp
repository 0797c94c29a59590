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

constexpr std::array kPlain{kName, kAge};
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
                           text("Version", "status.nodeInfo.kubeletVersion"),
                           made("Internal-IP", node_address_cell, kWide),
                           text("OS-Image", "status.nodeInfo.osImage", kWide),
                           text("Kernel-Version", "status.nodeInfo.kernelVersion", kWide),
                           text("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", kWide)};
constexpr std::array kNamespace{kName, text("Status", "status.phase"), kAge};
constexpr std::array kService{kName,
                              text("Type", "spec.type"),
                              text("Cluster-IP", "spec.clusterIP"),
                              text("External-IP", "spec.externalIPs"),
                              made("Port(s)", service_ports_cell),
                              kAge};
constexpr std::array kConfigMap{kName, made("Data", data_count_cell), kAge};
constexpr std::array kSecret{kName, text("Type", "type"), made("Data", data_count_cell), kAge};
constexpr std::array kEvent{made("Last Seen", event_last_seen_cell),
                            text("Type", "type"),
                            text("Reason", "reason"),
                            made("Object", event_object_cell),
                            text("Subobject", "involvedObject.fieldPath", kWide),
                            made("Source", event_source_cell, kWide),
                            text("Message", "message"),
                            made("First Seen", event_first_seen_cell, kWide),
                            number("Count", "count", kWide),
                            text("Name", "metadata.name", kWide)};
constexpr std::array kVolume{kName,
                             text("Capacity", "spec.capacity.storage"),
                             made("Access Modes", access_modes_cell),
                             text("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
                             text("Status", "status.phase"),
                             made("Claim", volume_claim_cell),
                             text("StorageClass", "spec.storageClassName"),
                             text("Reason", "status.reason"),
                             kAge};
constexpr std::array kVolumeClaim{kName,
                                  text("Status", "status.phase"),
                                  text("Volume", "spec.volumeName"),
                                  text("Capacity", "status.capacity.storage"),
                                  made("Access Modes", access_modes_cell),
                                  text("StorageClass", "spec.storageClassName"),
                                  kAge};
constexpr std::array kDeployment{kName, made("Ready", replicas_ready_cell), number("Up-to-date", "status.updatedReplicas"),
                                 number("Available", "status.availableReplicas"), kAge};
constexpr std::array kReplicaSet{kName, number("Desired", "spec.replicas"), number("Current", "status.replicas"),
                                 number("Ready", "status.readyReplicas"), kAge};
constexpr std::array kStatefulSet{kName, made("Ready", replicas_ready_cell), kAge};
constexpr std::array kDaemonSet{kName,
                                number("Desired", "status.desiredNumberScheduled"),
                                number("Current", "status.currentNumberScheduled"),
                                number("Ready", "status.numberReady"),
                                number("Up-to-date", "status.updatedNumberScheduled"),
                                number("Available", "status.numberAvailable"),
                                kAge};
constexpr std::array kJob{kName, made("Status", job_status_cell), made("Completions", job_completions_cell),
                          made("Duration", job_duration_cell), kAge};
constexpr std::array kCronJob{kName, text("Schedule", "spec.schedule"), text("Timezone", "spec.timeZone"),
                              text("Suspend", "spec.suspend"), kAge};
constexpr std::array kLease{kName, text("Holder", "spec.holderIdentity"), kAge};
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
constexpr std::array kResourceSlice{kName, text("Node", "spec.nodeName"), text("Driver", "spec.driver"),
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
    ColumnsOfKind{"", "ReplicationController", kReplicaSet},
    ColumnsOfKind{"apps", "Deployment", kDeployment},
    ColumnsOfKind{"apps", "ReplicaSet", kReplicaSet},
    ColumnsOfKind{"apps", "StatefulSet", kStatefulSet},
    ColumnsOfKind{"apps", "DaemonSet", kDaemonSet},
    ColumnsOfKind{"batch", "Job", kJob},
    ColumnsOfKind{"batch", "CronJob", kCronJob},
    ColumnsOfKind{"coordination.k8s.io", "Lease", kLease},
    ColumnsOfKind{"policy", "PodDisruptionBudget", kBudget},
    ColumnsOfKind{"scheduling.k8s.io", "PriorityClass", kPriorityClass},
    ColumnsOfKind{"storage.k8s.io", "StorageClass", kStorageClass},
    ColumnsOfKind{"resource.k8s.io", "ResourceClaim", kResourceClaim},
    ColumnsOfKind{"resource.k8s.io", "ResourceSlice", kResourceSlice},
    ColumnsOfKind{"batch.volcano.sh", "Job", kVolcanoJob},
    ColumnsOfKind{"scheduling.volcano.sh", "Queue", kVolcanoQueue},
    ColumnsOfKind{"scheduling.volcano.sh", "PodGroup", kVolcanoGroup},
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
