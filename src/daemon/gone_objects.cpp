#include "daemon/gone_objects.h"

#include "base/assert.h"

namespace muster::daemon {
namespace {

template <class Kind>
GoneObject gone_by_name(const kube::Identity& id) {
  return Gone<Kind>{id.ns, id.name};
}

struct Row {
  std::string_view group;
  std::string_view kind;
  GoneObject (*make)(const kube::Identity& id);
};
constexpr std::string_view kVolcano = "scheduling.volcano.sh";
constexpr std::string_view kKai = "scheduling.run.ai";
constexpr Row kRows[] = {
    {"", "ConfigMap", gone_by_name<ConfigMap>},
    {"", "Namespace", gone_by_name<Namespace>},
    {"", "Node", gone_by_name<Node>},
    {"", "PersistentVolume", gone_by_name<PersistentVolume>},
    {"", "PersistentVolumeClaim", gone_by_name<PersistentVolumeClaim>},
    {"", "Pod", gone_by_name<Pod>},
    {"", "ResourceQuota", gone_by_name<ResourceQuota>},
    {"kai.scheduler", "Topology", gone_by_name<KaiTopology>},
    {"nodeinfo.volcano.sh", "Numatopology", gone_by_name<Numatopology>},
    {"policy", "PodDisruptionBudget", gone_by_name<PodDisruptionBudget>},
    {"resource.k8s.io", "DeviceClass", gone_by_name<DeviceClass>},
    {"resource.k8s.io", "ResourceClaim", gone_by_name<ResourceClaim>},
    {"resource.k8s.io", "ResourceSlice", gone_by_name<ResourceSlice>},
    {"scheduling.k8s.io", "PriorityClass", gone_by_name<PriorityClass>},
    {kKai, "BindRequest", gone_by_name<BindRequest>},
    {kKai, "PodGroup", gone_by_name<KaiPodGroup>},
    {kKai, "Queue", gone_by_name<KaiQueue>},
    {kVolcano, "PodGroup", gone_by_name<PodGroup>},
    {kVolcano, "Queue", gone_by_name<Queue>},
    {"shard.volcano.sh", "NodeShard", gone_by_name<NodeShard>},
    {"storage.k8s.io", "CSIDriver", gone_by_name<CsiDriver>},
    {"storage.k8s.io", "CSINode", gone_by_name<CsiNode>},
    {"storage.k8s.io", "CSIStorageCapacity", gone_by_name<CsiStorageCapacity>},
    {"storage.k8s.io", "StorageClass", gone_by_name<StorageClass>},
    {"topology.node.k8s.io", "NodeResourceTopology", gone_by_name<NodeResourceTopology>},
    {"topology.volcano.sh", "HyperNode", gone_by_name<HyperNode>},
};

}  // namespace

GoneObject gone_object(const kube::ResourceKind& kind, const kube::Identity& id) {
  for (const auto& row : kRows)
    if (row.group == kind.group && row.kind == kind.kind) return row.make(id);
  MUSTER_ASSERT(false);  // the table has a row for each kind that is followed
  return Gone<Pod>{};
}

}  // namespace muster::daemon
