#include <gtest/gtest.h>

#include "codec/object_reader.h"

namespace muster {
namespace {

// The one pod of a JSON text, given without its kind.
Pod pod(std::string_view body) {
  Pod result;
  const std::string text = R"({"apiVersion":"v1","kind":"Pod",)" + std::string(body.substr(body.find('{') + 1));
  const auto stats = read_objects_text(text, "f.json", [&](Object&& object, const Location&) -> Result<void> {
    result = std::move(std::get<Pod>(object));
    return {};
  });
  EXPECT_TRUE(stats) << (stats ? "" : stats.error().text());
  return result;
}

Pod pod_with_spec(std::string_view spec) { return pod(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}"); }

TEST(PodKind, ReadsMetadata) {
  const Pod p = pod(
      R"({"metadata":{"name":"web-0","namespace":"ns","uid":"u1","resourceVersion":"42","creationTimestamp":"2026-01-01T00:00:00Z",
    "deletionTimestamp":"2026-01-01T00:01:00Z","labels":{"b":"2","a":"1"},"annotations":{"x":"y"},"generateName":"web-","managedFields":[{}],
    "ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"u0","controller":true,"blockOwnerDeletion":true}]}})");
  EXPECT_EQ(p.meta.name, "web-0");
  EXPECT_EQ(p.meta.ns, "ns");
  EXPECT_EQ(p.meta.uid, "u1");
  EXPECT_EQ(p.meta.resource_version, "42");
  EXPECT_EQ(p.meta.created.seconds, 1'767'225'600);
  EXPECT_EQ(p.meta.deleted->seconds, 1'767'225'660);
  EXPECT_EQ(p.meta.labels, StringMap({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(p.meta.annotations.get("x"), "y");
  ASSERT_EQ(p.meta.owners.size(), 1u);
  EXPECT_EQ(p.meta.owners[0].kind, "StatefulSet");
  EXPECT_TRUE(p.meta.owners[0].controller);
}

TEST(PodKind, NullCountsAsAbsent) {
  const Pod p = pod(R"({"metadata":{"name":"p","creationTimestamp":null,"labels":null,"deletionTimestamp":null},
    "spec":{"priority":null,"nodeName":null,"containers":null,"affinity":null,"tolerations":[null]},"status":null})");
  EXPECT_EQ(p.meta.created, Timestamp());
  EXPECT_FALSE(p.meta.deleted);
  EXPECT_FALSE(p.spec.priority);
  EXPECT_TRUE(p.spec.containers.empty());
  EXPECT_TRUE(p.spec.tolerations.empty());
}

TEST(PodKind, ReadsTheScheduling) {
  const Pod p = pod_with_spec(
      R"({"schedulerName":"volcano","nodeName":"n1","priority":-5,"priorityClassName":"high","preemptionPolicy":"Never",
    "overhead":{"cpu":"250m"},"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}},"nodeSelector":{"zone":"a"},"hostNetwork":true,
    "schedulingGates":[{"name":"wait"}],"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"a","value":"b"}]})");
  EXPECT_EQ(p.spec.scheduler_name, "volcano");
  EXPECT_EQ(p.spec.node_name, "n1");
  EXPECT_EQ(p.spec.priority, -5);
  EXPECT_EQ(p.spec.priority_class, "high");
  EXPECT_EQ(p.spec.preemption_policy, "Never");
  EXPECT_EQ(p.spec.overhead.at("cpu").milli(), 250);
  EXPECT_EQ(p.spec.pod_requests->at("cpu").units(), 3);
  EXPECT_EQ(p.spec.node_selector.get("zone"), "a");
  EXPECT_TRUE(p.spec.host_network);
  EXPECT_EQ(p.spec.scheduling_gates, std::vector<std::string>{"wait"});
  const std::vector<Toleration> tolerations = {{"k", TolerationOp::kExists, "", TaintEffect::kNoExecute},
                                               {"a", TolerationOp::kEqual, "b", {}}};
  EXPECT_EQ(p.spec.tolerations, tolerations);
}

TEST(PodKind, ReadsContainers) {
  const Pod p = pod_with_spec(
      R"({"containers":[{"name":"c","image":"busybox","resources":{"requests":{"cpu":"500m","memory":"1Gi","x":2,"y":0.5},
    "limits":{"cpu":1},"claims":[{"name":"gpu","request":"r"}]}}],"initContainers":[{"name":"i","restartPolicy":"Always"},{"name":"j"}]})");
  ASSERT_EQ(p.spec.containers.size(), 1u);
  const Container& c = p.spec.containers[0];
  EXPECT_EQ(c.name, "c");
  EXPECT_EQ(c.image, "busybox");
  EXPECT_EQ(c.requests.at("cpu").milli(), 500);
  EXPECT_EQ(c.requests.at("memory").units(), 1 << 30);
  EXPECT_EQ(c.requests.at("x").units(), 2);
  EXPECT_EQ(c.requests.at("y").milli(), 500);
  EXPECT_EQ(c.limits.at("cpu").units(), 1);
  EXPECT_EQ(c.claims, std::vector<std::string>{"gpu"});
  ASSERT_EQ(p.spec.init_containers.size(), 2u);
  EXPECT_TRUE(p.spec.init_containers[0].restartable);
  EXPECT_FALSE(p.spec.init_containers[1].restartable);
}

TEST(PodKind, KeepsHostPortsOnly) {
  const Pod p = pod_with_spec(
      R"({"containers":[{"ports":[{"containerPort":80},{"containerPort":81,"hostPort":8081,"protocol":"UDP","hostIP":"10.0.0.1"}]}]})");
  EXPECT_EQ(p.spec.containers[0].ports, (std::vector<ContainerPort>{{8081, "10.0.0.1", "UDP"}}));
}

TEST(PodKind, PortsOfTheHostsNetworkAreHostPorts) {
  const Pod p = pod_with_spec(
      R"({"containers":[{},{"ports":[{"containerPort":80}]}],"initContainers":[{"ports":[{"containerPort":90}]}],"hostNetwork":true})");
  EXPECT_EQ(p.spec.containers[1].ports, (std::vector<ContainerPort>{{80, "", "TCP"}}));
  EXPECT_EQ(p.spec.init_containers[0].ports, (std::vector<ContainerPort>{{90, "", "TCP"}}));
}

TEST(PodKind, ReadsAffinity) {
  const Pod p = pod_with_spec(R"({"affinity":{
    "nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"gpu","operator":"Gt","values":["3"]}],
      "matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"z","operator":"Exists"}]}}]},
    "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"rack","labelSelector":{"matchExpressions":[{"key":"b","operator":"NotIn","values":["x"]}],
      "matchLabels":{"c":"2","a":"1"}},"namespaces":["n"],"namespaceSelector":{},"matchLabelKeys":["m"],"mismatchLabelKeys":["mm"]}]},
    "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":50,"podAffinityTerm":{"topologyKey":"zone"}}]}}})");
  const Affinity& a = p.spec.affinity;
  ASSERT_TRUE(a.node_required);
  const NodeSelectorTerm term{{{"gpu", SelectorOp::kGt, {"3"}}}, {{"metadata.name", SelectorOp::kIn, {"n1"}}}};
  EXPECT_EQ(a.node_required->terms, std::vector<NodeSelectorTerm>{term});
  ASSERT_EQ(a.node_preferred.size(), 1u);
  EXPECT_EQ(a.node_preferred[0].weight, 7);
  ASSERT_EQ(a.pod_required.size(), 1u);
  const PodAffinityTerm& together = a.pod_required[0];
  EXPECT_EQ(together.topology_key, "rack");
  // Labels first, by key, then the expressions.
  const std::vector<Requirement> requirements = {
      {"a", SelectorOp::kIn, {"1"}}, {"c", SelectorOp::kIn, {"2"}}, {"b", SelectorOp::kNotIn, {"x"}}};
  EXPECT_EQ(together.selector->requirements, requirements);
  EXPECT_EQ(together.namespaces, std::vector<std::string>{"n"});
  EXPECT_TRUE(together.namespace_selector);
  EXPECT_EQ(together.match_label_keys, std::vector<std::string>{"m"});
  EXPECT_EQ(together.mismatch_label_keys, std::vector<std::string>{"mm"});
  ASSERT_EQ(a.anti_preferred.size(), 1u);
  EXPECT_EQ(a.anti_preferred[0].weight, 50);
  EXPECT_FALSE(a.anti_preferred[0].term.selector);
}

