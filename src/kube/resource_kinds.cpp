#include "kube/resource_kinds.h"

#include <array>

#include "base/percent_encoding.h"

namespace muster::kube {
namespace {

constexpr bool kNamespaced = true;
constexpr bool kClusterWide = false;

constexpr std::array<std::string_view, 1> kV1{"v1"};
constexpr std::array<std::string_view, 1> kV1Alpha1{"v1alpha1"};
constexpr std::array<std::string_view, 1> kV1Alpha2{"v1alpha2"};
constexpr std::array<std::string_view, 1> kV1Beta1{"v1beta1"};
constexpr std::array<std::string_view, 1> kV2{"v2"};
constexpr std::array<std::string_view, 1> kV2Alpha2{"v2alpha2"};
constexpr std::array<std::string_view, 3> kDevices{"v1", "v1beta2", "v1beta1"};

// What others refer to comes first, as far as lists arrive in this order.
constexpr ResourceKind kKinds[] = {
    {"", "Namespace", "namespaces", kClusterWide, KindUse::kCore, kV1},
    {"", "Node", "nodes", kClusterWide, KindUse::kCore, kV1},
    {"scheduling.k8s.io", "PriorityClass", "priorityclasses", kClusterWide, KindUse::kCore, kV1},
    {"", "ResourceQuota", "resourcequotas", kNamespaced, KindUse::kVolcano, kV1},
    {"policy", "PodDisruptionBudget", "poddisruptionbudgets", kNamespaced, KindUse::kCore, kV1},
    {"storage.k8s.io", "StorageClass", "storageclasses", kClusterWide, KindUse::kCore, kV1},
    {"storage.k8s.io", "CSINode", "csinodes", kClusterWide, KindUse::kCore, kV1},
    {"storage.k8s.io", "CSIDriver", "csidrivers", kClusterWide, KindUse::kCore, kV1},
    {"storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities", kNamespaced, KindUse::kCore, kV1},
    {"", "PersistentVolume", "persistentvolumes", kClusterWide, KindUse::kCore, kV1},
    {"", "PersistentVolumeClaim", "persistentvolumeclaims", kNamespaced, KindUse::kCore, kV1},
    {"resource.k8s.io", "DeviceClass", "deviceclasses", kClusterWide, KindUse::kCore, kDevices},
    {"resource.k8s.io", "ResourceSlice", "resourceslices", kClusterWide, KindUse::kCore, kDevices},
    {"resource.k8s.io", "ResourceClaim", "resourceclaims", kNamespaced, KindUse::kCore, kDevices},
    {"", "ConfigMap", "configmaps", kNamespaced, KindUse::kVolcano, kV1},
    {"topology.node.k8s.io", "NodeResourceTopology", "noderesourcetopologies", kClusterWide, KindUse::kKai, kV1Alpha2},
    {"scheduling.volcano.sh", "Queue", "queues", kClusterWide, KindUse::kVolcano, kV1Beta1},
    {"topology.volcano.sh", "HyperNode", "hypernodes", kClusterWide, KindUse::kVolcano, kV1Alpha1},
    {"shard.volcano.sh", "NodeShard", "nodeshards", kClusterWide, KindUse::kVolcano, kV1Alpha1},
    {"nodeinfo.volcano.sh", "Numatopology", "numatopologies", kClusterWide, KindUse::kVolcano, kV1Alpha1},
    {"scheduling.volcano.sh", "PodGroup", "podgroups", kNamespaced, KindUse::kVolcano, kV1Beta1},
    {"scheduling.run.ai", "Queue", "queues", kClusterWide, KindUse::kKai, kV2},
    {"kai.scheduler", "Topology", "topologies", kClusterWide, KindUse::kKai, kV1Alpha1},
    {"scheduling.run.ai", "PodGroup", "podgroups", kNamespaced, KindUse::kKai, kV2Alpha2},
    {"scheduling.run.ai", "BindRequest", "bindrequests", kNamespaced, KindUse::kKai, kV1Alpha2},
    {"", "Pod", "pods", kNamespaced, KindUse::kCore, kV1},
};

std::string root_of(std::string_view api_version) {
  return (api_version.find('/') == std::string_view::npos ? "/api/" : "/apis/") + std::string(api_version);
}

}  // namespace

std::span<const ResourceKind> resource_kinds() { return kKinds; }

std::string api_version(const ResourceKind& kind, std::string_view version) {
  return kind.group.empty() ? std::string(version) : std::string(kind.group) + "/" + std::string(version);
}

std::string collection_path(const ResourceKind& kind, std::string_view version) {
  return root_of(api_version(kind, version)) + "/" + std::string(kind.plural);
}

std::string ObjectPath::text() const {
  auto out = root_of(api_version);
  if (!ns.empty()) out += "/namespaces/" + percent_encoded(ns);
  out += "/" + plural;
  if (!name.empty()) out += "/" + percent_encoded(name);
  if (!subresource.empty()) out += "/" + subresource;
  return out;
}

}  // namespace muster::kube
