// What explain suggests has to be true: after it is done, the job is nearer to running.

#include <gtest/gtest.h>

#include "app/cluster_files.h"
#include "app/explanation.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

constexpr auto quiet = [](std::string_view, std::uint64_t) {};

std::string node(const std::string& name, const std::string& resources, const std::string& spec = "") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         "}}, spec: {" + spec + "}, status: {allocatable: {pods: '10', " + resources + "}}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {" + spec + "}}\n";
}

std::string queue(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}, spec: {weight: 1, " + spec +
         "}, status: {state: Open}}\n";
}

std::string pod(const std::string& job, int index, const std::string& requests, const std::string& spec = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job + "-" + std::to_string(index) + ", labels: {app: " + job +
         "}, annotations: {scheduling.k8s.io/group-name: " + job + "}}, spec: {schedulerName: volcano, " + spec +
         " containers: [{name: c, resources: {requests: {" + requests +
         "}}}]}, status: {phase: " + (spec.find("nodeName") == std::string::npos ? "Pending" : "Running") + "}}\n";
}

std::string pods(const std::string& job, int count, const std::string& requests, const std::string& spec = "") {
  std::string text;
  for (int i = 0; i < count; ++i) text += pod(job, i, requests, spec);
  return text;
}

std::string running(const std::string& job, const std::string& requests, const std::string& node_name,
                    const std::string& queue_name, int count = 1) {
  return group(job, "minMember: 1, queue: " + queue_name) + pods(job, count, requests, "nodeName: " + node_name + ",");
}

Explanation explained(const std::string& actions, const std::string& plugins, const std::string& text, const std::string& name) {
  const auto value = read_yaml_value("actions: \"" + actions + "\"\ntiers: [{plugins: [" + plugins + "]}]\n", "conf.yaml");
  const auto config = volcano::read_config(*value, "conf.yaml", Strictness::kStrict);
  EXPECT_TRUE(config) << config.error().text();
  auto loaded = load_cluster_text(text, "all.yaml");
  EXPECT_TRUE(loaded) << loaded.error().text();
  auto scheduler = std::make_unique<volcano::Scheduler>(std::move(loaded->cluster), config->config, volcano::Behaviour::safe(),
                                                        SearchKind::kReference);
  OfflineOptions options;
  options.now = Timestamp{};
  OfflineRun run(std::move(scheduler), options, loaded->notes);
  auto explanation = explain(run, name, quiet);
  EXPECT_TRUE(explanation) << explanation.error().text();
  return explanation ? *explanation : Explanation();
}

const std::string kCapacity = "{name: gang}, {name: capacity}, {name: predicates}";
const std::string kProportion = "{name: gang}, {name: proportion}, {name: predicates}";
const std::string kGangAlone = "{name: gang}, {name: predicates}";

// ---- queues

TEST(Hint, NamesTheLimitOfTheQueueWhereFreeNodesWouldNotHelp) {
  const auto full = node("n1", "cpu: '4'") + node("n2", "cpu: '4'") +
                    queue("team", "deserved: {cpu: '4'}, capability: {cpu: '4'}") + queue("other", "deserved: {cpu: '4'}") +
                    running("mine", "cpu: '4'", "n1", "team");
  const auto job = group("j", "minMember: 1, queue: team") + pods("j", 1, "cpu: '2'");
  const auto e = explained("allocate", kCapacity, full + running("theirs", "cpu: '4'", "n2", "other") + job, "j");
  EXPECT_EQ(e.code, "queue-full");
  EXPECT_EQ(e.job.sentence, "queue team may hold 4 of cpu and holds 4; it needs 2 more");
  EXPECT_EQ(e.hint,
            "wait for jobs of queue team to end (default/mine holds 4 of cpu), or raise the capability of queue team and free 2 "
            "more of cpu on the nodes");
  EXPECT_EQ(explained("allocate", kCapacity, full + job, "j").hint,
            "wait for jobs of queue team to end (default/mine holds 4 of cpu), or raise the capability of queue team");
}