TEST(PodKind, ReadsTopologySpread) {
  const Pod p = pod_with_spec(
      R"({"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{},
    "minDomains":3,"nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor","matchLabelKeys":["v"]},{}]})");
  const SpreadConstraint full{
      2, "zone", SpreadAction::kScheduleAnyway, LabelSelector{}, 3, NodeInclusion::kIgnore, NodeInclusion::kHonor, {"v"}};
  EXPECT_EQ(p.spec.spread, (std::vector<SpreadConstraint>{full, SpreadConstraint{}}));
}

TEST(PodKind, KeepsVolumesThatMatterToScheduling) {
  const Pod p = pod_with_spec(
      R"({"volumes":[{"name":"token","projected":{}},{"name":"data","persistentVolumeClaim":{"claimName":"c1","readOnly":true}},
    {"name":"scratch","ephemeral":{"volumeClaimTemplate":{}}},{"name":"model","image":{"reference":"r/i:1"}}]})");
  EXPECT_EQ(p.spec.volumes,
            (std::vector<Volume>{{"data", "c1", false, ""}, {"scratch", "", true, ""}, {"model", "", false, "r/i:1"}}));
}

TEST(PodKind, ResolvesResourceClaimsFromTheStatusInAnyOrder) {
  const Pod p = pod(
      R"({"status":{"resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"p-gpu-x"},{"name":"other","resourceClaimName":"o"}]},
    "spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"},{"name":"nic","resourceClaimName":"n"}]},"metadata":{"name":"p"}})");
  EXPECT_EQ(p.spec.resource_claims,
            (std::vector<PodResourceClaim>{{"gpu", "", "t", "p-gpu-x", true}, {"nic", "n", "", "", false}}));
}

