#include "codec/kinds.h"

namespace muster {
namespace {

template <class T>
bool read_as(JsonDecoder& json, JsonValue& value, Object& out) {
  return read_kind(json, value, out.emplace<T>());
}

constexpr bool kNamespaced = true;
constexpr bool kClusterWide = false;

// The most frequent kinds first: the table is searched from the top.
constexpr KindReader kReaders[] = {
    {"v1", "Pod", kNamespaced, read_as<Pod>},
    {"scheduling.volcano.sh/v1beta1", "PodGroup", kNamespaced, read_as<PodGroup>},
    {"v1", "Node", kClusterWide, read_as<Node>},
    {"scheduling.volcano.sh/v1beta1", "Queue", kClusterWide, read_as<Queue>},
    {"topology.volcano.sh/v1alpha1", "HyperNode", kClusterWide, read_as<HyperNode>},
    {"v1", "PersistentVolumeClaim", kNamespaced, read_as<PersistentVolumeClaim>},
    {"v1", "PersistentVolume", kClusterWide, read_as<PersistentVolume>},
    {"v1", "Namespace", kClusterWide, read_as<Namespace>},
    {"v1", "ResourceQuota", kNamespaced, read_as<ResourceQuota>},
    {"policy/v1", "PodDisruptionBudget", kNamespaced, read_as<PodDisruptionBudget>},
    {"scheduling.k8s.io/v1", "PriorityClass", kClusterWide, read_as<PriorityClass>},
    {"storage.k8s.io/v1", "CSINode", kClusterWide, read_as<CsiNode>},
    {"storage.k8s.io/v1", "StorageClass", kClusterWide, read_as<StorageClass>},
    {"shard.volcano.sh/v1alpha1", "NodeShard", kClusterWide, read_as<NodeShard>},
    {"nodeinfo.volcano.sh/v1alpha1", "Numatopology", kClusterWide, read_as<Numatopology>},
    {"v1", "ConfigMap", kNamespaced, read_as<ConfigMap>},
};

}  // namespace

const KindReader* find_kind(std::string_view api_version, std::string_view kind) {
  for (const auto& reader : kReaders)
    if (reader.kind == kind && reader.api_version == api_version) return &reader;
  return nullptr;
}

}  // namespace muster