TEST(Hint, DoesNotWaitForJobsWhoseEndIsNotEnough) {
  const auto e = explained("allocate", kCapacity,
                           node("n1", "cpu: '8'") + queue("q", "capability: {cpu: '4'}") + running("r", "cpu: '1'", "n1", "q") +
                               group("j", "minMember: 1, queue: q") + pods("j", 1, "cpu: '5'"),
                           "j");
  EXPECT_EQ(e.code, "queue-full");
  EXPECT_EQ(e.hint, "raise the capability of queue q, or ask for less of cpu");
}

TEST(Hint, TellsRoomThatCameTooLateFromAnActionThatIsMissing) {
  const auto text = node("n1", "cpu: '8'") + node("n2", "cpu: '1'") +
                    queue("lend", "deserved: {cpu: '4'}, capability: {cpu: '8'}") + queue("own", "deserved: {cpu: '5'}") +
                    running("el", "cpu: '4'", "n1", "lend", 2) + group("mine", "minMember: 1, queue: own") +
                    pods("mine", 1, "cpu: '4'") + group("j", "minMember: 1, queue: lend") + pods("j", 1, "cpu: '1'");
  const auto e = explained("allocate, reclaim", kCapacity, text, "j");
  EXPECT_EQ(e.code, "queue-full");
  EXPECT_EQ(
      e.job.sentence,
      "queue lend held 8 of cpu of the 8 that it may hold when pods were placed, and pods of it were evicted only after that");
  EXPECT_EQ(e.hint, "nothing: it is tried again in the next cycle");
  const auto untried = explained("enqueue, backfill", kGangAlone,
                                 node("n1", "cpu: '8'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '1'"), "j");
  EXPECT_EQ(untried.job.sentence, "no action of this configuration tried to place it");
}

TEST(Hint, CountsWhatWasPromisedOnce) {
  const auto big = node("n1", "cpu: '4'");
  const auto first = group("a", "minMember: 1, minResources: {cpu: '3'}") + pods("a", 1, "cpu: '3'");
  const auto e = explained("enqueue, allocate", kProportion,
                           big + first + group("j", "minMember: 1, minResources: {cpu: '2'}") + pods("j", 1, "cpu: '2'"), "j");
  EXPECT_EQ(e.job.sentence,
            "not let in: its minimum asks for 2 of cpu; queue default may hold at most 4, of which 3 are taken or promised");
  EXPECT_EQ(e.hint, "wait for jobs of queue default to end (default/a holds 3 of cpu), or add nodes");
}

TEST(Hint, NamesEveryMinimumThatIsTooLarge) {
  const auto hint = [](const std::string& spec, const std::string& cpu) {
    return explained("enqueue, allocate", kProportion,
                     node("n1", "cpu: '4'") + group("j", spec) + pods("j", 2, "cpu: '" + cpu + "'"), "j")
        .hint;
  };
  EXPECT_EQ(hint("minMember: 2, minResources: {cpu: '9'}", "3"),
            "add nodes with 5 of cpu more, or lower spec.minMember and spec.minResources");
  EXPECT_EQ(hint("minMember: 2, minResources: {cpu: '9'}", "2"), "add nodes with 5 of cpu more, or lower spec.minResources");
  EXPECT_EQ(hint("minMember: 2", "3"), "add nodes with 2 of cpu more, or lower spec.minMember");
}

TEST(Hint, SaysWhyAQueueMayNotReclaim) {
  const auto chance = [](const std::string& text) {
    const auto e = explained("allocate, reclaim", kCapacity,
                             node("n1", "cpu: '4', example.com/gpu: '4'") + queue("own", "deserved: {example.com/gpu: '4'}") +
                                 queue("lend", "deserved: {cpu: '1'}") + group("j", "minMember: 1, queue: own") + text,
                             "j");
    return e.chances.size() == 1 ? chance_text(e.chances.front()) : e.job.sentence;
  };
  EXPECT_EQ(chance(running("r", "cpu: '1'", "n1", "lend", 4) + pods("j", 1, "cpu: '2'")),
            "its queue own deserves nothing of what it asks for");
  EXPECT_EQ(chance(pods("j", 1, "cpu: '2'", "nodeSelector: {no: where},")), "no pod of other queues is running");
}

