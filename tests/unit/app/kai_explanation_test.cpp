#include "app/kai_explanation.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "app/amount_text.h"
#include "app/kai_outlook.h"
#include "app/kai_table.h"

namespace muster {
namespace {

constexpr auto quiet = [](std::string_view, std::uint64_t) {};

std::string node(const std::string& name, const std::string& resources, const std::string& more = "") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + more + "}, status: {allocatable: {pods: '10', " +
         resources + "}}}\n";
}

std::string queue(const std::string& name, const std::string& cpu = "quota: -1, limit: -1", const std::string& spec = "") {
  const std::string open = "{quota: -1, limit: -1}";
  return "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: " + name + "}, spec: {" + spec +
         " resources: {gpu: " + open + ", cpu: {" + cpu + "}, memory: " + open + "}}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: " + name + ", namespace: a}, spec: {" +
         spec + "}}\n";
}

std::string pod(const std::string& job, int index, const std::string& requests, const std::string& spec = "",
                const std::string& status = "", const std::string& meta = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job + "-" + std::to_string(index) +
         ", namespace: a, annotations: {pod-group-name: " + job + "}" + meta + "}, spec: {schedulerName: kai-scheduler, " + spec +
         " containers: [{name: c, resources: {requests: {" + requests + "}}}]}, status: {" + status + "}}\n";
}

std::string pods(const std::string& job, int count, const std::string& requests) {
  std::string text;
  for (int i = 0; i < count; ++i) text += pod(job, i, requests);
  return text;
}

OfflineOptions options_of(const std::string& text, const std::string& config = "") {
  const auto path = testing::TempDir() + "kai_explanation.yaml";
  std::ofstream(path) << text;
  OfflineOptions options;
  options.files = {path};
  options.now = *Timestamp::parse_rfc3339("2026-01-01T00:00:00Z");
  if (config.empty()) return options;
  options.config = testing::TempDir() + "kai_explanation.conf";
  std::ofstream(*options.config) << config;
  return options;
}

Explanation explained(const std::string& text, const std::string& name = "j", const std::string& config = "") {
  auto run = KaiOfflineRun::prepare(options_of(text, config), quiet);
  if (!run) return ADD_FAILURE() << run.error().text(), Explanation();
  auto explanation = explain_kai(*run, name, quiet);
  if (!explanation) return ADD_FAILURE() << explanation.error().text(), Explanation();
  return std::move(*explanation);
}

const std::string kNode = node("n1", "cpu: '8', memory: 8Gi");

const std::string kTopology =
    "---\n{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: rack}]}}\n";
// A job that leaves no room for four more cores.
const std::string kFull = group("full", "queue: q") + pod("full", 0, "cpu: 6", "nodeName: n1,", "phase: Running");

std::string class_of(const std::string& name, int value) {
  return "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name +
         "}, value: " + std::to_string(value) + "}\n";
}

struct Case {
  const char* code;
  std::string objects;
  std::string config;
  std::string sentence;
};

std::vector<Case> cases() {
  const auto one = group("j", "queue: q, minMember: 1");
  return {
      {"no-pod-group", kNode + queue("q") + pod("j", 0, "cpu: 1"), "", "its PodGroup does not exist"},
      {"other-shard",
       kNode + queue("q") +
           "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: j, namespace: a, labels: "
           "{kai.scheduler/node-pool: b}}, spec: {queue: q}}\n" +
           pods("j", 1, "cpu: 1"),
       "", "it belongs to the shard b"},
      {"no-queue", kNode + queue("q") + group("j", "queue: w") + pods("j", 1, "cpu: 1"), "", "queue w does not exist"},
      {"inner-queue", kNode + queue("q") + queue("r", "quota: -1, limit: -1", "parentQueue: q,") + one + pods("j", 1, "cpu: 1"), "",
       "queue q has queues below it"},
      {"no-pods", kNode + queue("q") + one, "",
       "the PodGroup has no pods: they have ended and were deleted, or were not created yet"},
      {"too-few-pods", kNode + queue("q") + group("j", "queue: q, minMember: 3") + pods("j", 2, "cpu: 1"), "",
       "only 2 pods exist, and 3 have to start together"},
      {"gated", kNode + queue("q") + one + pod("j", 0, "cpu: 1", "schedulingGates: [{name: g}],"), "",
       "scheduling gates hold 1 of 1 pod back"},
      {"queue-limit", kNode + queue("q", "quota: 0, limit: 500, overQuotaWeight: 1") + one + pods("j", 1, "cpu: 1"), "",
       "queue q holds 0 CPU and may hold 0.5; the job asks for 1 more"},
      {"queue-quota",
       kNode + queue("q", "quota: 500, limit: -1") + group("j", "queue: q, preemptibility: non-preemptible") +
           pods("j", 1, "cpu: 1"),
       "", "quota"},
      {"no-sub-group",
       kNode + queue("q") + group("j", "queue: q, subGroups: [{name: workers, minMember: 1}]") +
           pod("j", 0, "cpu: 1", "", "", ", labels: {kai.scheduler/subgroup-name: worker}"),
       "", "its PodGroup has no sub-group worker, so this pod is left out: a/j-0; did you mean workers?"},
      {"no-sub-group",
       kNode + queue("q") + group("j", "queue: q, subGroups: [{name: a, minMember: 1}, {name: a, minMember: 1}]") +
           pod("j", 0, "cpu: 1", "", "", ", labels: {kai.scheduler/subgroup-name: a}"),
       "", "its PodGroup has no sub-group a that counts, so this pod is left out: a/j-0"},
      {"evicted",
       kNode + queue("q") + class_of("high", 60) + class_of("low", 10) +
           group("j", "queue: q, preemptibility: preemptible, priorityClassName: low") +
           pod("j", 0, "cpu: 6", "nodeName: n1,", "phase: Running") + pod("j", 1, "cpu: 6") +
           group("new", "queue: q, preemptibility: preemptible, priorityClassName: high") + pods("new", 1, "cpu: 4"),
       "", "a/j-0 was evicted in this cycle for a/new"},
      {"stale",
       kNode + queue("q") + group("j", "queue: q, minMember: 2, stalenessGracePeriod: 30s") +
           pod("j", 0, "cpu: 1", "nodeName: n1,", "phase: Running"),
       "",
       "only 1 pod exists, and 2 have to start together; those that run are evicted at 2026-01-01T00:00:30Z unless the others "
       "come"},
      {"stale",
       kNode + queue("q") + group("j", "queue: q, minMember: 2, stalenessGracePeriod: -1s") +
           pod("j", 0, "cpu: 1", "nodeName: n1,", "phase: Running"),
       "", "; those that run hold their nodes until they end"},
      {"no-labels",
       kNode + kTopology + queue("q") + group("j", "queue: q, topologyConstraint: {topology: t, requiredTopologyLevel: rack}") +
           pods("j", 1, "cpu: 1"),
       "", "no node has the labels of all levels of topology t"},
      {"small-domains",
       node("n1", "cpu: '8', memory: 8Gi", ", labels: {rack: a}") + node("n2", "cpu: '8', memory: 8Gi", ", labels: {rack: b}") +
           kTopology + queue("q") +
           group("j", "queue: q, minMember: 3, topologyConstraint: {topology: t, requiredTopologyLevel: rack}") +
           pods("j", 3, "cpu: 4"),
       "", "3 pods have to start together, and no domain of level rack of topology t takes more than 2, even when empty"},
      {"queue-limit", kNode + queue("q", "quota: 0, limit: -7, overQuotaWeight: 1") + one + pods("j", 1, "cpu: 1"), "",
       "queue q holds 0 CPU and may hold nothing (its limit is -7); the job asks for 1 more"},
      {"no-topology",
       kNode + kTopology + queue("q") + group("j", "queue: q, topologyConstraint: {topology: t, requiredTopologyLevel: row}") +
           pods("j", 1, "cpu: 1"),
       "", "topology t has no level row"},
      {"no-topology",
       kNode + queue("q") + group("j", "queue: q, topologyConstraint: {topology: u, requiredTopologyLevel: row}") +
           pods("j", 1, "cpu: 1"),
       "", "topology u does not exist"},
      {"preemption-delay",
       kNode + queue("q") + kFull +
           "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: j, namespace: a, creationTimestamp: "
           "'2025-12-31T23:55:00Z'}, spec: {queue: q, preemptionDelay: 10m}}\n" +
           pods("j", 1, "cpu: 4"),
       "",
       "insufficient cpu; and it may not make others leave before 2026-01-01T00:05:00Z, when its spec.preemptionDelay has passed"},
      {"no-nodes", queue("q") + one + pods("j", 1, "cpu: 1"), "", "the shard has no nodes"},
      {"too-large", kNode + queue("q") + one + pods("j", 1, "cpu: 9"), "",
       "pod a/j-0 asks for 9 of cpu and the largest node has 8"},
      {"no-node-fits",
       kNode + queue("q") + group("full", "queue: q") + pod("full", 0, "cpu: 6", "nodeName: n1,", "phase: Running") + one +
           pods("j", 1, "cpu: 4"),
       "", "none of 1 node takes pod a/j-0: 1 insufficient cpu"},
      {"gang-incomplete", kNode + queue("q") + group("j", "queue: q, minMember: 3") + pods("j", 3, "cpu: 4"), "",
       "room was found for 2 pods"},
      {"not-tried", kNode + queue("q") + one + pods("j", 1, "cpu: 1"), "actions: stalegangeviction\n", "no action"},
      {"waits-for-release",
       kNode + queue("q") + group("old", "queue: q") +
           pod("old", 0, "cpu: 6", "nodeName: n1,", "phase: Running", ", deletionTimestamp: '2026-01-01T00:00:00Z'") + one +
           pods("j", 1, "cpu: 4"),
       "", "it has been given room that others are leaving, on n1"},
  };
}

TEST(KaiExplanation, FindsTheReason) {
  for (const auto& [code, objects, config, sentence] : cases()) {
    const auto e = explained(objects, "j", config);
    EXPECT_EQ(e.code, code) << e.job.sentence;
    EXPECT_NE(e.job.sentence.find(sentence), std::string::npos) << code << ": " << e.job.sentence;
    EXPECT_FALSE(e.hint.empty()) << code;
  }
}

TEST(KaiExplanation, TellsOfNodesQueuesAndRivals) {
  const auto text = kNode + node("n2", "cpu: '4', memory: 8Gi") + queue("top") +
                    queue("q", "quota: 2000, limit: -1, overQuotaWeight: 1", "parentQueue: top,") +
                    group("first", "queue: q, minMember: 1") + pods("first", 1, "cpu: 6") + group("j", "queue: q, minMember: 2") +
                    pods("j", 2, "cpu: 5");
  const auto e = explained(text);
  EXPECT_EQ(e.job.state, JobState::kWaiting);
  EXPECT_EQ(e.job.refusals.nodes, 2u);
  ASSERT_TRUE(e.closest);
  EXPECT_EQ(e.closest->name, "n1");  // n2 lacks less, and is too small
  ASSERT_EQ(e.queue.size(), 3u);
  EXPECT_EQ(e.queue[0].resource, "cpu");
  EXPECT_EQ(e.queue[0].deserved, 2000);
  EXPECT_EQ(e.queue[0].allocated, 6000);
  EXPECT_EQ(e.queue[0].requested, 16000);
  EXPECT_TRUE(e.queue[0].fair_share);
  ASSERT_EQ(e.above.size(), 1u);
  EXPECT_EQ(e.above[0].name, "top");
  ASSERT_EQ(e.ahead.size(), 1u);
  EXPECT_EQ(e.ahead[0].job, "a/first");
  EXPECT_EQ(e.ahead[0].state, JobState::kPlaced);
  EXPECT_FALSE(e.messages.empty());
  const auto shown = explanation_text(e, Paint::none());
  for (const auto* part : {"a/j waits: ", "Nodes by reason, 2 in all", "fair share", "Queue top", "number 2 of 2 jobs in queue q"})
    EXPECT_NE(shown.find(part), std::string::npos) << part << "\n" << shown;
  EXPECT_NE(explanation_json(e).find("\"fair_share\""), std::string::npos);
}

std::string chance_of(const Explanation& e, std::string_view action) {
  for (const auto& chance : e.chances)
    if (chance.action == action) return chance_text(chance);
  return "";
}

// A group of queue q with a running pod of six cores, which started a minute ago.
std::string started(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: " + name +
         ", namespace: a, annotations: {kai.scheduler/last-start-timestamp: '2025-12-31T23:59:00Z'}}, spec: {" + spec + "}}\n" +
         pod(name, 0, "cpu: 6", "nodeName: n1,", "phase: Running");
}

TEST(KaiExplanation, SaysWhyNobodyIsEvicted) {
  const auto j = group("j", "queue: q, preemptibility: preemptible, priorityClassName: high") + pods("j", 1, "cpu: 4");
  const auto world = kNode + queue("q") + queue("r") + class_of("high", 60) + class_of("low", 10);
  const auto fixed = explained(world + group("full", "queue: q, preemptibility: non-preemptible") +
                               pod("full", 0, "cpu: 6", "nodeName: n1,", "phase: Running") + j);
  EXPECT_EQ(fixed.code, "no-node-fits");
  EXPECT_EQ(chance_of(fixed, "consolidation"),
            "the one running pod of other jobs may not move: 1 is of jobs that cannot be preempted");
  EXPECT_EQ(chance_of(fixed, "reclaim"), "its queue q would hold more than its fair share");
  EXPECT_EQ(chance_of(fixed, "preempt"),
            "the one running pod of other jobs of queue q may not go: 1 is of jobs that cannot be preempted");

  const auto equal = explained(world + group("full", "queue: q, preemptibility: preemptible, priorityClassName: high") +
                               pod("full", 0, "cpu: 6", "nodeName: n1,", "phase: Running") + j);
  EXPECT_EQ(chance_of(equal, "consolidation"),
            "the one running pod of other jobs may move, but no plan with it gives the job room");
  EXPECT_EQ(chance_of(equal, "preempt"), "the one running pod of other jobs of queue q may not go: 1 is not less urgent than it");
  EXPECT_NE(explanation_text(equal, Paint::none()).find("Why nobody is evicted for it"), std::string::npos);

  const auto young = explained(
      world + started("full", "queue: q, preemptibility: preemptible, priorityClassName: low") + j, "j",
      "actions: allocate, preempt\ntiers:\n- plugins:\n  - {name: predicates}\n  - {name: priority}\n  - {name: proportion}\n  "
      "- {name: minruntime, arguments: {defaultPreemptMinRuntime: 10m}}\n  - {name: sg-nodelocalgreedy}\n");
  EXPECT_EQ(chance_of(young, "preempt"),
            "the one running pod of other jobs of queue q may not go: 1 is of jobs that started less than their minimum runtime "
            "ago (minruntime), the first until 2026-01-01T00:09:00Z");
  EXPECT_EQ(chance_of(young, "reclaim"), "");
}

TEST(KaiExplanation, SaysForWhomAndByWhichRulePodsAreEvicted) {
  const auto e = explained(kNode + queue("q") + class_of("high", 60) + class_of("low", 10) +
                           group("old", "queue: q, preemptibility: preemptible, priorityClassName: low") +
                           pod("old", 0, "cpu: 6", "nodeName: n1,", "phase: Running") +
                           group("j", "queue: q, preemptibility: preemptible, priorityClassName: high") + pods("j", 1, "cpu: 4"));
  ASSERT_EQ(e.made_way.size(), 1u);
  EXPECT_EQ(e.made_way[0].rule, "preempt");
  EXPECT_EQ(e.made_way[0].why, "for a/j, which gets n1: in queue q its priority is 60, and this job's 10");
  EXPECT_TRUE(e.chances.empty());
  EXPECT_EQ(e.queue[0].promised, 4000);
  EXPECT_EQ(e.queue[0].requested, 4000);
  EXPECT_NE(explanation_text(e, Paint::none()).find("promised"), std::string::npos);
}

// Hints of jobs that wait for what never comes by itself.
TEST(KaiHint, TellsWhatLastsFromWhatPasses) {
  struct Row {
    const char* what;
    std::string objects;
    std::string hint;
  };
  const auto labelled = [](const std::string& spec) {
    return node("n1", "cpu: '8', memory: 8Gi", ", labels: {gpu: NVIDIA-H100}") + queue("q") + group("j", "queue: q") +
           pod("j", 0, "cpu: 1", spec);
  };
  const auto limited = [](const std::string& cpu) {
    return kNode + queue("q", "quota: 0, limit: 4000, overQuotaWeight: 1") + group("full", "queue: q") +
           pod("full", 0, "cpu: 2", "nodeName: n1,", "phase: Running") + group("j", "queue: q") + pods("j", 1, "cpu: " + cpu);
  };
  const Row rows[] = {
      {"more than the limit", limited("5"),
       "raise spec.resources.cpu.limit of queue q, or ask for less; -1 is no limit, 0 is nothing"},
      {"as much as the limit", limited("4"),
       "wait for jobs of that queue to end, or raise its spec.resources limit; -1 is no limit, 0 is nothing"},
      {"more than the quota",
       kNode + queue("q", "quota: 500, limit: -1") + group("j", "queue: q, preemptibility: non-preemptible") +
           pods("j", 1, "cpu: 1"),
       "raise spec.resources.cpu.quota of queue q, ask for less, or make the job preemptible"},
      {"a gang that is larger than the cluster", kNode + queue("q") + group("j", "queue: q, minMember: 3") + pods("j", 3, "cpu: 4"),
       "lower minMember, ask for less per pod, or add nodes: even when they are empty, all nodes together take 2 of the 3"},
      {"a gang that others are in the way of",
       kNode + queue("q") + kFull + group("j", "queue: q, minMember: 2") + pods("j", 2, "cpu: 2"),
       "wait for room for the rest, lower minMember, or ask for less per pod"},
      {"a selector that is mistyped", labelled("nodeSelector: {gpu: NVIDIA-H1000},"),
       "change spec.nodeSelector, or label nodes as it asks: gpu=NVIDIA-H1000 (on no node; did you mean NVIDIA-H100?)"},
      {"a selector that no node has", labelled("nodeSelector: {zone: west},"),
       "change spec.nodeSelector, or label nodes as it asks: zone=west (on no node)"},
      {"nodes that are kept for others",
       "---\n{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: team, effect: NoSchedule}]}, status: "
       "{allocatable: {pods: '10', cpu: '8', memory: 8Gi}}}\n" +
           queue("q") + group("j", "queue: q") + pods("j", 1, "cpu: 1"),
       "tolerate the taint team:NoSchedule (on 1 node)"},
      {"a node that is full", kNode + queue("q") + kFull + group("j", "queue: q") + pods("j", 1, "cpu: 4"),
       "free 2 more of cpu on n1, the closest node (a/full holds 6 of cpu)"},
      {"a pod too large", kNode + queue("q") + group("j", "queue: q") + pods("j", 1, "cpu: 9"),
       "ask for at most 8 of cpu per pod, or add a node with at least 9"},
      {"a resource that is mistyped",
       node("n1", "cpu: '8', memory: 8Gi, nvidia.com/gpu: '8'") + queue("q") + group("j", "queue: q") +
           pods("j", 1, "nvidia.com/gpus: 1"),
       "add a node that has nvidia.com/gpus in status.allocatable, or see that the device plugin for it runs; did you mean "
       "nvidia.com/gpu?"},
      {"a queue that takes no jobs",
       kNode + queue("q") + queue("b", "quota: -1, limit: -1", "parentQueue: q,") +
           queue("a", "quota: -1, limit: -1", "parentQueue: q,") + group("j", "queue: q") + pods("j", 1, "cpu: 1"),
       "name a leaf in spec.queue; below q are a, b"},
  };
  for (const auto& [what, objects, hint] : rows) EXPECT_EQ(explained(objects).hint, hint) << what;
}

std::string holders_of(const Explanation& e) {
  if (!e.closest) return "no closest node";
  std::string text = e.closest->name;
  for (const auto& [name, amount] : e.closest->held_by)
    text += " " + name + ":" + amount_text(e.closest->shortages.front().resource, amount);
  return text;
}

// A job of queue q with a running pod.
std::string holding(const std::string& job, const std::string& requests, const std::string& node = "n1",
                    const std::string& meta = "") {
  return group(job, "queue: q") + pod(job, 0, requests, "nodeName: " + node + ",", "phase: Running", meta);
}

TEST(KaiExplanation, SaysWhoHoldsWhatIsMissingAndWhatToFree) {
  struct Row {
    const char* what;
    std::string objects;
    std::string holders;
    std::string hint;
  };
  const auto one = group("j", "queue: q") + pods("j", 1, "cpu: 4");
  const std::string gpus = node("g1", "cpu: '8', memory: 8Gi, nvidia.com/gpu: '2'",
                                ", labels: {nvidia.com/gpu.memory: '1000', nvidia.com/gpu.count: '2'}");
  const auto share = [](const std::string& job, const std::string& part, const std::string& spec, const std::string& status) {
    return group(job, "queue: q") + "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job +
           "-0, namespace: a, annotations: {pod-group-name: " + job + ", gpu-fraction: '" + part +
           "'}, labels: {runai-gpu-group: g}}, spec: {schedulerName: kai-scheduler, " + spec +
           " containers: [{name: c}]}, status: {" + status + "}}\n";
  };
  const Row rows[] = {
      {"several jobs", kNode + holding("x", "cpu: 2") + holding("w", "cpu: 5") + one, "n1 a/w:5 a/x:2",
       "free 3 more of cpu on n1, the closest node (a/w holds 5 of cpu, a/x holds 2 of cpu)"},
      {"a pod without a job",
       kNode + one +
           "---\n{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: b}, spec: {schedulerName: default-scheduler, "
           "nodeName: "
           "n1, containers: [{name: c, resources: {requests: {cpu: 7}}}]}, status: {phase: Running}}\n",
       "n1 b/web:7", "free 3 more of cpu on n1, the closest node (b/web holds 7 of cpu)"},
      {"what is being deleted is held no longer",
       kNode + holding("x", "cpu: 5") + holding("w", "cpu: 2", "n1", ", deletionTimestamp: '2026-01-01T00:00:00Z'") + one,
       "n1 a/x:5", "free 1 more of cpu on n1, the closest node (a/x holds 5 of cpu)"},
      {"the worst of several resources",
       kNode + holding("x", "cpu: 6, memory: 1Gi") + holding("w", "cpu: 1, memory: 6Gi") + group("j", "queue: q") +
           pods("j", 1, "cpu: 2, memory: 6Gi"),
       "n1 a/w:6Gi a/x:1Gi",
       "free 5Gi more of memory, 1 more of cpu on n1, the closest node (a/w holds 6Gi of memory, a/x holds 1Gi of memory)"},
      {"a gang of which nobody finds a node",
       kNode + node("n2", "cpu: '8', memory: 8Gi") + holding("x", "cpu: 6") + holding("w", "cpu: 7", "n2") +
           group("j", "queue: q, minMember: 2") + pods("j", 2, "cpu: 4"),
       "n1 a/x:6", "free 2 more of cpu on n1, the closest node (a/x holds 6 of cpu), and room for 1 more pod as well"},
      {"an empty node that is closed",
       kNode + kFull + one +
           "---\n{apiVersion: v1, kind: Node, metadata: {name: n2}, spec: {taints: [{key: team, effect: NoSchedule}]}, status: "
           "{allocatable: {pods: '10', cpu: '8', memory: 8Gi}}}\n",
       "n1 a/full:6",
       "free 2 more of cpu on n1, the closest node (a/full holds 6 of cpu), or tolerate the taint team:NoSchedule (on 1 node)"},
      {"its own pods, which are not to be freed",
       kNode + group("j", "queue: q") + pod("j", 0, "cpu: 6", "nodeName: n1,", "phase: Running") + pod("j", 1, "cpu: 4"),
       "n1 a/j:6", "wait for room, or ask for less per pod"},
      {"parts of GPUs",
       gpus + share("half", "0.5", "nodeName: g1,", "phase: Running") + group("j", "queue: q") + pods("j", 1, "nvidia.com/gpu: 2"),
       "g1 a/half:0.5", "free 1 more of nvidia.com/gpu on g1, the closest node (a/half holds 0.5 of nvidia.com/gpu)"},
      {"a part of a GPU where all are taken", gpus + holding("x", "nvidia.com/gpu: 2", "g1") + share("j", "0.5", "", ""),
       "no closest node", "wait for room, or ask for less per pod"},
  };
  for (const auto& [what, objects, holders, hint] : rows) {
    const auto e = explained(queue("q") + objects);
    EXPECT_EQ(e.code, "no-node-fits") << what << ": " << e.job.sentence;
    EXPECT_EQ(holders_of(e), holders) << what;
    EXPECT_EQ(e.hint, hint) << what;
  }
  const auto text = explanation_text(explained(queue("q") + rows[0].objects), Paint::none());
  EXPECT_NE(text.find("closest   n1 lacks 3 of cpu (asks for 4, 1 free); held by a/w (5), a/x (2)\n"), std::string::npos) << text;
}

TEST(KaiExplanation, TellsOfTheClosestNodeWhereNodesAreMissing) {
  struct Row {
    const char* what;
    std::string objects;
    std::string code;
    std::string holders;
  };
  const auto racked = [](const std::string& name, const std::string& rack, const std::string& cpu = "8") {
    return node(name, "cpu: '" + cpu + "', memory: 8Gi", ", labels: {rack: " + rack + "}");
  };
  const auto both_in_a_rack = kTopology +
                              group("j",
                                    "queue: q, minMember: 2, topologyConstraint: {topology: t, requiredTopologyLevel: "
                                    "rack}") +
                              pods("j", 2, "cpu: 6");
  const auto stays = [](const std::string& job, const std::string& node) {
    return group(job, "queue: q, preemptibility: non-preemptible") +
           pod(job, 0, "cpu: 6", "nodeName: " + node + ",", "phase: Running");
  };
  const auto gang = group("j", "queue: q, minMember: 3") + pods("j", 3, "cpu: 6");
  const Row rows[] = {
      {"each rack has one empty node",
       racked("a1", "a") + racked("a2", "a") + racked("b1", "b") + racked("b2", "b") + stays("x", "a1") + stays("w", "b1") +
           both_in_a_rack,
       "no-domain", "no closest node"},
      {"no rack has an empty node",
       racked("a1", "a") + racked("a2", "a") + holding("x", "cpu: 6", "a1") + holding("w", "cpu: 7", "a2") + both_in_a_rack,
       "no-domain", "a1 a/x:6"},
      {"a gang that finds one node too few",
       racked("n1", "a") + racked("n2", "a") + racked("n3", "a") + holding("x", "cpu: 6", "n3") + gang, "gang-incomplete",
       "n3 a/x:6"},
      {"and besides there is a node that is too small",
       racked("n1", "a", "18") + racked("n2", "a", "4") + holding("x", "cpu: 5", "n1") + gang, "gang-incomplete",
       "no closest node"},
  };
  for (const auto& [what, objects, code, holders] : rows) {
    const auto e = explained(queue("q") + objects);
    EXPECT_EQ(e.code, code) << what << ": " << e.job.sentence;
    EXPECT_EQ(holders_of(e), holders) << what;
  }
}

// A node of eight cores with labels, spec and more status.
std::string closed_node(const std::string& name, const std::string& labels, const std::string& spec = "",
                        const std::string& status = "", const std::string& resources = "pods: '10', cpu: '8', memory: 8Gi") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels + "}}, spec: {" + spec +
         "}, status: {" + status + " allocatable: {" + resources + "}}}\n";
}

