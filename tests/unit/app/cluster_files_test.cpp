#include "app/cluster_files.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr const char* kNode = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '10'}}}\n";

std::string queue(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}, spec: {" + spec +
         "}, status: {state: Open}}\n";
}

std::string pod(const std::string& name, const std::string& annotations, const std::string& spec) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", annotations: {" + annotations + "}}, spec: {" + spec +
         "}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {" + spec + "}}\n";
}

std::string error_of(const std::string& text) {
  const auto loaded = load_cluster_text(text, "all.yaml");
  return loaded ? "" : loaded.error().text();
}

bool says(const std::string& text, const std::string& part, const volcano::ClusterOptions& options = {}) {
  const auto loaded = load_cluster_text(text, "all.yaml", options);
  if (!loaded) return false;
  for (const auto& note : loaded->notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

TEST(ClusterFiles, MakesTheQueuesThatVolcanoMakesAtItsStart) {
  const auto loaded = load_cluster_text(kNode, "all.yaml");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->cluster->find_queue("root"));
  EXPECT_TRUE(loaded->cluster->find_queue("default"));
  // Said only when it matters: somebody is in the queue.
  EXPECT_FALSE(says(kNode, "default"));
  EXPECT_FALSE(says(kNode, "root"));
  EXPECT_TRUE(says(kNode + group("g", "minMember: 1"), "queue default was not in the input and is made as Volcano makes it"));
  EXPECT_FALSE(says(kNode + group("g", "minMember: 1"), "root"));
}

TEST(ClusterFiles, GivesQueuesWhatAdmissionAndControllerWould) {
  const std::string text =
      "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {}}\n" + group("g", "queue: q");
  const auto loaded = load_cluster_text(text, "all.yaml");
  ASSERT_TRUE(loaded);
  const auto& made = loaded->cluster->queue(loaded->cluster->find_queue("q"));
  EXPECT_TRUE(made.open);
  EXPECT_EQ(made.weight, 1);
  EXPECT_TRUE(says(text, "queue q has no status.state"));
  EXPECT_TRUE(says(text, "queue q has no weight"));
}

TEST(ClusterFiles, TakesLimitsForRequestsWhereThereAreNone) {
  const auto with = [](const std::string& containers) {
    return kNode + group("g", "minMember: 1") +
           pod("p", "scheduling.k8s.io/group-name: g", "schedulerName: volcano, " + containers);
  };
  const auto asked = [&](const std::string& containers, ResourceId resource) {
    const auto loaded = load_cluster_text(with(containers), "all.yaml");
    const auto& books = loaded->cluster->books();
    return books.shape_of(PodId(0)).request.get(resource);
  };
  const std::string limits = "containers: [{name: c, resources: {limits: {cpu: '3', memory: '7'}}}]";
  EXPECT_EQ(asked(limits, kCpu), 3000);
  EXPECT_EQ(asked(limits, kMemory), 7);
  EXPECT_TRUE(
      says(with(limits), "1 pod has limits without requests, and the limits count as requests, as the API server sets them"));
  // By container and by resource, and for init containers too.
  const std::string both = "containers: [{name: c, resources: {limits: {cpu: '3', memory: '7'}, requests: {cpu: '1'}}}]";
  EXPECT_EQ(asked(both, kCpu), 1000);
  EXPECT_EQ(asked(both, kMemory), 7);
  EXPECT_EQ(asked("initContainers: [{name: i, resources: {limits: {cpu: '2'}}}], containers: [{name: c}]", kCpu), 2000);
  const std::string whole = "containers: [{name: c, resources: {limits: {cpu: '3'}, requests: {cpu: '1'}}}]";
  EXPECT_FALSE(says(with(whole), "limits without requests"));
}

TEST(ClusterFiles, TellsAWeightOfZeroFromNone) {
  const auto text = queue("q", "weight: 0") + group("g", "queue: q");
  EXPECT_TRUE(says(text, "queue q has weight 0, which Volcano's admission makes 1"));
  EXPECT_FALSE(says(text, "has no weight"));
  EXPECT_EQ(error_of(queue("q", "weight: -3")), "all.yaml:2:94: Queue q: spec.weight: must not be negative");
}

TEST(ClusterFiles, TellsWhatOfAQueueCountsForNothing) {
  EXPECT_TRUE(says(queue("q", "weight: 1, capability: {cpu: '0'}"), "Queue q: spec.capability.cpu is 0, which counts as no limit"));
  EXPECT_FALSE(says(queue("q", "weight: 1, capability: {cpu: '1'}"), "counts as no limit"));
  EXPECT_TRUE(says(queue("q", "weight: 1") + queue("root", "weight: 1, parent: q"),
                   "Queue root: spec.parent of the queue at the root counts for nothing"));
  const std::string text =
      "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q, annotations: {volcano.sh/hierarchy: "
      "root/a/q, volcano.sh/hierarchy-weights: 1/2}}, spec: {weight: 1}}\n";
  EXPECT_TRUE(says(text, "Queue q: volcano.sh/hierarchy has 3 parts and volcano.sh/hierarchy-weights 2"));
}

TEST(ClusterFiles, TellsASelectorThatMatchesNothingFromNoNodes) {
  volcano::ClusterOptions options;
  options.node_selector = {"pool:gpu"};
  const auto loaded = load_cluster_text(kNode, "all.yaml", options);
  ASSERT_TRUE(loaded);
  ASSERT_FALSE(loaded->notes.empty());
  EXPECT_EQ(loaded->notes[0], "--node-selector matches none of the 1 node of the input, so nothing can be placed");
}

// What the API server lets pass, Volcano counts in its own way: a note says how.
TEST(ClusterFiles, PointsOutValuesThatMakeNoSense) {
  const auto status = [](const std::string& kind, const std::string& api, const std::string& content) {
    return "{apiVersion: " + api + ", kind: " + kind + ", metadata: {name: x}, status: {" + content + "}}\n";
  };
  const std::string volcano = "scheduling.volcano.sh/v1beta1";
  EXPECT_TRUE(says(group("g", "minMember: -2"), "all.yaml:2:1: PodGroup default/g: spec.minMember is negative"));
  EXPECT_TRUE(says(group("g", "minTaskMember: {a: -1}"), "spec.minTaskMember has a negative minimum"));
  EXPECT_TRUE(says(group("g", "minResources: {cpu: '-1'}"), "spec.minResources has a negative amount"));
  EXPECT_TRUE(says(group("g", "minMember: -2") + group("h", "minMember: -2"), "PodGroup default/g and 1 more: spec.minMember"));
  EXPECT_TRUE(says(status("Pod", "v1", "phase: Runing"),
                   "Pod default/x: status.phase \"Runing\" is unknown, so the pod counts as Unknown; did you mean \"Running\"?"));
  EXPECT_TRUE(says(status("PodGroup", volcano, "phase: Inqueu"), "did you mean \"Inqueue\"?"));
  EXPECT_TRUE(says(status("Queue", volcano, "state: Opne"), "the queue counts as closed; did you mean \"Open\"?"));
  EXPECT_FALSE(says(status("Queue", volcano, "state: Closing"), "unknown"));
}

TEST(ClusterFiles, PointsOutPodsThatAreNotWhereTheySeem) {
  const std::string ours = "schedulerName: volcano";
  EXPECT_TRUE(says(kNode + pod("p", "scheduling.k8s.io/groupname: g", ours),
                   "Pod default/p: annotation \"scheduling.k8s.io/groupname\" is not read; did you mean "
                   "\"scheduling.k8s.io/group-name\"?"));
  EXPECT_FALSE(says(kNode + pod("p", "scheduling.k8s.io/group-name: g", ours), "did you mean"));
  EXPECT_FALSE(says(kNode + pod("p", "example.com/group-name: g", ours), "did you mean"));
  const std::string adrift =
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: volcano}, status: {phase: Running}}\n";
  EXPECT_TRUE(says(kNode + adrift, "Pod default/p: status.phase is Running without a spec.nodeName"));
}

