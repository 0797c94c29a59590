#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grouping/view.h"
#include "model/quantity.h"

namespace muster::grouping {

struct VolcanoSettings {
  std::vector<std::string> scheduler_names = {"volcano"};
  bool inherit_owner_annotations = true;
};

struct NetworkTopology {
  std::string mode = "hard";
  std::optional<std::int64_t> highest_tier = {};

  bool operator==(const NetworkTopology&) const = default;
};

// The PodGroup that a pod without one should be in.
struct VolcanoGroup {
  std::string ns;
  std::string name;
  std::vector<OwnerReference> owners;
  Texts labels;
  Texts annotations;
  std::int64_t min_member = 1;
  ResourceList min_resources;
  std::string queue;  // empty for the default one
  std::string priority_class;
  std::optional<NetworkTopology> topology = {};

  // The object to create where there is none.
  std::string body() const;
};

// The group of a pod as Volcano's podgroup controller makes it: nothing for a pod of another scheduler, or one that has a group.
std::optional<VolcanoGroup> volcano_group(const Object& pod, const View& view, const VolcanoSettings& settings);

// A merge patch that puts the pod into the group, and no later one of its name: a server refuses to change uids.
std::string volcano_pod_patch(const Object& pod, const VolcanoGroup& group);

// The PodGroup that goes when its ReplicaSet or StatefulSet wants no pods any more; nothing for one that wants some.
std::optional<std::string> abandoned_volcano_group(const Object& workload);

// The annotation by which pods name their PodGroup.
inline constexpr std::string_view kVolcanoGroupName = "scheduling.k8s.io/group-name";
inline const ObjectKind kVolcanoPodGroup{"scheduling.volcano.sh", "v1beta1", "PodGroup"};

}  // namespace muster::grouping
