#include "sim/kinds.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace muster::sim {
namespace {

constexpr bool kInNamespace = true;
constexpr bool kOfCluster = false;
constexpr bool kBuiltIn = false;
constexpr bool kCustom = true;
constexpr Subresources kNothing{};
constexpr Subresources kStatus{.status = true};
constexpr Subresources kStatusAndScale{.status = true, .scale = true};
constexpr Subresources kOfPods{.status = true, .binding = true};

// In the order in which discovery tells them: groups together.
constexpr std::array kTable{
    Kind{"", "v1", "Namespace", "namespaces", "namespace", "ns", kOfCluster, kBuiltIn, kStatus},
    Kind{"", "v1", "Node", "nodes", "node", "no", kOfCluster, kBuiltIn, kStatus},
    Kind{"", "v1", "Pod", "pods", "pod", "po", kInNamespace, kBuiltIn, kOfPods, "all"},
    Kind{"", "v1", "Service", "services", "service", "svc", kInNamespace, kBuiltIn, kStatus, "all"},
    Kind{"", "v1", "ConfigMap", "configmaps", "configmap", "cm", kInNamespace, kBuiltIn},
    Kind{"", "v1", "Secret", "secrets", "secret", "", kInNamespace, kBuiltIn},
    Kind{"", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", "sa", kInNamespace, kBuiltIn},
    Kind{"", "v1", "Event", "events", "event", "ev", kInNamespace, kBuiltIn},
    Kind{"", "v1", "LimitRange", "limitranges", "limitrange", "limits", kInNamespace, kBuiltIn},
    Kind{"", "v1", "ResourceQuota", "resourcequotas", "resourcequota", "quota", kInNamespace, kBuiltIn, kStatus},
    Kind{"", "v1", "PersistentVolume", "persistentvolumes", "persistentvolume", "pv", kOfCluster, kBuiltIn, kStatus},
    Kind{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim", "pvc", kInNamespace, kBuiltIn,
         kStatus},
    Kind{"", "v1", "ReplicationController", "replicationcontrollers", "replicationcontroller", "rc", kInNamespace, kBuiltIn,
         kStatusAndScale, "all"},
    Kind{"apps", "v1", "DaemonSet", "daemonsets", "daemonset", "ds", kInNamespace, kBuiltIn, kStatus, "all"},
    Kind{"apps", "v1", "Deployment", "deployments", "deployment", "deploy", kInNamespace, kBuiltIn, kStatusAndScale, "all"},
    Kind{"apps", "v1", "ReplicaSet", "replicasets", "replicaset", "rs", kInNamespace, kBuiltIn, kStatusAndScale, "all"},
    Kind{"apps", "v1", "StatefulSet", "statefulsets", "statefulset", "sts", kInNamespace, kBuiltIn, kStatusAndScale, "all"},
    Kind{"batch", "v1", "CronJob", "cronjobs", "cronjob", "cj", kInNamespace, kBuiltIn, kStatus, "all"},
    Kind{"batch", "v1", "Job", "jobs", "job", "", kInNamespace, kBuiltIn, kStatus, "all"},
    Kind{"coordination.k8s.io", "v1", "Lease", "leases", "lease", "", kInNamespace, kBuiltIn},
    Kind{"events.k8s.io", "v1", "Event", "events", "event", "ev", kInNamespace, kBuiltIn, kNothing, "", "Event"},
    Kind{"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget", "pdb", kInNamespace, kBuiltIn,
         kStatus},
    Kind{"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "clusterrole", "", kOfCluster, kBuiltIn},
    Kind{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding", "", kOfCluster,
         kBuiltIn},
    Kind{"rbac.authorization.k8s.io", "v1", "Role", "roles", "role", "", kInNamespace, kBuiltIn},
    Kind{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "rolebinding", "", kInNamespace, kBuiltIn},
    Kind{"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", "deviceclass", "", kOfCluster, kBuiltIn},
    Kind{"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", "resourceclaim", "", kInNamespace, kBuiltIn, kStatus},
    Kind{"resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", "resourceclaimtemplate", "", kInNamespace,
         kBuiltIn},
    Kind{"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", "resourceslice", "", kOfCluster, kBuiltIn},
    Kind{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "priorityclass", "pc", kOfCluster, kBuiltIn},
    Kind{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", "csidriver", "", kOfCluster, kBuiltIn},
    Kind{"storage.k8s.io", "v1", "CSINode", "csinodes", "csinode", "", kOfCluster, kBuiltIn},
    Kind{"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", "csistoragecapacity", "", kInNamespace, kBuiltIn},
    Kind{"storage.k8s.io", "v1", "StorageClass", "storageclasses", "storageclass", "sc", kOfCluster, kBuiltIn},
    Kind{"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", "volumeattachment", "", kOfCluster, kBuiltIn, kStatus},
    Kind{"batch.volcano.sh", "v1alpha1", "Job", "jobs", "job", "vcjob vj", kInNamespace, kCustom, kStatus},
    Kind{"bus.volcano.sh", "v1alpha1", "Command", "commands", "command", "", kInNamespace, kCustom},
    Kind{"nodeinfo.volcano.sh", "v1alpha1", "Numatopology", "numatopologies", "numatopology", "numatopo", kOfCluster, kCustom},
    Kind{"scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups", "podgroup", "pg podgroup-v1beta1", kInNamespace, kCustom},
    Kind{"scheduling.volcano.sh", "v1beta1", "Queue", "queues", "queue", "q queue-v1beta1", kOfCluster, kCustom, kStatus},
    Kind{"shard.volcano.sh", "v1alpha1", "NodeShard", "nodeshards", "nodeshard", "nsh", kOfCluster, kCustom, kStatus},
    Kind{"topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes", "hypernode", "hn", kOfCluster, kCustom, kStatus},
    Kind{"kai.scheduler", "v1alpha1", "Topology", "topologies", "topology", "", kOfCluster, kCustom},
    Kind{"scheduling.run.ai", "v1alpha2", "BindRequest", "bindrequests", "bindrequest", "", kInNamespace, kCustom, kStatus},
    Kind{"scheduling.run.ai", "v2", "Queue", "queues", "queue", "", kOfCluster, kCustom, kStatus},
    Kind{"scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups", "podgroup", "pg", kInNamespace, kCustom, kStatus},
    Kind{"topology.node.k8s.io", "v1alpha2", "NodeResourceTopology", "noderesourcetopologies", "noderesourcetopology",
         "node-res-topo", kOfCluster, kCustom},
};

constexpr std::array<std::string_view, 6> kPodFields{"spec.nodeName",           "status.phase",
                                                     "spec.schedulerName",      "spec.restartPolicy",
                                                     "spec.serviceAccountName", "status.nominatedNodeName"};
constexpr std::array<std::string_view, 1> kNodeFields{"spec.unschedulable"};
constexpr std::array<std::string_view, 1> kPhaseField{"status.phase"};
constexpr std::array<std::string_view, 1> kSecretFields{"type"};
constexpr std::array<std::string_view, 11> kEventFields{"involvedObject.kind",
                                                        "involvedObject.namespace",
                                                        "involvedObject.name",
                                                        "involvedObject.uid",
                                                        "involvedObject.apiVersion",
                                                        "involvedObject.resourceVersion",
                                                        "involvedObject.fieldPath",
                                                        "reason",
                                                        "reportingComponent",
                                                        "source",
                                                        "type"};
constexpr std::array<std::string_view, 1> kJobFields{"status.successful"};
constexpr std::array<std::string_view, 2> kSliceFields{"spec.driver", "spec.nodeName"};

}  // namespace

std::string Kind::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::span<const Kind> kinds() { return kTable; }

const Kind* find_kind(std::string_view group, std::string_view version, std::string_view plural) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(), [&](const Kind& kind) {
    return kind.plural == plural && kind.group == group && kind.version == version;
  });
  return found == kTable.end() ? nullptr : found;
}

const Kind* kind_of_object(std::string_view api_version, std::string_view name) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                   [&](const Kind& kind) { return kind.kind == name && kind.api_version() == api_version; });
  return found == kTable.end() ? nullptr : found;
}