std::string tainted(const std::string& name, const std::string& labels, const std::string& taint) {
  return closed_node(name, labels, "taints: [{key: " + taint + ", effect: NoSchedule}]");
}

// Rules tell the first obstacle of a node alone, and one that goes by itself may be told before one that lasts.
TEST(KaiHint, OpensNodesByAllThatKeepsThePodOff) {
  struct Row {
    const char* what;
    std::string nodes;
    std::string spec;
    std::string hint;
    bool waits = false;
  };
  const std::string l40 = "nodeSelector: {gpu: L40},";
  const std::string cordon = "unschedulable: true";
  const std::string cordoned_as_usual = cordon + ", taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]";
  const std::string not_ready = "conditions: [{type: Ready, status: 'False'}],";
  const std::string no_slots = "pods: '0', cpu: '8', memory: 8Gi";
  const std::string near_h100 = "change spec.nodeSelector, or label nodes as it asks: gpu=H10 (on no node; did you mean H100?)";
  const std::string in_general =
      "the nodes by reason tell what is in the way: wait for room, or relax the pod's selectors and tolerations";
  const auto taken = group("full", "queue: q") + pod("full", 0, "cpu: 6", "nodeName: n1,", "phase: Running");
  const Row rows[] = {
      {"a taint on a node that is not selected", tainted("n1", "gpu: H100", "team") + closed_node("n2", "gpu: H100"), l40,
       "change spec.nodeSelector, or label nodes as it asks: gpu=L40 (on no node)"},
      {"taints on all nodes, and none is selected", tainted("n1", "gpu: H100", "team") + tainted("n2", "gpu: H100", "other"),
       "nodeSelector: {gpu: H10},",
       "for n1, the closest node: tolerate the taint team:NoSchedule and make its labels and spec.nodeSelector agree: gpu=H10 (on "
       "no "
       "node; did you mean H100?)"},
      {"a taint on a node that is selected, among others",
       closed_node("n1", "gpu: H100") + tainted("n2", "gpu: H100", "other") + tainted("n3", "gpu: L40", "team"), l40,
       "tolerate the taint team:NoSchedule (on 1 node)"},
      {"several taints, each of a node", tainted("n1", "a: b", "team") + tainted("n2", "a: b", "team") + tainted("n3", "a: b", "x"),
       "", "tolerate one of the taints team:NoSchedule (on 2 nodes), x:NoSchedule (on 1 node)"},
      {"two taints of one node",
       closed_node("n1", "a: b", "taints: [{key: x, effect: NoSchedule}, {key: w, value: z, effect: NoExecute}]"), "",
       "for n1, the closest node: tolerate the taint w=z:NoExecute and tolerate the taint x:NoSchedule"},
      {"a taint that only makes less welcome",
       closed_node("n1", "a: b", "taints: [{key: x, effect: PreferNoSchedule}]") + closed_node("n2", "gpu: H100", cordon),
       "nodeSelector: {gpu: H10},", near_h100},
      {"the only node is cordoned", closed_node("n1", "gpu: L40", cordon), "", "uncordon n1"},
      {"the only node is cordoned, with the taint for that", closed_node("n1", "gpu: L40", cordoned_as_usual), "", "uncordon n1"},
      {"a pod that tolerates a cordon in vain", closed_node("n1", "gpu: L40", cordoned_as_usual),
       "tolerations: [{operator: Exists}],", "uncordon n1"},
      {"the only node that is selected is cordoned", closed_node("n1", "gpu: H100") + closed_node("n2", "gpu: L40", cordon), l40,
       "uncordon n2"},
      {"one tainted and one cordoned", tainted("n1", "gpu: L40", "team") + closed_node("n2", "gpu: L40", cordon), l40,
       "tolerate the taint team:NoSchedule (on 1 node), or uncordon n2"},
      {"tainted and cordoned",
       closed_node("n1", "gpu: L40", cordon + ", taints: [{key: team, effect: NoSchedule}]") + closed_node("n2", "gpu: H100"), l40,
       "for n1, the closest node: tolerate the taint team:NoSchedule and uncordon it"},
      {"a mistyped selector, and a node is cordoned", closed_node("n1", "gpu: H100") + closed_node("n2", "gpu: H100", cordon),
       "nodeSelector: {gpu: H10},", near_h100},
      {"a mistyped selector, and a node is not ready",
       closed_node("n1", "gpu: H100") + closed_node("n2", "gpu: H100", "", not_ready), "nodeSelector: {gpu: H10},", near_h100},
      {"a mistyped selector, and a node takes no more pods",
       closed_node("n1", "gpu: H100") + closed_node("n2", "gpu: H100", "", "", "pods: '1', cpu: '8', memory: 8Gi") +
           group("full", "queue: q") + pod("full", 0, "cpu: 1", "nodeName: n2,", "phase: Running"),
       "nodeSelector: {gpu: H10},", near_h100},
      {"a mistyped selector, and a node that would take no pod at all",
       closed_node("n1", "gpu: H100") + closed_node("n2", "gpu: H100", "", "", no_slots), "nodeSelector: {gpu: H10},", near_h100},
      {"an affinity that no node meets", closed_node("n1", "gpu: H100"),
       "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: "
       "gpu, "
       "operator: In, values: [L40]}]}]}}},",
       "relax the pod's node affinity, or label nodes as it asks"},
      {"a node that is selected is not ready", closed_node("n1", "gpu: L40", "", not_ready) + tainted("n2", "gpu: L40", "team"),
       l40, in_general, true},
      {"a node that is not ready has the taint for that",
       closed_node("n1", "gpu: L40", "taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]", not_ready), l40,
       in_general, true},
      {"a tainted node that is full", tainted("n1", "a: b", "team") + taken, "",
       "tolerate the taint team:NoSchedule (on 1 node), and wait until such a node can take it"},
      {"a tainted node that is full, and one that is not", tainted("n1", "a: b", "team") + tainted("n2", "a: b", "other") + taken,
       "", "tolerate the taint other:NoSchedule (on 1 node)"},
      {"a node that is full and one that is tainted", closed_node("n1", "a: b") + tainted("n2", "a: b", "team") + taken, "",
       "free 2 more of cpu on n1, the closest node (a/full holds 6 of cpu), or tolerate the taint team:NoSchedule (on 1 node)",
       true},
      {"a tainted node that is too small",
       closed_node("n1", "gpu: H100") +
           closed_node("n2", "gpu: L40", "taints: [{key: team, effect: NoSchedule}]", "", "pods: '10', cpu: '2', memory: 8Gi"),
       l40, "change spec.nodeSelector, or label nodes as it asks: gpu=L40 (on 1 node)"},
  };
  for (const auto& [what, nodes, spec, hint, waits] : rows) {
    const auto e = explained(nodes + queue("q") + group("j", "queue: q") + pod("j", 0, "cpu: 4", spec));
    EXPECT_EQ(e.code, "no-node-fits") << what;
    EXPECT_EQ(e.hint, hint) << what;
    EXPECT_EQ(!e.chances.empty(), waits) << what;  // who would have to leave
  }
}