// ---- topology

std::string domain(const std::string& name, int tier, const std::string& type, std::initializer_list<const char*> members) {
  std::string list;
  for (const std::string member : members) list += "{type: " + type + ", selector: {exactMatch: {name: " + member + "}}},";
  return "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: " + name +
         "}, spec: {tier: " + std::to_string(tier) + ", members: [" + list + "]}}\n";
}

TEST(Hint, SuggestsATierThatHasRoom) {
  const auto text = [](const std::string& cpu, const std::string& more) {
    return domain("rack-1", 1, "Node", {"n1", "n2"}) + domain("rack-2", 1, "Node", {"n3", "n4"}) +
           domain("row", 2, "HyperNode", {"rack-1", "rack-2"}) + node("n1", "cpu: '4'") + node("n2", "cpu: '4'") +
           node("n3", "cpu: '4'") + node("n4", "cpu: '4'") + more +
           group("j", "minMember: 2, networkTopology: {mode: hard, highestTierAllowed: 1}") + pods("j", 2, "cpu: '" + cpu + "'");
  };
  const auto hint = [&](const std::string& cpu, const std::string& more) {
    const auto e = explained("allocate", "{name: gang}, {name: predicates}, {name: network-topology-aware}", text(cpu, more), "j");
    return std::string(e.code) + ": " + e.hint;
  };
  const auto half = running("a", "cpu: '4'", "n1", "default") + running("b", "cpu: '4'", "n3", "default");
  EXPECT_EQ(hint("4", half), "no-domain: wait for room, allow the tier 2 in highestTierAllowed, or use the mode soft");
  EXPECT_EQ(hint("4", half + running("c", "cpu: '4'", "n2", "default")),
            "no-domain: wait for room: neither a higher tier in highestTierAllowed nor the mode soft finds any now");
}

// ---- nodes

TEST(Hint, DoesNotAskTheJobsOwnPodsToLeave) {
  const auto e =
      explained("allocate", kGangAlone, node("n1", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 2, "cpu: '3'"), "j");
  EXPECT_EQ(e.hint, "add a node: what n1 lacks is held by pods of the job itself");
  // Where others hold enough, they are named alone.
  const auto others = explained(
      "allocate", kGangAlone,
      node("n1", "cpu: '8'") + running("r", "cpu: '4'", "n1", "default") + group("j", "minMember: 1") + pods("j", 2, "cpu: '3'"),
      "j");
  EXPECT_EQ(others.hint, "free 2 more of cpu on n1, the closest node (default/r holds 4 of cpu)");
}

TEST(Hint, KeepsThePodsThatAffinityAsksFor) {
  const std::string near_r =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: r}}, "
      "topologyKey: kubernetes.io/hostname}]}},";
  const auto hint = [&](const std::string& cpu, const std::string& others) {
    const auto text = node("n1", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '" + cpu + "'", near_r);
    return explained("allocate", kGangAlone, text + others, "j").hint;
  };
  const std::string larger = "a larger node for it and a pod that its affinity wants near: such pods hold what n1 lacks";
  EXPECT_EQ(hint("2", running("r", "cpu: '4'", "n1", "default")), larger);
  EXPECT_EQ(hint("4", running("r", "cpu: '2'", "n1", "default", 2)), larger);
  EXPECT_EQ(hint("2", running("r", "cpu: '2'", "n1", "default", 2)),
            "free 2 more of cpu on n1, the closest node (default/r holds 4 of cpu)");
}

std::string labelled(const std::string& name, const std::string& labels, const std::string& spec = "",
                     const std::string& resources = "cpu: '4'") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels + "}}, spec: {" + spec +
         "}, status: {allocatable: {pods: '10', " + resources + "}}}\n";
}

