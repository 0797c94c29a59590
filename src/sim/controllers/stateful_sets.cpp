#include <algorithm>
#include <map>

#include "base/split.h"
#include "sim/controllers/replicas.h"
#include "sim/fields.h"
#include "sim/short_hash.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

const Kind& stateful_set_kind() {
  static const Kind& kind = kind_named("apps", "statefulsets");
  return kind;
}

using PodsByOrdinal = std::map<std::int64_t, ObjectPtr>;

PodsByOrdinal pods_of_set(Workbench& bench, const Object& set) {
  PodsByOrdinal out;
  const auto prefix = set.key.name + "-";
  for (const auto& pod : bench.owned(set.uid, pod_kind())) {
    if (!pod->key.name.starts_with(prefix)) continue;
    if (const auto ordinal = parse_integer(std::string_view(pod->key.name).substr(prefix.size()))) out[*ordinal] = pod;
  }
  return out;
}

// From the first to the last: what is missing is made, what has ended is made again. Whether everybody is there and ready.
bool fill_ordinals(Workbench& bench, const Object& set, const Tree& tree, PodsByOrdinal& pods, const std::string& revision) {
  const auto wanted = bounded_at(tree, "spec.replicas").value_or(1);
  const bool in_order = tree.text_at("spec.podManagementPolicy") != "Parallel";
  bool complete = true;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const auto known = pods.find(i);
    if (known == pods.end()) {
      auto made = create_pod(bench, stateful_set_kind(), set, stateful_pod(tree, i, revision));
      if (!made) return false;
      pods[i] = std::move(made);
      complete = false;
    } else if (!is_ready_pod(*known->second) || known->second->is_deleting) {
      if (has_ended(*known->second) && !known->second->is_deleting) delete_pod(bench, *known->second);
      complete = false;
    }
    if (!complete && in_order) return false;
  }
  return complete;
}

// The last first: those beyond the number, then those of an earlier template, each when the others are ready.
void take_surplus(Workbench& bench, const Tree& tree, const PodsByOrdinal& pods, bool complete, const std::string& revision) {
  const auto wanted = bounded_at(tree, "spec.replicas").value_or(1);
  const bool in_order = tree.text_at("spec.podManagementPolicy") != "Parallel";
  for (auto at = pods.rbegin(); at != pods.rend() && at->first >= wanted; ++at) {
    if (!at->second->is_deleting) delete_pod(bench, *at->second);
    if (in_order) return;
  }
  if (!complete || tree.text_at("spec.updateStrategy.type") == "OnDelete") return;
  const auto first = tree.integer_at("spec.updateStrategy.rollingUpdate.partition").value_or(0);
  for (auto at = pods.rbegin(); at != pods.rend() && at->first >= first; ++at)
    if (at->second->labels.get(kRevisionHash) != revision) return delete_pod(bench, *at->second);
}

}  // namespace

void reconcile_stateful_set(Workbench& bench, const Object& set) {
  if (set.is_deleting) return;
  const auto tree = set.tree();
  const auto revision =
      set.key.name + "-" + short_hash(tree.at("spec.template") == nullptr ? "" : tree.at("spec.template")->text());
  auto pods = pods_of_set(bench, set);
  const bool complete = fill_ordinals(bench, set, tree, pods, revision);
  take_surplus(bench, tree, pods, complete, revision);
  pods = pods_of_set(bench, set);
  const auto of_all = [&](auto&& test) {
    return static_cast<std::int64_t>(std::count_if(pods.begin(), pods.end(), [&](const auto& one) { return test(*one.second); }));
  };
  const auto ready = of_all(is_ready_pod);
  const auto updated = of_all([&](const Object& pod) { return pod.labels.get(kRevisionHash) == revision; });
  static_cast<void>(bench.registry().change(stateful_set_kind(), set.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    auto& status = now["status"];
    status["observedGeneration"] = Tree(now.integer_at("metadata.generation").value_or(1));
    status["replicas"] = Tree(static_cast<std::int64_t>(pods.size()));
    for (const std::string_view field : {"readyReplicas", "availableReplicas"}) status[field] = Tree(ready);
    for (const std::string_view field : {"currentReplicas", "updatedReplicas"}) status[field] = Tree(updated);
    status["updateRevision"] = Tree(revision);
    if (status["currentRevision"].is_null() || updated == static_cast<std::int64_t>(pods.size()))
      status["currentRevision"] = Tree(revision);
    status["collisionCount"] = Tree(std::int64_t{0});
    return now;
  }));
}

}  // namespace muster::sim