TEST(ClusterFiles, PointsOutKindsThatAreNearlyRight) {
  const auto object = [](const std::string& type) { return "{" + type + ", metadata: {name: x}}\n"; };
  EXPECT_TRUE(
      says(object("apiVersion: scheduling.volcano.sh/v1beta2, kind: PodGroup"),
           "1 object of scheduling.volcano.sh/v1beta2 PodGroup is not read; muster reads scheduling.volcano.sh/v1beta1 PodGroup"));
  EXPECT_TRUE(
      says(object("apiVersion: scheduling.volcano.sh/v1beta1, kind: Podgroup"), "muster reads scheduling.volcano.sh/v1beta1"));
  EXPECT_TRUE(
      says(object("apiVersion: sheduling.volcano.sh/v1beta1, kind: Queue"), "muster reads scheduling.volcano.sh/v1beta1 Queue"));
  EXPECT_TRUE(says(object("apiVersion: v1, kind: Nod"), "muster reads v1 Node"));
  EXPECT_TRUE(says(object("apiVersion: v1, kind: Podd"), "muster reads v1 Pod"));
  EXPECT_TRUE(says(object("apiVersion: policy/v1beta1, kind: PodDisruptionBudget"), "muster reads policy/v1 PodDisruptionBudget"));
  for (const char* other : {"apiVersion: apps/v1, kind: Deployment", "apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics",
                            "apiVersion: v1, kind: PodTemplate", "apiVersion: storage.k8s.io/v1, kind: CSIDriver"})
    EXPECT_FALSE(says(object(other), "muster reads")) << other;
}

