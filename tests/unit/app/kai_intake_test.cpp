#include "app/kai_intake.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr auto kNode = "---\n{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {pods: '10', cpu: '8'}}}\n";

std::string queue(const std::string& name, const std::string& spec = "") {
  const std::string open = "{quota: -1, limit: -1}";
  return "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: " + name + "}, spec: {" + spec +
         " resources: {gpu: " + open + ", cpu: " + open + ", memory: " + open + "}}}\n";
}

std::string group(const std::string& name, const std::string& spec, const std::string& ns = "default") {
  return "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: " + name + ", namespace: " + ns +
         "}, spec: {" + spec + "}}\n";
}

std::string pod(const std::string& name, const std::string& annotations, const std::string& labels = "",
                const std::string& scheduler = "kai-scheduler") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", annotations: {" + annotations + "}, labels: {" + labels +
         "}}, spec: {schedulerName: " + scheduler + ", containers: [{name: c}]}}\n";
}

Result<LoadedKaiCluster> load(const std::string& text, kai::ClusterOptions options = {}) {
  KaiIntake intake(std::move(options));
  const auto read = read_objects_text(
      text, "a.yaml", [&](Object&& object, const Location& location) { return intake.take(std::move(object), location); });
  if (!read) return fail(read.error());
  intake.count(*read);
  return intake.finish();
}

// What is said of these objects besides a good queue and node.
std::vector<std::string> notes(const std::string& text, kai::ClusterOptions options = {}) {
  auto loaded = load(kNode + queue("q") + text, std::move(options));
  return loaded ? loaded->notes : std::vector<std::string>{"! " + loaded.error().text()};
}

const std::string kGood = group("g", "queue: q") + pod("p", "pod-group-name: g");

TEST(KaiIntake, HasNothingToSayOfAGoodCluster) { EXPECT_EQ(notes(kGood), std::vector<std::string>()); }

TEST(KaiIntake, RefusesWhatIsThereTwiceAndQueuesInARing) {
  EXPECT_NE(notes(queue("q")).front().find("Queue q: is there twice; the first is at a.yaml:"), std::string::npos);
  EXPECT_NE(notes(queue("a", "parentQueue: b,") + queue("b", "parentQueue: a,"))
                .front()
                .find("Queue a: spec.parentQueue: the queue is its own ancestor: a -> b -> a"),
            std::string::npos);
}