// No toleration lets a pod on a node that is for others by its kind.
TEST(KaiHint, OpensNoNodesOfAnotherKind) {
  auto options = options_of(tainted("n1", "node-role.kubernetes.io/gpu-worker: '', gpu: L40", "team") +
                            closed_node("n2", "node-role.kubernetes.io/cpu-worker: '', gpu: H100") + queue("q") +
                            group("j", "queue: q") + pod("j", 0, "cpu: 4", "nodeSelector: {gpu: L40},"));
  options.flags["restrict-node-scheduling"] = "true";
  auto run = KaiOfflineRun::prepare(options, quiet);
  ASSERT_TRUE(run) << run.error().text();
  const auto e = explain_kai(*run, "j", quiet);
  ASSERT_TRUE(e) << e.error().text();
  EXPECT_EQ(e->hint, "change spec.nodeSelector, or label nodes as it asks: gpu=L40 (on 1 node)");
}

TEST(KaiHint, NobodyIsLookedForToEvictWhereThatIsInVain) {
  const auto e = explained(kNode + queue("q") + kFull + group("j", "queue: q") + pod("j", 0, "cpu: 1", "nodeSelector: {a: b},"));
  EXPECT_EQ(e.code, "no-node-fits");
  EXPECT_TRUE(e.chances.empty());
}

