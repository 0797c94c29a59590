#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ids.h"
#include "model/kai_objects.h"
#include "policy/kai/status.h"

namespace muster::kai {

using SubGroupId = StrongId<struct SubGroupTag>;

// A part of a job: a PodSet, which holds pods, or a set of such parts.
struct SubGroup {
  std::string name;
  SubGroupId parent;                 // none: the root
  std::vector<SubGroupId> children;  // of a set, in the order of the PodGroup
  bool is_pod_set = false;
  std::int32_t minimum = 0;          // pods of a PodSet that have to run together, members of a set
  KaiTopologyConstraint constraint;  // its levels by their node labels
  KaiTopologyConstraint written;     // as in the PodGroup: levels may go by other names

  // Of a PodSet.
  std::vector<PodId> pods;  // in the order in which they came
  std::array<std::uint32_t, kStatuses> count{};
  std::uint32_t active_allocated = 0;
  std::uint32_t active_used = 0;
  std::uint32_t alive = 0;

  std::uint32_t in(Status status) const { return count[static_cast<std::size_t>(status)]; }
  // A PodSet whose minimum holds places, or is at least there.
  bool pods_satisfied() const { return static_cast<std::int64_t>(active_allocated) >= minimum; }
  bool pods_ready() const { return static_cast<std::int64_t>(alive) - in(Status::kGated) >= minimum; }
};

// The tree of a job's parts. Without subgroups in the PodGroup it is a root with one PodSet, "default". A tree that makes no sense
// (a name twice or none, an unknown parent, a ring) counts as if there were none, with a minimum of one pod.
class SubGroups {
 public:
  static constexpr std::string_view kDefault = "default";

  SubGroups();
  explicit SubGroups(const KaiPodGroup& group);

  SubGroupId root() const { return SubGroupId(0); }
  const SubGroup& operator[](SubGroupId id) const { return nodes_[id]; }
  const std::vector<SubGroupId>& pod_sets() const { return pod_sets_; }
  // The PodSet that a pod's label names; no label means "default". None: the pod belongs nowhere.
  SubGroupId find_pod_set(std::string_view label) const;

  // The same tree without pods.
  SubGroups bare() const;
  // Puts the node labels for the aliases of levels.
  void resolve_levels(const std::map<std::string, KaiTopology>& topologies);
  void set_minimum(SubGroupId id, std::int32_t minimum) { nodes_[id].minimum = minimum; }

  void add_pod(SubGroupId id, PodId pod, Status status);
  void remove_pod(SubGroupId id, PodId pod, Status status);
  void change(SubGroupId id, Status from, Status to);

  // How many members a set has that are satisfied, and whether a part is.
  std::int32_t satisfied_members(SubGroupId set) const;
  bool satisfied(SubGroupId id) const;
  // Whether enough pods of a part exist that are not gated.
  bool ready(SubGroupId id) const;

 private:
  SubGroupId add(SubGroup node);
  bool build(const KaiPodGroup& group);
  void reset(std::int32_t minimum, const KaiTopologyConstraint& constraint);
  void count(SubGroup& pod_set, Status status, std::uint32_t by);

  IdVector<SubGroupId, SubGroup> nodes_;
  std::vector<SubGroupId> pod_sets_;
};

}  // namespace muster::kai