TEST(KaiIntake, SaysWhatIsLegalAndOfNoUse) {
  struct Row {
    std::string objects;
    std::string says;
  };
  const Row rows[] = {
      {queue("child", "parentQueue: quueue,") + kGood,
       "queue child names the parent quueue, which does not exist: as in KAI it is left out"},
      {group("g", "queue: qq") + pod("p", "pod-group-name: g"), "queue qq does not exist, so this PodGroup waits: default/g"},
      {queue("leaf", "parentQueue: q,") + kGood,
       "queue q has queues below it and takes no jobs, so this PodGroup waits: default/g"},
      {group("g", "queue: q, priorityClassName: fast") + pod("p", "pod-group-name: g"), "priority class fast does not exist"},
      {group("g", "queue: q, topologyConstraint: {topology: t}") + pod("p", "pod-group-name: g"), "topology t does not exist"},
      {group("g", "queue: q, preemptibility: preemptable") + pod("p", "pod-group-name: g"),
       "spec.preemptibility \"preemptable\" is unknown, so the job counts as non-preemptible; did you mean \"preemptible\"?"},
      {group("g", "queue: q, subGroups: [{name: a, minMember: 1}, {name: a, minMember: 1}]"), "spec.subGroups make no tree"},
      {"---\n{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: rack}]}}\n" +
           group("g", "queue: q, topologyConstraint: {topology: t, requiredTopologyLevel: row}") + pod("p", "pod-group-name: g"),
       "topology t has no level row, so PodGroup default/g cannot be placed"},
      {"---\n{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {nvidia.com/gpu.memory: much}}, status: {allocatable: "
       "{pods: '10'}}}\n" +
           kGood,
       "Node n2: label nvidia.com/gpu.memory \"much\" is no whole number, so it counts for nothing"},
      {group("g", "queue: q") +
           "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {pod-group-name: g, gpu-fraction: '0.5'}}, spec: "
           "{schedulerName: kai-scheduler, containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}\n",
       "annotation gpu-fraction takes the place of the whole GPUs that its containers ask for, which count for nothing"},
      {group("g", "queue: q") +
           "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {pod-group-name: g}}, spec: {schedulerName: "
           "kai-scheduler, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n",
       "1 pod has limits without requests, and the limits count as requests, as the API server sets them: Pod default/p"},
      {group("g", "queue: q, subGroups: [{name: a, minMember: 1}]") + pod("p", "pod-group-name: g"),
       "PodGroup default/g has no sub-group for pods without the label, so these pods are left out: default/p"},
      {kGood + pod("p2", "pod-group-name: g", "kai.scheduler/subgroup-name: b"), "PodGroup default/g has no sub-group b"},
      {kGood + pod("p2", "pod-group-name: h"),
       "1 PodGroup that pods name does not exist, so the pods wait: default/h (of default/p2)"},
      {kGood + pod("p2", ""), "1 pod of this scheduler without a PodGroup (a cluster's podgrouper would make one): default/p2"},
      {kGood + pod("p2", "podgroup-name: g"),
       "Pod default/p2: annotation \"podgroup-name\" is not read; did you mean \"pod-group-name\"?"},
      {kGood + pod("p2", "", "", "other"), "1 pod waits for another scheduler: other"},
      {kGood + pod("p2", "pod-group-name: g", "", "other"),
       "schedulerName \"other\" of default/p2 has no effect: as in KAI, what names a PodGroup is placed with it"},
      {kGood + pod("p2", "pod-group-name: g, gpu-fraction: '1.5'"),
       "a.yaml:10:1: Pod default/p2: annotation gpu-fraction \"1.5\" is no number above 0 and up to 1, so it counts for nothing"},
      {kGood + pod("p2", "pod-group-name: g, gpu-memory: 4Gi"), "annotation gpu-memory \"4Gi\" is no whole number of MiB above 0"},
      {kGood + pod("p2", "pod-group-name: g, gpu-memory: '400', gpu-fraction: '0.5'"),
       "annotation gpu-memory counts for nothing beside gpu-fraction"},
      {kGood + pod("p2", "pod-group-name: g, gpu-fraction-num-devices: '2'"),
       "annotation gpu-fraction-num-devices counts for nothing without gpu-fraction or gpu-memory"},
      {kGood + pod("p2", "pod-group-name: g, gpu-fraction: '0.5', gpu-fraction-num-devices: two"),
       "annotation gpu-fraction-num-devices \"two\" is no whole number, so one device counts"},
      {kGood + pod("p2", "pod-group-name: g, gpu-fraction: '0.5', gpu-fraction-num-devices: '-2'"),
       "annotation gpu-fraction-num-devices \"-2\" is not above 0, so no node takes the pod"},
      {kGood +
           "---\n{apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest, metadata: {name: b, namespace: a}, spec: {podName: "
           "nobody, selectedNode: n1}}\n",
       "BindRequest a/b: pod a/nobody does not exist, so it counts for nothing"},
      {"---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: h, annotations: "
       "{kai.scheduler/last-start-timestamp: yesterday}}, spec: {queue: q}}\n",
       "annotation kai.scheduler/last-start-timestamp \"yesterday\" is no time such as 2026-01-01T00:00:00Z"},
      {kGood + "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: odd}, spec: {resources: {gpu: {quota: -2, "
               "limit: -1, overQuotaWeight: -1}}}}\n",
       "Queue odd: spec.resources.gpu.quota is -2: of negative numbers only -1 has a meaning, which is no bound"},
      {kGood + "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: odd}, spec: {resources: {gpu: {quota: -2, "
               "limit: -1, overQuotaWeight: -1}}}}\n",
       "Queue odd: spec.resources.gpu.overQuotaWeight is -1: a weight must not be negative"},
      {kGood + group("h", "queue: q, minMember: -1"), "PodGroup default/h: spec.minMember is negative and counts as no minimum"},
      {kGood + group("h", "queue: q, minMember: -1, subGroups: [{name: s, minMember: 1}]"),
       "PodGroup default/h: spec.minMember is negative and counts for nothing beside spec.subGroups"},
      {kGood + group("h", "queue: q, minSubGroup: -2, subGroups: [{name: s, minMember: 1}]"),
       "PodGroup default/h: spec.minSubGroup is negative and counts as no minimum"},
      {kGood + group("h", "queue: q, subGroups: [{name: s, minMember: -3}]"),
       "PodGroup default/h: spec.subGroups: minMember of s is negative and counts as no minimum"},
      {kGood + group("h", "queue: q, subGroups: [{name: s, minSubGroup: -1}, {name: r, parent: s, minMember: 1}]"),
       "PodGroup default/h: spec.subGroups: minSubGroup of s is negative and counts as no minimum"},
      {kGood + "---\n{apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest, metadata: {name: b}, spec: {podName: p, "
               "selectedNod: n1}}\n",
       "spec.selectedNod is no field of a BindRequest and is passed over; did you mean \"selectedNode\"?"},
      {kGood + "---\n{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodelabel: x}]}}\n",
       "spec.levels[].nodelabel is no field of a Topology and is passed over; did you mean \"nodeLabel\"?"},
      {kGood + "---\n{apiVersion: scheduling.x-k8s.io/v1, kind: PodGroup, metadata: {name: x}}\n",
       "muster reads scheduling.run.ai/v2alpha2 PodGroup"},
      {"---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: shut}, spec: {resources: {gpu: {quota: 1}}}}\n" +
           group("g", "queue: shut") + pod("p", "pod-group-name: g"),
       "queue shut has a limit of 0 or none for gpu, cpu, memory, which in KAI is nothing at all"},
      {kGood + "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: v}}\n",
       "Queue v is of Volcano's API and left aside by KAI's scheduler: see --dialect volcano"},
      {kGood + "---\n{apiVersion: kueue.x-k8s.io/v1alpha1, kind: Topology, metadata: {name: t}}\n",
       "1 object of kinds that the scheduler does not read passed over: 1 kueue.x-k8s.io/v1alpha1 Topology"},
      {kGood + "---\n{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kai.scheduler/node-pool: a}}}\n",
       "1 of 2 nodes belongs to other shards and is left out"},
  };
  for (const auto& [objects, says] : rows) {
    const auto said = notes(objects);
    EXPECT_TRUE(std::ranges::any_of(said, [&](const std::string& note) { return note.find(says) != std::string::npos; }))
        << says << "\nsaid: " << testing::PrintToString(said);
  }
}