// What is missing whatever the node is not missing on one of them.
TEST(KaiExplanation, NamesNoNodesWhereNoneIsTheReason) {
  const auto e = explained(kNode + queue("q") + kFull + group("j", "queue: q") +
                           pod("j", 0, "cpu: 4", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}],"));
  EXPECT_EQ(e.code, "impossible");
  EXPECT_FALSE(e.closest);
  EXPECT_TRUE(e.job.refusals.reasons.empty());
}

TEST(KaiExplanation, TellsPodsThatHaveEndedFromThoseThatAreMissing) {
  auto text = kNode + queue("q") + group("j", "queue: q, minMember: 3") + pods("j", 2, "cpu: 1");
  EXPECT_EQ(explained(text).hint, "create the missing pods, or lower minMember");
  const auto e = explained(text + pod("j", 2, "cpu: 1", "nodeName: n1,", "phase: Succeeded"));
  EXPECT_EQ(e.code, "too-few-pods");
  EXPECT_EQ(e.job.sentence, "only 2 pods are left, 1 has ended, and 3 have to start together");
  EXPECT_EQ(e.hint,
            "lower minMember to what is left, or create pods in place of those that have ended, which do not count any more");
}

// A node that has none of a resource is no closer than one whose own is taken.
TEST(KaiExplanation, NamesANodeThatCouldEverDo) {
  const auto e =
      explained(node("c1", "cpu: '8', memory: 8Gi") + node("g1", "cpu: '8', memory: 8Gi, nvidia.com/gpu: '1'") + queue("q") +
                group("full", "queue: q") + pod("full", 0, "nvidia.com/gpu: 1", "nodeName: g1,", "phase: Running") +
                group("j", "queue: q") + pods("j", 1, "nvidia.com/gpu: 1"));
  ASSERT_TRUE(e.closest);
  EXPECT_EQ(e.closest->name, "g1");
}