TEST(ClusterFiles, RefusesTwoObjectsOfOneNameAndNamesBothPlaces) {
  EXPECT_EQ(error_of(queue("q", "weight: 1") + queue("q", "weight: 2")),
            "all.yaml:4:1: Queue q: is there twice; the first is at all.yaml:2:1");
}

TEST(ClusterFiles, KindAndNamespaceTellNamesApart) {
  EXPECT_EQ(error_of(queue("x", "weight: 1") + group("x", "minMember: 1") + pod("x", "", "schedulerName: volcano")), "");
}

TEST(ClusterFiles, RefusesQueuesThatAreTheirOwnAncestors) {
  EXPECT_EQ(error_of(queue("a", "parent: b") + queue("b", "parent: c") + queue("c", "parent: b")),
            "all.yaml:4:1: Queue b: spec.parent: the queue is its own ancestor: b -> c -> b");
  EXPECT_EQ(error_of(queue("a", "parent: a")), "all.yaml:2:1: Queue a: spec.parent: the queue is its own ancestor: a -> a");
}

TEST(ClusterFiles, ExplainsWhatIsLegalButOfNoUse) {
  const auto ours = [](const std::string& more) { return "schedulerName: volcano" + more; };
  EXPECT_TRUE(says("", "there is no object"));
  EXPECT_TRUE(says(queue("q", "weight: 1"), "there is no node"));
  EXPECT_TRUE(says(kNode, "there is no pod"));
  EXPECT_TRUE(says(queue("q", "parent: gone"), "queue q names the parent gone, which does not exist"));
  EXPECT_TRUE(says(pod("p", "scheduling.k8s.io/group-name: gone", ours("")), "PodGroup that pods name does not exist"));
  EXPECT_TRUE(says(group("g", "queue: gone"), "queue gone does not exist, so this PodGroup waits: default/g"));
  EXPECT_TRUE(says(pod("p", "", ours("")), "1 pod of this scheduler without a PodGroup"));
  EXPECT_TRUE(says(pod("p", "", ours(", priorityClassName: gone")), "priority class gone does not exist; Pod default/p"));
  EXPECT_TRUE(says(group("g", "priorityClassName: gone"), "priority class gone does not exist; PodGroup default/g"));
  EXPECT_TRUE(says(pod("p", "", "schedulerName: other"), "1 pod waits for another scheduler: other"));
  EXPECT_TRUE(
      says("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}", "1 object of kinds that the scheduler does not read"));
  EXPECT_TRUE(says("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: d}}", "a Volcano Job is not expanded"));
}

// Nothing waits for a PodGroup, a scheduler or a class that is gone as well.
TEST(ClusterFiles, NothingIsSaidOfPodsThatHaveEnded) {
  const auto ended = [](const std::string& annotations, const std::string& spec, const std::string& phase) {
    const auto text = pod("p", annotations, spec);
    return kNode + text.substr(0, text.rfind("}\n")) + ", status: {phase: " + phase + "}}\n";
  };
  const std::string gone = "scheduling.k8s.io/group-name: gone";
  for (const auto* phase : {"Succeeded", "Failed"}) {
    EXPECT_FALSE(says(ended(gone, "schedulerName: volcano, nodeName: n1", phase), "PodGroup")) << phase;
    EXPECT_FALSE(says(ended("", "schedulerName: volcano", phase), "PodGroup")) << phase;
    EXPECT_FALSE(says(ended("", "schedulerName: other", phase), "scheduler")) << phase;
  }
  EXPECT_TRUE(says(ended(gone, "schedulerName: volcano", "Succeeded") + pod("q", gone, "schedulerName: volcano"),
                   "1 PodGroup that pods name does not exist, so the pods wait: default/gone"));
}

