#include "daemon/gone_objects.h"

#include "base/assert.h"

namespace muster::daemon {
namespace {

template <class Kind>
GoneObject gone(const kube::Identity& id) {
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
    {"", "ConfigMap", gone<ConfigMap>},
    {"", "Namespace", gone<Namespace>},
    {"", "Node", gone<Node>},
    {"", "PersistentVolume", gone<PersistentVolume>},
    {"", "PersistentVolumeClaim", gone<PersistentVolumeClaim>},
    {"", "Pod", gone<Pod>},
    {"", "ResourceQuota", gone<ResourceQuota>},
    {"kai.scheduler", "Topology", gone<KaiTopology>},
    {"nodeinfo.volcano.sh", "Numatopology", gone<Numatopology>},
    {"policy", "PodDisruptionBudget", gone<PodDisruptionBudget>},
    {"resource.k8s.io", "DeviceClass", gone<DeviceClass>},
    {"resource.k8s.io", "ResourceClaim", gone<ResourceClaim>},
    {"resource.k8s.io", "ResourceSlice", gone<ResourceSlice>},
    {"scheduling.k8s.io", "PriorityClass", gone<PriorityClass>},
    {kKai, "BindRequest", gone<BindRequest>},
    {kKai, "PodGroup", gone<KaiPodGroup>},
    {kKai, "Queue", gone<KaiQueue>},
    {kVolcano, "PodGroup", gone<PodGroup>},
    {kVolcano, "Queue", gone<Queue>},
    {"shard.volcano.sh", "NodeShard", gone<NodeShard>},
    {"storage.k8s.io", "CSIDriver", gone<CsiDriver>},
    {"storage.k8s.io", "CSINode", gone<CsiNode>},
    {"storage.k8s.io", "CSIStorageCapacity", gone<CsiStorageCapacity>},
    {"storage.k8s.io", "StorageClass", gone<StorageClass>},
    {"topology.node.k8s.io", "NodeResourceTopology", gone<NodeResourceTopology>},
    {"topology.volcano.sh", "HyperNode", gone<HyperNode>},
};

}  // namespace

GoneObject gone_object(const kube::ResourceKind& kind, const kube::Identity& id) {
  for (const auto& row : kRows)
    if (row.group == kind.group && row.kind == kind.kind) return row.make(id);
  MUSTER_ASSERT(false);  // the table has a row for each kind that is followed
  return Gone<Pod>{};
}

}  // namespace muster::daemon