// Nor is one that is too small, however little it lacks: nobody's leaving helps there.
TEST(KaiExplanation, NodesThatAreTooSmallAreNotTheClosest) {
  const auto jobs = queue("q") + group("full", "queue: q") + pod("full", 0, "cpu: 8", "nodeName: large,", "phase: Running") +
                    group("j", "queue: q") + pods("j", 1, "cpu: 4");
  const auto small = node("almost", "cpu: '3', memory: 8Gi");
  const auto e = explained(small + node("large", "cpu: '8', memory: 8Gi") + jobs);
  ASSERT_TRUE(e.closest);
  EXPECT_EQ(e.closest->name, "large");
}

TEST(KaiExplanation, FindsAJobByItsWorkload) {
  auto made = group("pg-big-1f", "queue: q");
  made.insert(made.find("namespace: a") + 12, ", ownerReferences: [{kind: PyTorchJob, name: big, controller: true}]");
  const auto text = kNode + queue("q") + made + pods("pg-big-1f", 1, "cpu: 1");
  for (const auto* name : {"big", "a/big", "pytorchjob/big", "a/PyTorchJob/big"})
    EXPECT_EQ(explained(text, name).job.name, "a/pg-big-1f") << name;
  EXPECT_TRUE(explanation_text(explained(text, "big"), Paint::none()).starts_with("a/pg-big-1f (PyTorchJob/big) is placed on"));
}

