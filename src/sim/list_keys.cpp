#include "sim/list_keys.h"

#include <algorithm>
#include <array>

namespace muster::sim {
namespace {

struct Row {
  std::string_view parent;  // empty for any
  std::string_view field;
  ListRule rule;
};

// Of two rows that fit, the first one counts.
constexpr std::array kRows{
    Row{"containers", "ports", {ListMerge::kByKey, "containerPort"}},
    Row{"initContainers", "ports", {ListMerge::kByKey, "containerPort"}},
    Row{"ephemeralContainers", "ports", {ListMerge::kByKey, "containerPort"}},
    Row{"spec", "ports", {ListMerge::kByKey, "port"}},
    Row{"", "containers", {ListMerge::kByKey, "name"}},
    Row{"", "initContainers", {ListMerge::kByKey, "name"}},
    Row{"", "ephemeralContainers", {ListMerge::kByKey, "name"}},
    Row{"", "volumes", {ListMerge::kByKey, "name"}},
    Row{"", "env", {ListMerge::kByKey, "name"}},
    Row{"", "volumeMounts", {ListMerge::kByKey, "mountPath"}},
    Row{"", "volumeDevices", {ListMerge::kByKey, "devicePath"}},
    Row{"spec", "imagePullSecrets", {ListMerge::kByKey, "name"}},
    Row{"", "hostAliases", {ListMerge::kByKey, "ip"}},
    Row{"", "topologySpreadConstraints", {ListMerge::kByKey, "topologyKey"}},
    Row{"", "schedulingGates", {ListMerge::kByKey, "name"}},
    Row{"spec", "resourceClaims", {ListMerge::kByKey, "name"}},
    Row{"", "resourceClaimStatuses", {ListMerge::kByKey, "name"}},
    Row{"", "conditions", {ListMerge::kByKey, "type"}},
    Row{"status", "addresses", {ListMerge::kByKey, "type"}},
    Row{"status", "podIPs", {ListMerge::kByKey, "ip"}},
    Row{"status", "hostIPs", {ListMerge::kByKey, "ip"}},
    Row{"status", "reservedFor", {ListMerge::kByKey, "uid"}},
    Row{"spec", "drivers", {ListMerge::kByKey, "name"}},
    Row{"", "allocatedResourcesStatus", {ListMerge::kByKey, "name"}},
    Row{"", "ownerReferences", {ListMerge::kByKey, "uid"}},
    Row{"", "secrets", {ListMerge::kByKey, "name"}},
    Row{"metadata", "finalizers", {ListMerge::kSet, ""}},
    Row{"spec", "podCIDRs", {ListMerge::kSet, ""}},
};

}  // namespace

ListRule list_rule(std::string_view parent, std::string_view field) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.field == field && (one.parent.empty() || one.parent == parent);
  });
  return row == kRows.end() ? ListRule{} : row->rule;
}

Tree* item_with(Tree::List& items, std::string_view key, const Tree& value) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Tree& item) {
    const auto* own = item.find(key);
    return own != nullptr && *own == value;
  });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace muster::sim