const Kind& kind_named(std::string_view group, std::string_view plural) {
  const auto* found =
      std::find_if(kTable.begin(), kTable.end(), [&](const Kind& kind) { return kind.plural == plural && kind.group == group; });
  MUSTER_ASSERT(found != kTable.end());
  return *found;
}

const Kind& stored_kind(const Kind& kind) { return kind.form_of.empty() ? kind : kind_named("", kind.plural); }

std::size_t index_of(const Kind& kind) {
  MUSTER_ASSERT(&kind >= kTable.data() && &kind < kTable.data() + kTable.size());
  return static_cast<std::size_t>(&kind - kTable.data());
}

std::span<const std::string_view> selectable_fields(const Kind& kind) {
  if (kind.group.empty()) {
    if (kind.kind == "Pod") return kPodFields;
    if (kind.kind == "Node") return kNodeFields;
    if (kind.kind == "Namespace") return kPhaseField;
    if (kind.kind == "Secret") return kSecretFields;
    if (kind.kind == "Event") return kEventFields;
  }
  if (kind.group == "events.k8s.io") return kEventFields;
  if (kind.group == "batch") return kJobFields;
  if (kind.group == "resource.k8s.io" && kind.kind == "ResourceSlice") return kSliceFields;
  return {};
}

}  // namespace muster::sim