TEST(ClusterFiles, PointsOutHyperNodesThatAreHardlyMeant) {
  const auto domain = [](const std::string& name, const std::string& members) {
    return "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: " + name +
           "}, spec: {tier: 1, members: [" + members + "]}}\n";
  };
  const std::string n1 = "{type: Node, selector: {exactMatch: {name: n1}}}";
  const auto broken = kNode + domain("a", "{type: Node, selector: {regexMatch: {pattern: 'n[1'}}}");
  EXPECT_TRUE(
      says(broken, "HyperNode a: spec.members[0].selector.regexMatch.pattern \"n[1\" cannot be read and matches no node: "));
  EXPECT_TRUE(says(broken, "HyperNode a: spec.members selects no node that is there"));
  const auto missing = kNode + domain("a", n1 + ", {type: Node, selector: {exactMatch: {name: n2}}}, "
                                                "{type: HyperNode, selector: {exactMatch: {name: b}}}");
  EXPECT_TRUE(says(missing, "HyperNode a: spec.members names some that are not there: n2, b"));
  EXPECT_TRUE(
      says(kNode + domain("a", n1) + domain("b", n1), "HyperNodes a and b, both of tier 1, share 1 node: n1; it counts for both"));
  const auto above = [](const std::string& name) { return "{type: HyperNode, selector: {exactMatch: {name: " + name + "}}}"; };
  EXPECT_TRUE(says(kNode + domain("a", above("b")) + domain("b", above("a")),
                   "HyperNodes contradict each other, so jobs with a network topology wait: b and a are above each other"));
  EXPECT_FALSE(says(kNode + domain("a", n1), "HyperNode"));
  EXPECT_FALSE(says(kNode + domain("a", "{type: Node, selector: {regexMatch: {pattern: 'n.*'}}}"), "HyperNode"));
}

TEST(ClusterFiles, PointsOutQueuesWhoseAmountsExceedEachOther) {
  const auto queue = [](const std::string& amounts) {
    return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 1, " + amounts +
           "}}\n";
  };
  const std::string refuses = ", which Volcano's admission refuses";
  EXPECT_TRUE(says(kNode + queue("deserved: {cpu: 2}, guarantee: {resource: {cpu: 3}}"),
                   "Queue q: spec.guarantee.cpu is more than spec.deserved.cpu" + refuses));
  EXPECT_TRUE(says(kNode + queue("deserved: {cpu: 2}, capability: {cpu: 1}"),
                   "Queue q: spec.deserved.cpu is more than spec.capability.cpu" + refuses));
  EXPECT_TRUE(says(kNode + queue("capability: {cpu: 1}, guarantee: {resource: {cpu: 2}}"),
                   "Queue q: spec.guarantee.cpu is more than spec.capability.cpu" + refuses));
  EXPECT_FALSE(says(kNode + queue("deserved: {cpu: 2}, capability: {cpu: 2}, guarantee: {resource: {cpu: 2}}"), refuses));
}

TEST(ClusterFiles, PointsOutTierNamesThatNoHyperNodeHas) {
  const auto group = [](const std::string& topology) {
    return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 1, "
           "networkTopology: {mode: hard, " +
           topology + "}}}\n";
  };
  const std::string rack =
      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: a}, spec: {tier: 1, tierName: rack, "
      "members: "
      "[{type: Node, selector: {exactMatch: {name: n1}}}]}}\n";
  const std::string unknown = "PodGroup default/g: no HyperNode has the tier name \"rack\", so the network topology limits nothing";
  const std::string pod_rack = [&] {
    auto other = rack;
    return other.replace(other.find("tierName: rack"), 14, "tierName: pod");
  }();
  EXPECT_TRUE(says(kNode + pod_rack + group("highestTierName: rack"), unknown));
  EXPECT_FALSE(says(kNode + rack + group("highestTierName: rack"), "tier name"));
  EXPECT_TRUE(says(kNode + rack + group("highestTierName: rack, highestTierAllowed: 1"), "of which the first counts"));
}

TEST(ClusterFiles, PointsOutThatThereAreNoHyperNodes) {
  const std::string none = "there is no HyperNode in the input, so the network topology of PodGroup default/g has no effect";
  EXPECT_TRUE(says(kNode + group("g", "networkTopology: {mode: soft}"), none));
  EXPECT_TRUE(says(kNode + group("g", "networkTopology: {highestTierName: rack}"), none));
  EXPECT_FALSE(says(kNode + group("g", "networkTopology: {highestTierName: rack}"), "tier name"));  // one sentence is enough
  EXPECT_TRUE(says(kNode + group("g", "subGroupPolicy: [{name: s, networkTopology: {highestTierAllowed: 1}}]"), none));
  EXPECT_FALSE(says(kNode + group("g", "minMember: 1"), "HyperNode"));
}