// KAI's podgrouper gives each pod of a Deployment a PodGroup of its own, which the pod owns.
TEST(KaiExplanation, FindsThePodsOfADeployment) {
  const auto replica = [](const std::string& pod_name) {
    auto made = group("pg-" + pod_name, "queue: q");
    made.insert(made.find("namespace: a") + 12, ", ownerReferences: [{kind: Pod, name: " + pod_name + "}]");
    return made + "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + pod_name +
           ", namespace: a, annotations: {pod-group-name: pg-" + pod_name +
           "}, ownerReferences: [{kind: ReplicaSet, name: web2-5d4f8c9b6d, controller: true}]}, spec: {schedulerName: " +
           "kai-scheduler, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n";
  };
  const auto one = kNode + queue("q") + replica("web2-5d4f8c9b6d-x7k2p");
  for (const auto* name : {"web2", "a/web2", "deployment/web2", "a/Deployment/web2", "replicaset/web2-5d4f8c9b6d",
                           "web2-5d4f8c9b6d-x7k2p", "pg-web2-5d4f8c9b6d-x7k2p"})
    EXPECT_EQ(explained(one, name).job.name, "a/pg-web2-5d4f8c9b6d-x7k2p") << name;
  auto run = KaiOfflineRun::prepare(options_of(one + replica("web2-5d4f8c9b6d-bbbbb")), quiet);
  ASSERT_TRUE(run);
  const auto several = explain_kai(*run, "deployment/web2", quiet);
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().text(),
            "\"deployment/web2\" is the name of several: a/pg-web2-5d4f8c9b6d-x7k2p (Pod/web2-5d4f8c9b6d-x7k2p), "
            "a/pg-web2-5d4f8c9b6d-bbbbb (Pod/web2-5d4f8c9b6d-bbbbb); say which");
}

