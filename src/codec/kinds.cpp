#include "codec/kinds.h"

#include <algorithm>
#include <optional>

#include "base/nearest_name.h"

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
    {"storage.k8s.io/v1", "CSIDriver", kClusterWide, read_as<CsiDriver>},
    {"storage.k8s.io/v1", "CSIStorageCapacity", kNamespaced, read_as<CsiStorageCapacity>},
    {"storage.k8s.io/v1", "CSINode", kClusterWide, read_as<CsiNode>},
    {"storage.k8s.io/v1", "StorageClass", kClusterWide, read_as<StorageClass>},
    {"shard.volcano.sh/v1alpha1", "NodeShard", kClusterWide, read_as<NodeShard>},
    {"resource.k8s.io/v1", "ResourceClaim", kNamespaced, read_as<ResourceClaim>},
    {"resource.k8s.io/v1", "ResourceSlice", kClusterWide, read_as<ResourceSlice>},
    {"resource.k8s.io/v1", "DeviceClass", kClusterWide, read_as<DeviceClass>},
    {"resource.k8s.io/v1beta2", "ResourceClaim", kNamespaced, read_as<ResourceClaim>},
    {"resource.k8s.io/v1beta2", "ResourceSlice", kClusterWide, read_as<ResourceSlice>},
    {"resource.k8s.io/v1beta2", "DeviceClass", kClusterWide, read_as<DeviceClass>},
    {"resource.k8s.io/v1beta1", "ResourceClaim", kNamespaced, read_as<ResourceClaim>},
    {"resource.k8s.io/v1beta1", "ResourceSlice", kClusterWide, read_as<ResourceSlice>},
    {"resource.k8s.io/v1beta1", "DeviceClass", kClusterWide, read_as<DeviceClass>},
    {"nodeinfo.volcano.sh/v1alpha1", "Numatopology", kClusterWide, read_as<Numatopology>},
    {"v1", "ConfigMap", kNamespaced, read_as<ConfigMap>},
    {"scheduling.run.ai/v2alpha2", "PodGroup", kNamespaced, read_as<KaiPodGroup>},
    {"scheduling.run.ai/v2", "Queue", kClusterWide, read_as<KaiQueue>},
    {"scheduling.run.ai/v1alpha2", "BindRequest", kNamespaced, read_as<BindRequest>},
    {"kai.scheduler/v1alpha1", "Topology", kClusterWide, read_as<KaiTopology>},
    {"topology.node.k8s.io/v1alpha2", "NodeResourceTopology", kClusterWide, read_as<NodeResourceTopology>},
};

std::string_view group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

bool is_near(std::string_view typed, std::string_view name, std::size_t characters_per_edit) {
  return edit_distance(lower(typed), lower(name)) <= std::max<std::size_t>(1, name.size() / characters_per_edit);
}

// Fewer edits, or as many and more of the beginning: what is left out is mostly the end.
bool is_nearer(std::string_view typed, std::string_view name, std::string_view other) {
  const auto text = lower(typed);
  const auto common = [&](const std::string& known) { return std::ranges::mismatch(text, known).in1 - text.begin(); };
  const auto left = lower(name);
  const auto right = lower(other);
  const auto edits = edit_distance(text, left);
  const auto other_edits = edit_distance(text, right);
  return edits != other_edits ? edits < other_edits : common(left) > common(right);
}

// Whose group of custom resources it is; none: everybody's.
std::optional<Api> owner_of(std::string_view group) {
  if (group.ends_with(".volcano.sh")) return Api::kVolcano;
  if (group == "scheduling.run.ai" || group == "kai.scheduler") return Api::kKai;
  return std::nullopt;
}

// A PodGroup of somebody else's scheduler is worth a word; a core kind's name in another group is a kind of its own.
bool is_near(const KindReader& reader, std::string_view api_version, std::string_view kind, Api api) {
  constexpr std::size_t kPerEditInKind = 5;
  constexpr std::size_t kPerEditInGroup = 8;
  const auto known = group_of(reader.api_version);
  const auto owner = owner_of(known);
  if (owner && *owner != api) return false;
  if (owner && lower(kind) == lower(reader.kind)) return true;
  const auto given = group_of(api_version);
  const bool same_group = known == given || (!known.empty() && is_near(given, known, kPerEditInGroup));
  return same_group && is_near(kind, reader.kind, kPerEditInKind);
}

}  // namespace

const KindReader* near_kind(std::string_view api_version, std::string_view kind, Api api) {
  constexpr std::size_t kLongest = 128;  // nobody mistypes that much
  if (api_version.size() > kLongest || kind.size() > kLongest) return nullptr;
  const KindReader* nearest = nullptr;
  for (const auto& reader : kReaders)
    if (is_near(reader, api_version, kind, api) && (nearest == nullptr || is_nearer(kind, reader.kind, nearest->kind)))
      nearest = &reader;
  return nearest;
}

const KindReader* find_kind(std::string_view api_version, std::string_view kind) {
  for (const auto& reader : kReaders)
    if (reader.kind == kind && reader.api_version == api_version) return &reader;
  return nullptr;
}

}  // namespace muster
