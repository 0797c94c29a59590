#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/conditions.h"
#include "sim/controllers/replicas.h"
#include "sim/fields.h"
#include "sim/short_hash.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

const Kind& deployment_kind() {
  static const Kind& kind = kind_named("apps", "deployments");
  return kind;
}
const Kind& revision_kind() {
  static const Kind& kind = kind_named("apps", "replicasets");
  return kind;
}

// The ReplicaSets of a Deployment: one for the template as it is, and those from before.
struct Revisions {
  ObjectPtr current;
  std::vector<ObjectPtr> earlier;
};

std::int64_t replicas_wanted(const Object& set) { return bounded_at(set.tree(), "spec.replicas").value_or(0); }
std::int64_t replicas_available(const Object& set) { return bounded_at(set.tree(), "status.availableReplicas").value_or(0); }
std::int64_t replicas_there(const Object& set) { return bounded_at(set.tree(), "status.replicas").value_or(0); }
std::int64_t revision_of(const Tree& object) {
  return bounded(parse_integer(annotation_of(object, kDeploymentRevision)).value_or(0));
}

std::int64_t sum_of(const Revisions& revisions, std::int64_t (*number)(const Object&)) {
  std::int64_t out = revisions.current ? number(*revisions.current) : 0;
  for (const auto& set : revisions.earlier) out += number(*set);
  return out;
}

Revisions revisions_of(Workbench& bench, const Object& deployment, const std::string& hash) {
  Revisions out;
  for (const auto& set : bench.owned(deployment.uid, revision_kind())) {
    if (set->is_deleting) continue;
    if (set->labels.get(kTemplateHash) == hash)
      out.current = set;
    else
      out.earlier.push_back(set);
  }
  return out;
}

void set_replicas(Workbench& bench, const Object& set, std::int64_t replicas) {
  static_cast<void>(bench.registry().change(revision_kind(), set.key, Part::kAll, [&](Tree now) -> Answered<Tree> {
    now["spec"]["replicas"] = Tree(replicas);
    return now;
  }));
}

ObjectPtr make_revision(Workbench& bench, const Object& deployment, const Tree& tree, const std::string& hash,
                        const Revisions& known) {
  std::int64_t last = 0;
  for (const auto& set : known.earlier) last = std::max(last, revision_of(set->tree()));
  auto made = bench.registry().create(revision_kind(), deployment.key.ns, replica_set_of(tree, hash, last + 1));
  if (made) return *made;
  bench.warn(deployment_kind(), deployment, "ReplicaSetCreateError", made.error().message);
  return nullptr;
}

// As many new replicas as the surge allows, and as few old ones as must stay available.
void roll(Workbench& bench, const Tree& tree, const Revisions& revisions, std::int64_t wanted) {
  const auto surge = count_or_share(tree.at("spec.strategy.rollingUpdate.maxSurge"), wanted, Rounding::kUp);
  auto unavailable = count_or_share(tree.at("spec.strategy.rollingUpdate.maxUnavailable"), wanted, Rounding::kDown);
  if (surge == 0 && unavailable == 0) unavailable = 1;
  const auto current = replicas_wanted(*revisions.current);
  std::int64_t old = 0;
  for (const auto& set : revisions.earlier) old += replicas_wanted(*set);
  const auto room = std::max<std::int64_t>(0, wanted + surge - old);
  const auto next = current > wanted ? wanted : std::max(current, std::min(wanted, room));
  if (next != current) set_replicas(bench, *revisions.current, next);
  // What is not available yet, of the new ones too, does not count.
  auto may_go = sum_of(revisions, replicas_available) - (wanted - unavailable);
  for (const auto& set : revisions.earlier) {
    const auto has = replicas_wanted(*set);
    const auto broken = std::max<std::int64_t>(0, has - replicas_available(*set));
    const auto healthy = std::clamp<std::int64_t>(may_go, 0, has - broken);
    may_go -= healthy;
    if (broken + healthy > 0) set_replicas(bench, *set, has - broken - healthy);
  }
}