TEST(KaiExplanation, CountsPartsOfGpus) {
  const auto text = node("g1", "cpu: '8', memory: 8Gi, nvidia.com/gpu: '2'",
                         ", labels: {nvidia.com/gpu.memory: '1000', nvidia.com/gpu.count: '2'}") +
                    queue("q") + group("half", "queue: q") +
                    "---\n{apiVersion: v1, kind: Pod, metadata: {name: half-0, namespace: a, annotations: {pod-group-name: half, "
                    "gpu-fraction: '0.5'}, labels: {runai-gpu-group: g}}, spec: {schedulerName: kai-scheduler, nodeName: g1, "
                    "containers: [{name: c}]}, status: {phase: Running}}\n" +
                    group("j", "queue: q") + pods("j", 1, "nvidia.com/gpu: 2");
  const auto e = explained(text);
  ASSERT_EQ(e.needs.size(), 1u);
  EXPECT_EQ(e.needs[0].resource, "gpu");
  EXPECT_EQ(e.needs[0].free, 1500);
  EXPECT_EQ(e.needs[0].total, 2000);
}

TEST(KaiExplanation, CountsInstancesOfPartedGpus) {
  const auto text = node("g1", "cpu: '8', memory: 8Gi, nvidia.com/mig-1g.5gb: '2'", ", labels: {nvidia.com/mig.strategy: mixed}") +
                    queue("q") + group("full", "queue: q") +
                    pod("full", 0, "nvidia.com/mig-1g.5gb: 2", "nodeName: g1,", "phase: Running") + group("j", "queue: q") +
                    pods("j", 1, "nvidia.com/mig-1g.5gb: 1");
  const auto e = explained(text);
  ASSERT_TRUE(e.closest) << e.job.sentence;
  EXPECT_NE(explanation_text(e, Paint::none()).find("g1 lacks 1 of nvidia.com/mig-1g.5gb (asks for 1, 0 free)"), std::string::npos)
      << explanation_text(e, Paint::none());
  ASSERT_FALSE(e.needs.empty());
  EXPECT_EQ(e.needs.back().total, 2000);
}

