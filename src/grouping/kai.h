#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "grouping/view.h"

namespace muster::grouping {

struct KaiSettings {
  std::string scheduler_name = "kai-scheduler";
  std::string queue_label = "kai.scheduler/queue";
  std::string node_pool_label = "kai.scheduler/node-pool";
  // PodGroups that versions before named differently are used where they exist.
  bool search_legacy_groups = true;
  // A ConfigMap with default priorities and preemptibilities by kind; none when the name is empty.
  std::string defaults_namespace = {};
  std::string defaults_name = {};
};

struct TopologyConstraint {
  std::string topology;
  std::string required;
  std::string preferred;

  bool operator==(const TopologyConstraint&) const = default;
};

struct SubGroup {
  std::string name;
  std::string parent = {};  // empty for one of the root
  std::int64_t min_member = 0;
  std::optional<std::int64_t> min_sub_group = {};  // of one that has children: then there is no min_member
  std::optional<TopologyConstraint> topology = {};

  bool operator==(const SubGroup&) const = default;
};

// The PodGroup that a pod should be in, and where in it.
struct KaiGroup {
  std::string ns;
  std::string name;
  OwnerReference owner;
  Texts labels;
  Texts annotations;
  std::string queue;
  std::string priority_class;
  std::string preemptibility;    // empty for unset, as the following two
  std::string preemption_delay;  // as Go writes durations
  std::string staleness_grace;
  std::int64_t min_member = 1;
  std::optional<std::int64_t> min_sub_group = {};
  TopologyConstraint topology;
  std::vector<SubGroup> sub_groups;
  std::string pod_sub_group;  // of the pod; empty for none

  // The object to create where there is none.
  std::string body() const;
  // A merge patch that makes an existing PodGroup what it should be, without what others decide about it; empty when it is already.
  std::string patch(const Object& existing, const KaiSettings& settings) const;
};

// The group of a pod as KAI's podgrouper finds it: nothing for a pod that it leaves alone, an error for one that cannot be grouped
// as it is.
Result<std::optional<KaiGroup>> kai_group(const Object& pod, const View& view, const KaiSettings& settings);

// A merge patch that puts the pod into the group; empty when it is in it.
std::string kai_pod_patch(const Object& pod, const KaiGroup& group);

inline const ObjectKind kKaiPodGroup{"scheduling.run.ai", "v2alpha2", "PodGroup"};

}  // namespace muster::grouping