void recreate(Workbench& bench, const Revisions& revisions, std::int64_t wanted) {
  bool gone = true;
  for (const auto& set : revisions.earlier) {
    if (replicas_wanted(*set) != 0) set_replicas(bench, *set, 0);
    const auto pods = bench.owned(set->uid, pod_kind());
    gone = gone && std::all_of(pods.begin(), pods.end(), [](const auto& pod) { return has_ended(*pod); });
  }
  if (gone && replicas_wanted(*revisions.current) != wanted) set_replicas(bench, *revisions.current, wanted);
}

void forget_earlier(Workbench& bench, const Tree& tree, std::vector<ObjectPtr> earlier) {
  const auto kept = static_cast<std::size_t>(bounded_at(tree, "spec.revisionHistoryLimit").value_or(10));
  std::sort(earlier.begin(), earlier.end(),
            [](const auto& a, const auto& b) { return revision_of(a->tree()) < revision_of(b->tree()); });
  for (std::size_t i = 0; i + kept < earlier.size(); ++i)
    if (replicas_wanted(*earlier[i]) == 0 && replicas_there(*earlier[i]) == 0)
      static_cast<void>(bench.registry().remove(revision_kind(), earlier[i]->key, {.uid = earlier[i]->uid}));
}

void write_deployment(Workbench& bench, const Object& deployment, const Revisions& revisions, std::int64_t wanted) {
  const auto there = sum_of(revisions, replicas_there);
  const auto available = sum_of(revisions, replicas_available);
  const auto updated = revisions.current ? replicas_there(*revisions.current) : 0;
  const auto now_text = bench.time_text();
  static_cast<void>(bench.registry().change(deployment_kind(), deployment.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    auto& status = now["status"];
    status["observedGeneration"] = Tree(now.integer_at("metadata.generation").value_or(1));
    const std::pair<std::string_view, std::int64_t> numbers[] = {
        {"replicas", there},
        {"updatedReplicas", updated},
        {"readyReplicas", available},
        {"availableReplicas", available},
        {"unavailableReplicas", std::max<std::int64_t>(0, wanted - available)}};
    for (const auto& [field, value] : numbers)
      if (value == 0)
        status.erase(field);
      else
        status[field] = Tree(value);
    const auto unavailable = count_or_share(now.at("spec.strategy.rollingUpdate.maxUnavailable"), wanted, Rounding::kDown);
    const bool enough = available >= wanted - unavailable;
    put_condition(now, "Available", enough ? "True" : "False", enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                  enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.", now_text);
    const bool done = updated == wanted && available == wanted && there == wanted;
    const std::string name = revisions.current ? revisions.current->key.name : std::string();
    put_condition(now, "Progressing", "True", done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
                  fmt::format("ReplicaSet \"{}\" {}.", name, done ? "has successfully progressed" : "is progressing"), now_text);
    return now;
  }));
}

}  // namespace

void reconcile_deployment(Workbench& bench, const Object& deployment) {
  if (deployment.is_deleting) return;
  const auto tree = deployment.tree();
  if (tree.at("spec.template") == nullptr || tree.at("spec.selector") == nullptr) return;
  const auto hash = short_hash(tree.at("spec.template")->text());
  const auto wanted = bounded_at(tree, "spec.replicas").value_or(1);
  auto revisions = revisions_of(bench, deployment, hash);
  const bool paused = tree.true_at("spec.paused");
  if (!revisions.current && !paused) revisions.current = make_revision(bench, deployment, tree, hash, revisions);
  if (revisions.current && !paused) {
    if (tree.text_at("spec.strategy.type") == "Recreate")
      recreate(bench, revisions, wanted);
    else
      roll(bench, tree, revisions, wanted);
    forget_earlier(bench, tree, revisions.earlier);
    revisions = revisions_of(bench, deployment, hash);
  }
  write_deployment(bench, deployment, revisions, wanted);
}

}  // namespace muster::sim