TEST(PodKind, ReadsTheStatus) {
  const Pod p =
      pod(R"({"metadata":{"name":"p"},"status":{"phase":"Running","nominatedNodeName":"n2","startTime":"2026-01-01T00:00:00Z",
    "conditions":[{"type":"Ready","status":"True","reason":"r","message":"m","lastTransitionTime":"2026-01-01T00:00:01Z","lastProbeTime":null}],
    "containerStatuses":[{"name":"a","ready":true},{"name":"b","resources":{"requests":{"cpu":"2"}},"allocatedResources":{"cpu":"1"}}]}})");
  EXPECT_EQ(p.status.phase, "Running");
  EXPECT_EQ(p.status.nominated_node, "n2");
  EXPECT_EQ(p.status.start_time->seconds, 1'767'225'600);
  ASSERT_EQ(p.status.conditions.size(), 1u);
  EXPECT_EQ(p.status.conditions[0].type, "Ready");
  EXPECT_EQ(p.status.conditions[0].last_transition.seconds, 1'767'225'601);
  ASSERT_EQ(p.status.resized.size(), 1u);
  EXPECT_EQ(p.status.resized[0].name, "b");
  EXPECT_EQ(p.status.resized[0].requests.at("cpu").units(), 2);
  EXPECT_EQ(p.status.resized[0].allocated.at("cpu").units(), 1);
  EXPECT_FALSE(p.status.resize_infeasible);
}

TEST(PodKind, KnowsAnInfeasibleResize) {
  EXPECT_TRUE(pod(R"({"metadata":{"name":"p"},"status":{"resize":"Infeasible"}})").status.resize_infeasible);
  EXPECT_FALSE(pod(R"({"metadata":{"name":"p"},"status":{"resize":"Deferred"}})").status.resize_infeasible);
  const std::string_view pending =
      R"({"metadata":{"name":"p"},"status":{"conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}]}})";
  EXPECT_TRUE(pod(pending).status.resize_infeasible);
}

}  // namespace
}  // namespace muster
