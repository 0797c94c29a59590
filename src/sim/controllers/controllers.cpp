#include "sim/controllers/controllers.h"

#include "sim/controllers/bind_requests.h"
#include "sim/controllers/replicas.h"

namespace muster::sim {
namespace {

std::vector<const Kind*> followed_kinds() {
  return {&kind_named("", "nodes"),
          &kind_named("", "pods"),
          &kind_named("apps", "deployments"),
          &kind_named("apps", "replicasets"),
          &kind_named("apps", "statefulsets"),
          &kind_named("batch", "jobs"),
          &kind_named("batch.volcano.sh", "jobs"),
          &kind_named("scheduling.run.ai", "bindrequests")};
}

}  // namespace

Controllers::Controllers(Registry& registry, Store& store, const Owners& owners, const ControllerSettings& settings)
    : bench_(registry, store, owners, followed_kinds()),
      jobs_(bench_),
      volcano_jobs_(bench_, store),
      groups_(bench_),
      lost_nodes_(bench_, settings.lost_pod_seconds) {}

void Controllers::run() {
  do {
    while (const auto place = bench_.take()) reconcile(kinds()[place->first], place->second);
  } while (volcano_jobs_.run());
}

void Controllers::tick() {
  bench_.tick();
  volcano_jobs_.tick();
  run();
}

void Controllers::reconcile(const Kind& kind, const Key& key) {
  const auto object = bench_.store().find(kind, key);
  if (!object) {
    if (kind.kind == "Node") lost_nodes_.observe_gone_node(key.name);
    if (kind.kind == "Pod") groups_.forget(key);
    if (kind.kind == "Job" && kind.group == "batch") jobs_.forget(key);
    return;
  }
  if (kind.kind == "Node") return lost_nodes_.observe_node(*object);
  if (kind.kind == "Pod") {
    jobs_.release_orphan(*object);
    groups_.observe_pod(*object);
    if (const auto now = bench_.store().find(kind, key)) lost_nodes_.observe_pod(*now);
    return;
  }
  if (kind.kind == "Deployment") return reconcile_deployment(bench_, *object);
  if (kind.kind == "ReplicaSet" || kind.kind == "StatefulSet") {
    groups_.observe_workload(kind, *object);
    if (kind.kind == "StatefulSet") return reconcile_stateful_set(bench_, *object);
    reconcile_replica_set(bench_, *object);
    return bench_.look_at_owners(*object);  // a Deployment may wait for the last of its pods
  }
  if (kind.kind == "BindRequest") return reconcile_bind_request(bench_, *object);
  if (kind.group == "batch") return jobs_.reconcile(*object);
  volcano_jobs_.remove_if_old(*object);
}

}  // namespace muster::sim
