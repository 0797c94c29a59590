#include <algorithm>

#include "sim/controllers/replicas.h"
#include "sim/fields.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

const Kind& replica_set_kind() {
  static const Kind& kind = kind_named("apps", "replicasets");
  return kind;
}

void write_replicas(Workbench& bench, const Object& set, const std::vector<ObjectPtr>& active) {
  const auto ready = std::count_if(active.begin(), active.end(), [](const auto& pod) { return is_ready_pod(*pod); });
  static_cast<void>(bench.registry().change(replica_set_kind(), set.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    auto& status = now["status"];
    const auto all = Tree(static_cast<std::int64_t>(active.size()));
    status["replicas"] = all;
    status["observedGeneration"] = Tree(now.integer_at("metadata.generation").value_or(1));
    for (const std::string_view field : {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"}) status.erase(field);
    if (!active.empty()) status["fullyLabeledReplicas"] = all;
    if (ready > 0)
      for (const std::string_view field : {"readyReplicas", "availableReplicas"})
        status[field] = Tree(static_cast<std::int64_t>(ready));
    return now;
  }));
}

}  // namespace

void reconcile_replica_set(Workbench& bench, const Object& set) {
  if (set.is_deleting) return;
  const auto tree = set.tree();
  std::vector<ObjectPtr> active;
  for (const auto& pod : bench.owned(set.uid, pod_kind()))
    if (is_active(*pod)) active.push_back(pod);
  const auto wanted = static_cast<std::size_t>(bounded_at(tree, "spec.replicas").value_or(1));
  while (active.size() < wanted) {
    auto made = create_pod(bench, replica_set_kind(), set, replica_pod(tree));
    if (!made) break;
    active.push_back(std::move(made));
  }
  if (active.size() > wanted) {
    order_for_deletion(active);
    const auto surplus = static_cast<std::ptrdiff_t>(active.size() - wanted);
    for (std::ptrdiff_t i = 0; i < surplus; ++i) delete_pod(bench, *active[static_cast<std::size_t>(i)]);
    active.erase(active.begin(), active.begin() + surplus);
  }
  write_replicas(bench, set, active);
}

}  // namespace muster::sim