TEST(KaiIntake, SaysWhichPodGroupsAreOneToTheOriginal) {
  const auto twice = kGood + group("g", "queue: q", "other");
  EXPECT_EQ(notes(twice), std::vector<std::string>());
  kai::ClusterOptions exact;
  exact.behaviour = kai::Behaviour::exact();
  ASSERT_EQ(notes(twice, exact).size(), 1u);
  EXPECT_NE(notes(twice, exact).front().find("KAI knows a PodGroup by its name alone, and 2 are called g"), std::string::npos);
}

TEST(KaiIntake, PointsOutFieldsThatAreNone) {
  EXPECT_EQ(
      notes(kGood + "---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: typo}\nspec:\n  parentQeue: q\n"),
      (std::vector<std::string>{
          "a.yaml:14:15: Queue typo: spec.parentQeue is no field of a Queue and is passed over; did you mean \"parentQueue\"?"}));
  EXPECT_EQ(notes(group("g", "queue: q, minMembers: 3") + pod("p", "pod-group-name: g")).size(), 1u);
  EXPECT_EQ(notes(group("g", "queue: q, subGroups: [{name: default, minMembr: 3}]") + pod("p", "pod-group-name: g")).size(), 1u);
}

TEST(KaiIntake, RefusesWrongTypesWithTheirPlace) {
  EXPECT_EQ(
      notes("---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: bad}\nspec: {resources: {gpu: {limit: lots}}}\n"),
      (std::vector<std::string>{"! a.yaml:9:33: Queue bad: spec.resources.gpu.limit: must be a number, not a string"}));
  EXPECT_EQ(notes("---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: bad}\nspec: {minMember: [1]}\n"),
            (std::vector<std::string>{"! a.yaml:9:19: PodGroup bad: spec.minMember: must be an integer, not a list"}));
}

TEST(KaiIntake, LooksAtItsShardAlone) {
  kai::ClusterOptions options;
  options.node_pool = "a";
  EXPECT_NE(notes("", options).front().find("there is no pod"), std::string::npos);
}

}  // namespace
}  // namespace muster