TEST(Hint, AsksWhatASelectorOrAResourceMeant) {
  const auto hint = [](const std::string& spec, const std::string& requests, int count) {
    return explained("allocate", kGangAlone,
                     labelled("n1", "gpu: NVIDIA-H100") + labelled("n2", "gpu: NVIDIA-H100") +
                         group("j", "minMember: " + std::to_string(count)) + pods("j", count, requests, spec),
                     "j")
        .hint;
  };
  EXPECT_EQ(hint("nodeSelector: {gpu: NVIDIA-H1000},", "cpu: '4'", 1),
            "label a node as spec.nodeSelector asks: gpu=NVIDIA-H1000 (on no node; did you mean NVIDIA-H100?)");
  EXPECT_EQ(hint("nodeSelector: {gpus: NVIDIA-H100},", "cpu: '4'", 2),
            "label nodes as spec.nodeSelector asks: gpus=NVIDIA-H100 (on no node; did you mean gpu?)");
  EXPECT_EQ(
      explained("allocate", kGangAlone,
                node("n1", "cpu: '4', nvidia.com/gpu: '8'") + group("j", "minMember: 1") + pods("j", 1, "nvidia.com/gpus: 1"), "j")
          .hint,
      "add a node that has nvidia.com/gpus in status.allocatable, or see that the device plugin for it runs; pod j-0 asks "
      "for 1; did you mean nvidia.com/gpu?");
}

TEST(Hint, OpensTheNodesThatAreSelectedAndLabelsNoOthers) {
  EXPECT_EQ(explained("allocate", kGangAlone,
                      labelled("n1", "gpu: H100") + labelled("n2", "gpu: L40", "taints: [{key: team, effect: NoSchedule}]") +
                          group("j", "minMember: 1") + pods("j", 1, "cpu: '2'", "nodeSelector: {gpu: L40},"),
                      "j")
                .hint,
            "tolerate the taint team:NoSchedule (on 1 node)");
}

// Alone each of the pods would have a node; those that are too small for it have nothing to do with it.
TEST(Hint, NamesTheRuleThatKeepsPodsApartAndNotNodesThatAreTooSmall) {
  const std::string apart =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: j}}, "
      "topologyKey: rack}]}},";
  const auto e = explained("allocate", kGangAlone,
                           labelled("n1", "rack: a") + labelled("n2", "rack: a") + labelled("small", "rack: b", "", "cpu: '1'") +
                               group("j", "minMember: 2") + pods("j", 2, "cpu: '2'", apart),
                           "j");
  EXPECT_EQ(e.code, "gang-incomplete");
  EXPECT_EQ(
      e.hint,
      "relax its spec.affinity.podAntiAffinity, or add nodes without pods that it avoids, or lower spec.minMember from 2 to 1");
  EXPECT_FALSE(e.closest);
}

TEST(Hint, CountsThePodsThatNeedRoomBesides) {
  const std::string tainted = "taints: [{key: team, effect: NoSchedule}]";
  EXPECT_EQ(explained("allocate", kGangAlone,
                      node("n1", "cpu: '4'", tainted) + node("n2", "cpu: '2'", tainted) +
                          node("n3", "cpu: '4'", "unschedulable: true") + group("j", "minMember: 4") + pods("j", 4, "cpu: '2'"),
                      "j")
                .hint,
            "tolerate the taint team:NoSchedule (on 2 nodes), and room for 1 more pod as well, or uncordon n3, and room for 2 more "
            "pods as well");
  EXPECT_EQ(explained("allocate", kGangAlone,
                      node("n1", "cpu: '4'", "taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoSchedule}]") +
                          group("j", "minMember: 1") + pods("j", 1, "cpu: '2'"),
                      "j")
                .hint,
            "for n1, the closest node: tolerate the taint a:NoSchedule and tolerate the taint b:NoSchedule");
}

}  // namespace
}  // namespace muster