TEST(KaiExplanation, GoesByMinSubGroup) {
  const auto parts = "queue: q, minSubGroup: 1, subGroups: [{name: a, minMember: 2}, {name: b, minMember: 3}]";
  EXPECT_EQ(explained(kNode + queue("q") + group("j", parts) + pods("j", 1, "cpu: 1")).job.minimum, 2);
}

TEST(KaiExplanation, AnswersToPodsAndRefusesUnknownNames) {
  const auto text = kNode + queue("q") + group("train", "queue: q") + pods("train", 1, "cpu: 1");
  EXPECT_EQ(explained(text, "a/train-0").pod, "a/train-0");
  EXPECT_EQ(explained(text, "a/train").job.state, JobState::kPlaced);
  auto run = KaiOfflineRun::prepare(options_of(text), quiet);
  ASSERT_TRUE(run);
  const auto wrong = explain_kai(*run, "trian", quiet);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("did you mean \"train\"?"), std::string::npos);
}

TEST(KaiScheduleTable, HasARowPerJobWithItsReason) {
  const auto text = kNode + queue("q") + group("one", "queue: q") + pods("one", 1, "cpu: 1") + group("big", "queue: q") +
                    pods("big", 1, "cpu: 9") + pod("lost", 0, "cpu: 1");
  auto run = KaiOfflineRun::prepare(options_of(text), quiet);
  ASSERT_TRUE(run);
  std::vector<JobOutlook> jobs;
  const auto outcome =
      run->run({.at_opening = {}, .after_actions = [&](kai::Session& s) { jobs = jobs_of(KaiOutlooks(s).all()); }}, quiet);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(kai_schedule_table(jobs, outcome->cycles, Paint::none()),
            "JOB     QUEUE  STATE    PODS  NODES OR REASON\n"
            "a/big   q      waiting  0/1   pod a/big-0 asks for 9 of cpu and the largest node has 8\n"
            "a/one   q      placed   1/1   n1\n"
            "a/lost  -      waiting  0/1   its PodGroup does not exist\n"
            "\n"
            "3 jobs: 1 placed, 2 waiting; 1 pod bound to 1 node, 0 evicted, 1 cycle\n");
}

TEST(KaiExplanation, SaysWhatBecameOfPodsThatHaveEnded) {
  const auto e = explained(kNode + queue("q") + group("j", "queue: q, minMember: 1") +
                           pod("j", 0, "cpu: 1", "nodeName: n1,", "phase: Succeeded") +
                           pod("j", 1, "cpu: 1", "nodeName: n1,", "phase: Succeeded"));
  EXPECT_EQ(e.job.state, JobState::kFinished);
  EXPECT_EQ(e.job.sentence, "2 pods succeeded");
}

TEST(KaiExplanation, TellsOnceWhatWasRecordedInARow) {
  Explanation e;
  e.messages = {"one", "one", "two", "one"};
  const auto text = explanation_text(e, Paint::none());
  EXPECT_NE(text.find("recorded  one (2 times)\n          two\n          one\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster
