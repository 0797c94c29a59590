#include "sim/list_keys.h"

#include <algorithm>
#include <array>

namespace muster::sim {
namespace {

enum class By { kBoth, kPatch, kApply };

constexpr std::size_t kMostKeys = 4;
using Keys = std::array<ListKey, kMostKeys>;
constexpr Keys kByName{ListKey{"name"}};
constexpr Keys kByType{ListKey{"type"}};
constexpr Keys kByIp{ListKey{"ip"}};
constexpr Keys kByContainerPort{ListKey{"containerPort"}, ListKey{"protocol", "TCP"}};
constexpr Keys kAsSet{};

struct Row {
  std::string_view parent;  // empty for any
  std::string_view field;
  Keys keys;
  By by = By::kBoth;
};

// As the types of v1.36 say it. Of two rows that fit, the first one counts.
constexpr std::array kRows{
    Row{"containers", "ports", kByContainerPort},
    Row{"initContainers", "ports", kByContainerPort},
    Row{"ephemeralContainers", "ports", kByContainerPort},
    Row{"spec", "ports", {ListKey{"port"}, ListKey{"protocol", "TCP"}}},
    Row{"", "containers", kByName},
    Row{"", "initContainers", kByName},
    Row{"", "ephemeralContainers", kByName},
    Row{"", "volumes", kByName},
    Row{"", "env", kByName},
    Row{"", "volumeMounts", {ListKey{"mountPath"}}},
    Row{"", "volumeDevices", {ListKey{"devicePath"}}},
    Row{"resources", "claims", kByName, By::kApply},
    Row{"spec", "imagePullSecrets", kByName},
    Row{"", "hostAliases", kByIp},
    Row{"", "topologySpreadConstraints", {ListKey{"topologyKey"}, ListKey{"whenUnsatisfiable"}}},
    Row{"", "schedulingGates", kByName},
    Row{"spec", "resourceClaims", kByName},
    Row{"", "resourceClaimStatuses", kByName},
    Row{"", "conditions", kByType},
    Row{"status", "addresses", kByType},
    Row{"status", "podIPs", kByIp},
    Row{"status", "hostIPs", kByIp, By::kPatch},
    Row{"status", "reservedFor", {ListKey{"uid"}}},
    Row{"status", "devices", {ListKey{"device"}, ListKey{"driver"}, ListKey{"pool"}, ListKey{"shareID"}}, By::kApply},
    Row{"spec", "drivers", kByName},
    Row{"", "allocatedResourcesStatus", kByName},
    Row{"", "ownerReferences", {ListKey{"uid"}}},
    Row{"", "secrets", kByName},
    Row{"metadata", "finalizers", kAsSet},
    Row{"spec", "podCIDRs", kAsSet},
    Row{"spec", "volumeLifecycleModes", kAsSet, By::kApply},
};

const Row* row_for(std::string_view parent, std::string_view field, By other) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.field == field && one.by != other && (one.parent.empty() || one.parent == parent);
  });
  return row == kRows.end() ? nullptr : row;
}

ListRule rule_of(const Row* row, std::size_t most_keys) {
  if (row == nullptr) return {};
  const auto known = std::span(row->keys).first(most_keys);
  const auto end = std::find_if(known.begin(), known.end(), [](const ListKey& key) { return key.name.empty(); });
  const auto keys = known.first(static_cast<std::size_t>(end - known.begin()));
  return {keys.empty() ? ListMerge::kSet : ListMerge::kByKey, keys};
}

}  // namespace

ListRule patched_list(std::string_view parent, std::string_view field) { return rule_of(row_for(parent, field, By::kApply), 1); }

ListRule applied_list(std::string_view parent, std::string_view field) {
  return rule_of(row_for(parent, field, By::kPatch), kMostKeys);
}

std::optional<Tree> keys_of(const Tree& item, std::span<const ListKey> keys) {
  if (keys.empty() || item.find(keys.front().name) == nullptr) return std::nullopt;
  Tree out = Tree::map();
  for (const auto& key : keys)
    if (const auto* own = item.find(key.name))
      out[key.name] = *own;
    else if (!key.usual.empty())
      out[key.name] = Tree(key.usual);
  return out;
}

Tree* item_with(Tree::List& items, std::string_view key, const Tree& value) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Tree& item) {
    const auto* own = item.find(key);
    return own != nullptr && *own == value;
  });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace muster::sim