// Without any HyperNode the whole cluster is of tier 1, and a hard topology may allow less.
TEST(ClusterFiles, PointsOutNetworkTopologiesThatAllowNoNode) {
  const auto allows_none = [](std::int64_t tier) {
    return ": no HyperNode is of tier " + std::to_string(tier) +
           " or lower, so with the plugin network-topology-aware the network topology allows no node";
  };
  const auto no_effect = [](const std::string& whose) {
    return "there is no HyperNode in the input, so the network topology of " + whose + " has no effect";
  };
  const auto hard = kNode + group("g", "networkTopology: {mode: hard, highestTierAllowed: 0}");
  EXPECT_TRUE(says(hard, "PodGroup default/g" + allows_none(0)));
  EXPECT_FALSE(says(hard, "has no effect"));
  const auto part = kNode + group("g",
                                  "networkTopology: {mode: soft}, subGroupPolicy: [{name: s, networkTopology: {"
                                  "highestTierAllowed: -1}}]");
  EXPECT_TRUE(says(part, "PodGroup default/g" + allows_none(-1)));
  const auto soft = kNode + group("g", "networkTopology: {mode: soft, highestTierAllowed: 0}");
  EXPECT_TRUE(says(soft, no_effect("PodGroup default/g")));
  EXPECT_FALSE(says(soft, "allows no node"));
  const auto two = kNode + group("g", "networkTopology: {highestTierAllowed: 1}") + group("h", "networkTopology: {mode: soft}");
  EXPECT_TRUE(says(two, no_effect("PodGroup default/h and 1 more")));
  const std::string spine =
      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: a}, spec: {tier: 2, members: "
      "[{type: Node, selector: {exactMatch: {name: n1}}}]}}\n";
  EXPECT_TRUE(says(kNode + spine + group("g", "networkTopology: {highestTierAllowed: 1}"), allows_none(1)));
  EXPECT_FALSE(says(kNode + spine + group("g", "networkTopology: {highestTierAllowed: 2}"), "allows no node"));
}

TEST(ClusterFiles, PointsOutFieldsThatSayNothing) {
  const std::string budget =
      "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 1}";
  // Whether it is worth saying depends on the configuration.
  EXPECT_EQ(load_cluster_text(kNode + budget + "}\n", "all.yaml")->closed_budgets.text(),
            "all.yaml:3:1: PodDisruptionBudget default/b");
  EXPECT_EQ(load_cluster_text(kNode + budget + ", status: {disruptionsAllowed: 1}}\n", "all.yaml")->closed_budgets.count, 0u);
  EXPECT_FALSE(says(kNode + budget + "}\n", "PodDisruptionBudget"));

  const std::string cards =
      "{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {volcano.sh/node-vgpu-register: nonsense}}, status: "
      "{allocatable: {cpu: '4', pods: '10'}}}\n";
  volcano::ClusterOptions options;
  EXPECT_FALSE(says(cards, "no list of cards"));  // nobody reads it
  options.devices.vgpu = true;
  EXPECT_TRUE(
      says(cards,
           "Node n1: metadata.annotations[\"volcano.sh/node-vgpu-register\"] is no list of cards, so the node has no virtual "
           "GPUs",
           options));

  options.numa = true;
  EXPECT_TRUE(
      says(kNode + pod("p", "volcano.sh/numa-topology-policy: best-efort", "schedulerName: volcano"),
           "Pod default/p: metadata.annotations[\"volcano.sh/numa-topology-policy\"] \"best-efort\" is unknown, so only nodes "
           "with the very same policy take the pod; did you mean \"best-effort\"?",
           options));
  EXPECT_TRUE(
      says(std::string(kNode) +
               "---\n{apiVersion: nodeinfo.volcano.sh/v1alpha1, kind: Numatopology, metadata: {name: n1}, spec: {policies: "
               "{TopologyManagerPolicy: strict}}}\n",
           "Numatopology n1: spec.policies.TopologyManagerPolicy \"strict\" is unknown, so no NUMA node is preferred on that "
           "node",
           options));
}

}  // namespace
}  // namespace muster
