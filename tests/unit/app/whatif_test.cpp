#include "app/whatif.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "app/kai_whatif.h"
#include "app/volcano_setup.h"
#include "app/whatif_places.h"
#include "app/whatif_remote.h"
#include "app/whatif_volcano.h"
#include "codec/object_reader.h"

namespace muster {
namespace {

constexpr Timestamp kNow{1'800'000'000, 0};

SharedObjects objects_in(const std::string& text) {
  std::vector<Object> objects;
  const auto read = read_objects_text(text, "cluster.yaml", [&](Object&& object, const Location&) -> Result<void> {
    objects.push_back(std::move(object));
    return {};
  });
  EXPECT_TRUE(read) << read.error().text();
  return std::make_shared<const std::vector<Object>>(std::move(objects));
}

std::string node(const std::string& name, const std::string& resources) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {rack: r-" + name + ", hall: h}}" +
         ", status: {allocatable: {pods: '10', " + resources + "}}}\n";
}
std::string queue(const std::string& name, const std::string& spec = "") {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}, spec: {weight: 1, " + spec +
         "}, status: {state: Open}}\n";
}
std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {" + spec + "}}\n";
}
std::string pod(const std::string& name, const std::string& requests, const std::string& job, const std::string& rest = "") {
  const auto notes = job.empty() ? "" : ", annotations: {scheduling.k8s.io/group-name: " + job + "}";
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + notes + "}, spec: {schedulerName: volcano, " + rest +
         "containers: [{name: c, resources: {requests: {" + requests + "}}}]}}\n";
}
std::string gang(const std::string& name, int pods, const std::string& requests, const std::string& spec = "queue: default") {
  auto text = group(name, "minMember: " + std::to_string(pods) + ", " + spec);
  for (int i = 0; i < pods; ++i) text += pod(name + "-" + std::to_string(i), requests, name);
  return text;
}
std::string runs(const std::string& job, const std::string& requests, const std::string& node_name, const std::string& spec) {
  auto text = group(job, "minMember: 1, " + spec) + pod(job + "-0", requests, job, "nodeName: " + node_name + ", ");
  return text.substr(0, text.rfind("}\n")) + ", status: {phase: Running}}\n";
}

std::unique_ptr<WhatIfCluster> cluster_of(const std::string& text, const std::string& config = "",
                                          volcano::Behaviour behaviour = volcano::Behaviour::safe()) {
  auto read = read_volcano_config(config, "config", Strictness::kStrict);
  EXPECT_TRUE(read) << read.error().text();
  return volcano_whatif(objects_in(text),
                        {.config = read->config, .options = {}, .behaviour = behaviour, .time_of = [](int) { return kNow; }});
}

WhatIfAnswer answered(WhatIfCluster& cluster, const std::string& question, int tries = 48) {
  const auto read = read_what_if(cluster, question, "job.yaml");
  EXPECT_TRUE(read) << read.error().text();
  if (!read) return {};
  auto answer = what_if(cluster, *read, {.tries = tries, .enough = {}});
  EXPECT_TRUE(answer) << answer.error().text();
  return answer ? *answer : WhatIfAnswer();
}

// "starts", and what would make it fit.
std::vector<std::string> told(WhatIfCluster& cluster, const std::string& question, int tries = 48) {
  std::vector<std::string> out;
  for (const auto& run : answered(cluster, question, tries).jobs) {
    out.emplace_back(name_of(verdict_of(run)));
    if (run.fits_if)
      for (const auto& change : *run.fits_if) out.push_back(change.text);
  }
  return out;
}

std::string refusal_of(const std::string& question) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'") + gang("old", 1, "cpu: 1"));
  const auto read = read_what_if(*cluster, question, "job.yaml");
  return read ? "" : read.error().text();
}

using Told = std::vector<std::string>;

TEST(WhatIf, StartsWhereThereIsRoom) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"));
  const auto answer = answered(*cluster, gang("new", 2, "cpu: 2"));
  ASSERT_EQ(answer.jobs.size(), 1u);
  const auto& run = answer.jobs.front();
  EXPECT_EQ(verdict_of(run), WhatIfVerdict::kStarts);
  EXPECT_EQ(run.job, "default/new");
  EXPECT_EQ(run.placement, (std::map<std::string, std::string>{{"default/new-0", "n1"}, {"default/new-1", "n1"}}));
  EXPECT_TRUE(run.victims.empty());
  EXPECT_FALSE(run.fits_if);  // nothing to look for
  EXPECT_EQ(run.explanation.job.state, JobState::kPlaced);
}

TEST(WhatIf, FewerMembersLessPerContainerOrAnEndMakeItFit) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'") + runs("old", "cpu: '2'", "n1", "queue: default"));
  EXPECT_EQ(told(*cluster, gang("new", 4, "cpu: '2'")),
            (Told{"waits", "spec.minMember were 3 and not 4", "no container asked for more than 1500m of cpu (now 2)",
                  "default/old had ended"}));
}

// A leader and its workers.
std::string gang_of_roles(int pods, const std::string& minimums) {
  auto text = group("new", "queue: default, " + minimums);
  for (int i = 0; i < pods; ++i)
    text += pod("new-" + std::to_string(i), "cpu: '2'", std::string("new, volcano.sh/task-spec: ") + (i == 0 ? "ps" : "worker"));
  return text;
}

// The larger role gives way first.
TEST(WhatIf, RolesGiveWayWithMembers) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '6'"));
  const auto answer = answered(*cluster, gang_of_roles(4, "minMember: 4, minTaskMember: {ps: 1, worker: 3}"));
  ASSERT_EQ(answer.jobs.size(), 1u);
  ASSERT_TRUE(answer.jobs.front().fits_if && !answer.jobs.front().fits_if->empty()) << whatif_text(answer, Paint::none());
  EXPECT_EQ(answer.jobs.front().fits_if->front().text,
            "spec.minMember were 3 and not 4, and spec.minTaskMember.worker 2 and not 3");
}

TEST(WhatIf, IsAskedOfAJobThatWaits) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '6'") + gang("there", 4, "cpu: '2'"));
  const auto question = question_about(*cluster, "default/there");
  ASSERT_TRUE(question) << question.error().text();
  const auto answer = what_if(*cluster, *question, {.tries = 48, .enough = {}});
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(verdict_of(answer->jobs.front()), WhatIfVerdict::kWaits);
  ASSERT_TRUE(answer->jobs.front().fits_if && !answer->jobs.front().fits_if->empty());
  EXPECT_EQ(answer->jobs.front().fits_if->front().text, "spec.minMember were 3 and not 4");
  EXPECT_FALSE(question_about(*cluster, "default/nobody"));
}

// What would make a job fit that is in the cluster.
Told told_about(WhatIfCluster& cluster, const std::string& job) {
  const auto question = question_about(cluster, job);
  EXPECT_TRUE(question) << question.error().text();
  if (!question) return {};
  const auto answer = what_if(cluster, *question, {.tries = 48, .enough = {}});
  EXPECT_TRUE(answer) << answer.error().text();
  if (!answer) return {};
  Told out{std::string(name_of(verdict_of(answer->jobs.front())))};
  if (answer->jobs.front().fits_if)
    for (const auto& change : *answer->jobs.front().fits_if) out.push_back(change.text);
  return out;
}

// As of a Volcano Job whose tasks name no minimums: they have their replicas then.
TEST(WhatIf, RolesThatAreMoreTogetherThanTheWholeAreNotLookedAt) {
  const auto job = gang_of_roles(6, "minMember: 3, minTaskMember: {ps: 1, worker: 5}");
  const auto room_for_four = queue("default") + node("n1", "cpu: '8'");
  EXPECT_EQ(told(*cluster_of(room_for_four), job), (Told{"starts"}));
  EXPECT_EQ(told_about(*cluster_of(room_for_four + job), "default/new"), (Told{"starts"}));
}

// They would be looked at if they were lowered to what the whole is lowered to.
TEST(WhatIf, RolesThatAreNotLookedAtStayAsTheyAre) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"));
  EXPECT_EQ(told(*cluster, gang_of_roles(6, "minMember: 3, minTaskMember: {ps: 1, worker: 5}")),
            (Told{"waits", "spec.minMember were 2 and not 3", "no container asked for more than 1250m of cpu (now 2)"}));
}

std::string pod_of(const std::string& job, int index, const std::string& status, const std::string& rest = "nodeName: n1, ") {
  auto text = pod(job + "-" + std::to_string(index), "cpu: '2'", job, rest);
  return text.substr(0, text.rfind("}\n")) + ", status: {phase: " + status + "}}\n";
}

// Its own pods hold what it lacks, but it is not to end.
TEST(WhatIf, AJobThatWaitsIsNotToldToEnd) {
  const auto cluster =
      cluster_of(queue("default") + node("n1", "cpu: '4'") + group("there", "minMember: 1, queue: default") +
                 pod_of("there", 0, "Running") + pod_of("there", 1, "Running") + pod("there-2", "cpu: '2'", "there"));
  EXPECT_EQ(told_about(*cluster, "default/there"), (Told{"waits"}));
}

TEST(WhatIf, OfAJobThatWaitsThoseWhoHaveSucceededCount) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'") + group("there", "minMember: 2, queue: default") +
                                  pod_of("there", 0, "Succeeded") + pod("there-1", "cpu: '2'", "there"));
  EXPECT_EQ(told_about(*cluster, "default/there"), (Told{"starts"}));
}

TEST(WhatIf, ARoleMayBeALabel) {
  const auto labelled = [](std::string text) {
    return text.insert(text.find("annotations"), "labels: {volcano.sh/task-spec: worker}, ");
  };
  const auto cluster = queue("default") + node("n1", "cpu: '4'");
  const auto gang_of_workers = group("new", "minMember: 2, queue: default, minTaskMember: {worker: 2}");
  const auto waits = labelled(pod("new-1", "cpu: '2'", "new"));
  EXPECT_EQ(told(*cluster_of(cluster), gang_of_workers + labelled(pod("new-0", "cpu: '2'", "new")) + waits), (Told{"starts"}));
  EXPECT_EQ(told_about(*cluster_of(cluster + gang_of_workers + labelled(pod_of("new", 0, "Running")) + waits), "default/new"),
            (Told{"starts"}));
}

// A cluster of which the largest job holds what new ones have no use for, and each of the others a node: j0 that of n0.
std::string full_cluster(int jobs) {
  auto objects = queue("default") + node("gpus", "cpu: '1'");
  objects += group("large", "minMember: 3, queue: default");
  for (int i = 0; i < 3; ++i) {
    const auto large = pod("large-" + std::to_string(i), "cpu: 100m", "large", "nodeName: gpus, ");
    objects += large.substr(0, large.rfind("}\n")) + ", status: {phase: Running}}\n";
  }
  for (int i = 0; i < jobs; ++i) {
    const auto number = std::to_string(i);
    objects += node("n" + number, "cpu: '4'") + runs("j" + number, "cpu: '4'", "n" + number, "queue: default");
  }
  return objects;
}

TEST(WhatIf, WhoIsNotNeededMayRunOn) {
  const auto all = told(*cluster_of(full_cluster(2)), gang("new", 2, "cpu: '4'"));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back(), "default/j0, default/j1 had ended");
}

// With each of them one copy would have to be run.
TEST(WhatIf, OfMoreThanEightNobodyIsLeftOut) {
  const auto answer = answered(*cluster_of(full_cluster(10)), gang("new", 9, "cpu: '4'"));
  ASSERT_TRUE(answer.jobs.front().fits_if && !answer.jobs.front().fits_if->empty());
  const auto& ends = answer.jobs.front().fits_if->back();
  EXPECT_EQ(ends.kind, FitsIf::Kind::kEnded);
  EXPECT_EQ(ends.gone.size(), 10u);  // of which nine would do
  EXPECT_EQ(ends.gone.front(), "default/large");
  EXPECT_TRUE(answer.notes.empty());
}

// What is offered when the tries are used up helps all the same, and a note says that less may.
TEST(WhatIf, WithoutFurtherTriesNobodyElseIsLeftOut) {
  const Told offers = {"waits", "default/large, default/j0, default/j1 had ended", "default/j0, default/j1 had ended"};
  std::set<std::size_t> seen;
  std::size_t best = 0;
  for (int tries = 0; tries <= 20; ++tries) {
    const auto cluster = cluster_of(full_cluster(2));
    const auto answer = answered(*cluster, gang("new", 2, "cpu: '4'"), tries);
    const auto all = told(*cluster, gang("new", 2, "cpu: '4'"), tries);
    const auto offer = static_cast<std::size_t>(std::ranges::find(offers, all.back()) - offers.begin());
    ASSERT_LT(offer, offers.size()) << all.back();
    EXPECT_GE(offer, best) << "more tries find no less";
    best = offer;
    seen.insert(offer);
    EXPECT_TRUE(offer == 2 || answer.notes.size() == 1) << tries;
  }
  EXPECT_EQ(seen.size(), offers.size());
  EXPECT_EQ(best, 2u);
}

TEST(WhatIf, WorkloadsAreLeftToWhoMakesPodsOfThem) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"));
  const MakeOfWorkloads make = [](const std::vector<UnreadObject>& submitted,
                                  const WorkloadScene& scene) -> Result<MadeOfWorkloads> {
    EXPECT_EQ(submitted.size(), 1u);
    EXPECT_EQ(scene.scheduler_names, Told{"volcano"});
    return MadeOfWorkloads{{R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"j-0"},"spec":{"schedulerName":"volcano"}})"},
                           {submitted.front().api_version + " " + submitted.front().kind},
                           {"one pod"}};
  };
  const auto question = read_what_if(*cluster, "{apiVersion: batch/v1, kind: Job, metadata: {name: j}}", "job.yaml", make);
  ASSERT_TRUE(question) << question.error().text();
  EXPECT_EQ(question->jobs.front().name, "default/j-0");
  ASSERT_EQ(question->notes.size(), 2u);  // nothing was passed over
  EXPECT_EQ(question->notes.front(), "one pod");
}

TEST(WhatIf, AnotherQueueMakesItFit) {
  const auto cluster =
      cluster_of(queue("default") + queue("closed", "capability: {cpu: '1'}") + queue("free") + node("n1", "cpu: '8'"));
  EXPECT_EQ(told(*cluster, gang("new", 1, "cpu: '2'", "queue: closed")),
            (Told{"waits", "it were in queue default and not in closed", "it were in queue free and not in closed",
                  "no container asked for more than 1 of cpu (now 2)"}));
}

// What was probably meant comes before what begins with an earlier letter.
TEST(WhatIf, TheLikelyQueuesComeFirst) {
  const auto cluster = cluster_of(queue("default") + queue("llm") + queue("serving") + queue("vision") + node("n1", "cpu: '8'"));
  const auto answer = told(*cluster, gang("new", 1, "cpu: '2'", "queue: visoin"));
  ASSERT_GE(answer.size(), 2u);
  EXPECT_EQ(answer[1], "it were in queue vision and not in visoin");

  const auto names = [](const std::string& own) {
    const auto tree = objects_in(queue("default") + queue("root") + queue("team", "parent: root,") + queue("a", "parent: root,") +
                                 queue("night", "parent: team,") + queue("day", "parent: team,"));
    return other_queues(*tree, *objects_in(group("new", "queue: " + own)), "default/new").names;
  };
  EXPECT_EQ(names("team"), (Told{"day", "night", "a", "default"}));
  EXPECT_EQ(names("day"), (Told{"a", "default", "night"}));
}

// As much as a node has is tried besides the eighths of what is asked for.
TEST(WhatIf, AsMuchAsTheLargestNodeHasMakesItFit) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'") + node("n2", "cpu: '4'"));
  EXPECT_EQ(told(*cluster, gang("new", 1, "cpu: '12'")), (Told{"waits", "no container asked for more than 8 of cpu (now 12)"}));
}

TEST(WhatIf, AWiderLevelMakesItFit) {
  const std::string hyper_nodes =
      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: a}, spec: {tier: 1, members: [{type: "
      "Node, "
      "selector: {exactMatch: {name: n1}}}]}}\n"
      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: b}, spec: {tier: 1, members: [{type: "
      "Node, "
      "selector: {exactMatch: {name: n2}}}]}}\n"
      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s}, spec: {tier: 2, members: [{type: "
      "HyperNode, selector: {exactMatch: {name: a}}}, {type: HyperNode, selector: {exactMatch: {name: b}}}]}}\n";
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '2'") + node("n2", "cpu: '2'") + hyper_nodes,
                                  "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - "
                                  "name: network-topology-aware\n");
  const auto all =
      told(*cluster, gang("new", 2, "cpu: '2'", "queue: default, networkTopology: {mode: hard, highestTierAllowed: 1}"));
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0], "waits");
  EXPECT_EQ(all[1], "spec.networkTopology.highestTierAllowed were 2 and not 1");
}

constexpr const char* kPreempting =
    "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n- plugins:\n  - name: "
    "predicates\n";

constexpr const char* kPriorities =
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}\n";

// One pod that goes before others.
std::string urgent(const std::string& name, const std::string& requests) {
  auto job = gang(name, 1, requests, "queue: default, priorityClassName: high");
  return job.insert(job.find("schedulerName"), "priorityClassName: high, priority: 100, ");
}

TEST(WhatIf, NamesItsVictims) {
  auto old = runs("old", "cpu: '4'", "n1", "queue: default, priorityClassName: low");
  const auto cluster = cluster_of(queue("default") + kPriorities + node("n1", "cpu: '4'") + old, kPreempting);
  const auto answer = answered(*cluster, urgent("new", "cpu: '4'"));
  ASSERT_EQ(answer.jobs.size(), 1u);
  const auto& run = answer.jobs.front();
  EXPECT_EQ(verdict_of(run), WhatIfVerdict::kEvicts) << whatif_text(answer, Paint::none());
  ASSERT_EQ(run.victims.size(), 1u);
  EXPECT_EQ(run.victims.front().pod, "default/old-0");
  EXPECT_EQ(run.victims.front().job, "default/old");
  EXPECT_EQ(run.victims.front().node, "n1");
  EXPECT_EQ(run.victims.front().rule, "preempt");
  EXPECT_EQ(run.placement, (std::map<std::string, std::string>{{"default/new-0", "n1"}}));
  EXPECT_GT(*run.started, 1);
  const auto json = nlohmann::json::parse(whatif_json(answer));
  EXPECT_EQ(json["jobs"][0]["verdict"], "evicts");
  EXPECT_EQ(json["jobs"][0]["victims"][0]["pod"], "default/old-0");
  EXPECT_FALSE(json["jobs"][0]["victims"][0]["why"].get<std::string>().empty());
}

TEST(WhatIf, SaysForWhomItWaits) {
  auto old = runs("old", "cpu: '4'", "n1", "queue: default");
  old.insert(old.find("name: old-0") + 11, ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'") + old);
  const auto answer = answered(*cluster, gang("new", 1, "cpu: '4'"));
  ASSERT_EQ(answer.jobs.size(), 1u);
  const auto& run = answer.jobs.front();
  EXPECT_EQ(verdict_of(run), WhatIfVerdict::kWaits);
  EXPECT_EQ(run.left, (Told{"default/old-0"}));
  ASSERT_TRUE(run.fits_if && !run.fits_if->empty());
  EXPECT_EQ(run.fits_if->front().kind, FitsIf::Kind::kLeaving);
  EXPECT_EQ(run.fits_if->front().text, "default/old-0, which is leaving, had gone");
}

// One pod is being deleted, another one runs and has to make room for somebody else.
TEST(WhatIf, WhoWouldBeEvictedForOthersIsNotSaidToBeLeaving) {
  auto old = runs("old", "cpu: '2'", "n2", "queue: default, priorityClassName: low");
  old.insert(old.find("name: old-0") + 11, ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  const auto nodes = queue("default") + kPriorities + node("n1", "cpu: '6'") + node("n2", "cpu: '2'");
  const auto others = runs("low", "cpu: '6'", "n1", "queue: default, priorityClassName: low") + urgent("top", "cpu: '4'");
  const auto text_for = [](const std::string& cluster, int pods) {
    const auto all =
        told(*cluster_of(cluster, kPreempting), gang("new", pods, "cpu: '2'", "queue: default, priorityClassName: low"));
    return all.size() > 1 ? all[1] : "";
  };
  EXPECT_EQ(text_for(nodes + others + runs("old", "cpu: '2'", "n2", "queue: default, priorityClassName: high"), 1),
            "default/low-0, which would be evicted meanwhile, had gone");
  EXPECT_EQ(text_for(nodes + others + old, 2),
            "default/old-0, which is leaving, and default/low-0, which would be evicted meanwhile, had gone");
}

// A job of which one pod waits for room that another job's is leaving. The one that runs is evicted meanwhile, for nobody: the
// hours of its node are over.
std::unique_ptr<WhatIfCluster> cluster_that_shuffles(const std::string& spec, const std::string& more = "") {
  auto zone = node("n2", "cpu: '2'");
  zone.insert(zone.find("labels: {") + 9, "volcano.sh/revocable-zone: night, ");
  auto old = runs("old", "cpu: '2'", "n1", "queue: default");
  old.insert(old.find("name: old-0") + 11, ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  const std::string worker = "there, volcano.sh/task-spec: worker, volcano.sh/preemptable: 'true'";
  auto running = pod("there-1", "cpu: '2'", worker, "nodeName: n2, ");
  running = running.substr(0, running.rfind("}\n")) + ", status: {phase: Running}}\n";
  return cluster_of(queue("default") + node("n1", "cpu: '2'") + zone + old + group("there", "queue: default, " + spec) +
                        pod("there-0", "cpu: '2'", worker) + running + more,
                    "actions: \"enqueue, allocate, shuffle\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
                    "  - name: tdm\n    arguments:\n      tdm.revocable-zone.night: \"22:00-23:00\"\n",
                    volcano::Behaviour::exact());  // the other does not leave a gang without its minimum
}

TEST(WhatIf, ItsOwnPodsAreNotWaitedFor) {
  EXPECT_EQ(told_about(*cluster_that_shuffles("minMember: 1"), "default/there"),
            (Told{"waits", "default/old-0, which is leaving, had gone"}));
}

// There is room for the worker that waits, so that it is bound in the very cycle in which the other one is evicted; with the
// leader they are as many as have to be.
TEST(WhatIf, OfARoleThoseWhoAreEvictedMeanwhileDoNotCount) {
  const auto leader = pod_of("there", 2, "Running", "nodeName: n3, ");
  EXPECT_EQ(told_about(*cluster_that_shuffles("minMember: 2, minTaskMember: {worker: 2}", node("n3", "cpu: '4'") + leader),
                       "default/there"),
            (Told{"waits", "spec.minMember were 1 and not 2, and spec.minTaskMember.worker 1 and not 2"}));
}

// A cycle in which nothing happens may have let the job in.
TEST(WhatIf, StartsInTheCycleAfterItWasLetIn) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"),
                                  "actions: \"allocate, enqueue\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n");
  const auto answer = answered(*cluster, gang("new", 1, "cpu: '4'"));
  ASSERT_EQ(answer.jobs.size(), 1u);
  EXPECT_EQ(verdict_of(answer.jobs.front()), WhatIfVerdict::kStarts);
  EXPECT_EQ(answer.jobs.front().started, 2);
}

TEST(WhatIf, ASinglePodGetsAPodGroup) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"));
  const auto answer = answered(*cluster, pod("alone", "cpu: 1", ""));
  ASSERT_EQ(answer.jobs.size(), 1u);
  EXPECT_EQ(answer.jobs.front().job, "default/alone");
  EXPECT_EQ(verdict_of(answer.jobs.front()), WhatIfVerdict::kStarts);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_NE(answer.notes.front().find("default/alone"), std::string::npos);
}

TEST(WhatIf, SeveralJobsAreAnsweredTogether) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '4'"));
  EXPECT_EQ(told(*cluster, gang("a", 1, "cpu: '3'") + gang("b", 1, "cpu: '3'"), 0), (Told{"starts", "waits"}));
}

TEST(WhatIf, WhatWasNotTriedIsNotClaimed) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'"));
  const auto answer = answered(*cluster, gang("new", 5, "cpu: '2'"), 0);
  ASSERT_EQ(answer.jobs.size(), 1u);
  EXPECT_FALSE(answer.jobs.front().fits_if);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_NE(answer.notes.front().find("not everything was tried"), std::string::npos);
}

// Counts what is asked of a cluster.
class CountedCluster final : public WhatIfCluster {
 public:
  explicit CountedCluster(std::unique_ptr<WhatIfCluster> cluster) : cluster_(std::move(cluster)) {}

  Dialect dialect() const override { return cluster_->dialect(); }
  WorkloadScene scene() const override { return cluster_->scene(); }
  std::string why_not_ours(const Pod& pod) const override { return cluster_->why_not_ours(pod); }
  const std::vector<Object>& objects() const override {
    ++looks;
    return cluster_->objects();
  }
  Timestamp now() const override { return cluster_->now(); }
  Result<std::vector<WhatIfRun>> run(const WhatIfQuestion& question, const std::set<std::string>& without) override {
    ++runs;
    return cluster_->run(question, without);
  }

  int runs = 0;
  mutable int looks = 0;

 private:
  std::unique_ptr<WhatIfCluster> cluster_;
};

std::string waiting_jobs_of(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += gang("job" + std::to_string(1000 + i), 1, "cpu: '9'");
  return text;
}

TEST(WhatIf, TheSearchEndsWhereItsBoundIs) {
  CountedCluster cluster(cluster_of(queue("default") + node("n1", "cpu: '8'")));
  const auto question = read_what_if(cluster, waiting_jobs_of(40), "job.yaml");
  ASSERT_TRUE(question) << question.error().text();
  cluster.looks = 0;
  const auto answer = what_if(cluster, *question, {.tries = 1, .enough = {}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(cluster.runs, 2);
  EXPECT_LE(cluster.looks, 10) << "nobody looks for changes of jobs that cannot be tried";
  EXPECT_TRUE(answer->jobs.front().fits_if);
  for (std::size_t i = 1; i < answer->jobs.size(); ++i) EXPECT_FALSE(answer->jobs[i].fits_if) << i;
  EXPECT_EQ(answer->notes.size(), 1u);
}

TEST(WhatIf, TheSearchEndsWhenSomebodySaysSo) {
  CountedCluster cluster(cluster_of(queue("default") + node("n1", "cpu: '8'")));
  const auto question = read_what_if(cluster, waiting_jobs_of(10), "job.yaml");
  ASSERT_TRUE(question) << question.error().text();
  ASSERT_TRUE(what_if(cluster, *question, {.tries = 48, .enough = [&] { return cluster.runs >= 3; }}));
  EXPECT_EQ(cluster.runs, 3);
}

TEST(WhatIf, ARunEndsWhenNobodyWaitsForIt) {
  int cycles = 0;
  auto config = read_volcano_config("", "config", Strictness::kStrict);
  ASSERT_TRUE(config);
  const auto cluster = volcano_whatif(objects_in(queue("default") + node("n1", "cpu: '4'") + waiting_jobs_of(1)),
                                      {.config = config->config,
                                       .options = {},
                                       .behaviour = volcano::Behaviour::safe(),
                                       .time_of = [](int) { return kNow; },
                                       .stopped = [&] { return ++cycles == 2; }});
  const auto question = read_what_if(*cluster, gang("new", 1, "cpu: '9'"), "job.yaml");
  ASSERT_TRUE(question) << question.error().text();
  const auto answer = what_if(*cluster, *question, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "nobody waits for the answer any more");
  EXPECT_EQ(cycles, 2);
}

TEST(WhatIf, OfManyWhoAreAheadTheFirstAreNamedAndAllAreCounted) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'"));
  const auto answer = answered(*cluster, waiting_jobs_of(150), 0);
  ASSERT_EQ(answer.jobs.size(), 150u);
  const auto& last = answer.jobs.back().explanation;
  EXPECT_EQ(last.place, 150u);
  EXPECT_EQ(last.competitors, 150u);
  ASSERT_EQ(last.ahead.size(), 100u);
  EXPECT_EQ(last.ahead.front().job, "default/job1000");
  EXPECT_EQ(last.ahead.back().job, "default/job1099");
  const auto json = nlohmann::json::parse(whatif_json(answer));
  EXPECT_EQ(json["jobs"][149]["explanation"]["queue"]["place"], 150);
}

TEST(WhatIf, SoManyJobsAreAskedAboutAtOnce) {
  std::string pods;
  for (int i = 0; i <= 1000; ++i) pods += pod("alone" + std::to_string(i), "cpu: 1", "");
  EXPECT_EQ(refusal_of(pods), "the question has 1001 jobs: 1000 at most can be asked about");
}

TEST(WhatIf, WhatWasTriedIsToldOfAJobThatIsThere) {
  const auto members = [](const Result<WhatIfAnswer>& answer) { return nlohmann::json::parse("{" + tried_members(answer) + "}"); };
  const auto cluster =
      cluster_of(queue("default") + node("n1", "cpu: '7'") + gang("there", 4, "cpu: '2'") + gang("fits", 1, "cpu: '1'"));
  const auto about = [&](const std::string& job, int tries) {
    const auto question = question_about(*cluster, job);
    EXPECT_TRUE(question) << question.error().text();
    return members(what_if(*cluster, *question, {.tries = tries, .enough = {}}));
  };
  const auto waits = about("default/there", 48);
  EXPECT_EQ(waits["whatif"], nlohmann::json::parse(R"({"verdict":"waits","notes":[]})"));
  EXPECT_EQ(waits["fits_if"][0]["text"], "spec.minMember were 3 and not 4");
  const auto cut = about("default/there", 1);
  EXPECT_EQ(cut["whatif"]["notes"].size(), 1u);
  EXPECT_TRUE(cut.contains("fits_if"));
  const auto starts = about("default/fits", 48);
  EXPECT_EQ(starts["whatif"]["verdict"], "starts");
  EXPECT_FALSE(starts.contains("fits_if"));
  EXPECT_EQ(members(fail("the cluster is being read")),
            nlohmann::json::parse(R"({"whatif":{"error":"the cluster is being read"}})"));
}

TEST(WhatIf, RefusesWhatIsNoQuestion) {
  EXPECT_NE(refusal_of(group("g", "minMember: 1")).find("holds no pod"), std::string::npos);
  EXPECT_NE(refusal_of(gang("old", 1, "cpu: 1")).find("is in the cluster already"), std::string::npos);
  EXPECT_NE(refusal_of(gang("new", 1, "cpu: 1") + pod("new-0", "cpu: 1", "new")).find("twice"), std::string::npos);
  EXPECT_NE(refusal_of(runs("new", "cpu: 1", "n1", "queue: default")).find("has a node already"), std::string::npos);
  auto other = pod("alone", "cpu: 1", "");
  other.replace(other.find("volcano"), 7, "default");
  EXPECT_NE(refusal_of(other).find("places pods of volcano"), std::string::npos);
  auto nobody = pod("alone", "cpu: 1", "");
  nobody.replace(nobody.find("volcano"), 7, "''");
  EXPECT_NE(refusal_of(nobody).find("spec.schedulerName is \"default-scheduler\""), std::string::npos) << refusal_of(nobody);
  EXPECT_NE(refusal_of("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}}").find("\nnote: 1 object of kinds"),
            std::string::npos);
  EXPECT_NE(refusal_of("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}}").find("is not expanded"),
            std::string::npos);
  EXPECT_TRUE(refusal_of("{apiVersion: v1, kind: Pod, metadata: [").starts_with("job.yaml:"))
      << refusal_of("{apiVersion: v1, kind: Pod, metadata: [");
}

TEST(WhatIf, IsToldInWords) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'") + runs("old", "cpu: '2'", "n1", "queue: default"));
  const auto waits = whatif_text(answered(*cluster, gang("new", 4, "cpu: '2'")), Paint::none());
  EXPECT_TRUE(waits.starts_with("default/new would wait: ")) << waits;
  EXPECT_NE(waits.find("It would start at once if\n  spec.minMember were 3 and not 4\n"), std::string::npos) << waits;
  const auto starts = whatif_text(answered(*cluster, gang("new", 3, "cpu: '2'")), Paint::none());
  EXPECT_TRUE(starts.starts_with("default/new would start at once, beside everybody.\n")) << starts;
  EXPECT_NE(starts.find("  n1  3  new-0, new-1, new-2\n"), std::string::npos) << starts;
}

// What a scheduler answers reads as what is found here, but for the detail of why it waits.
TEST(WhatIf, AnAnswerFromElsewhereIsToldInTheSameWords) {
  const auto cluster = cluster_of(queue("default") + node("n1", "cpu: '8'") + runs("old", "cpu: '2'", "n1", "queue: default"));
  for (const int pods : {3, 4}) {
    const auto here = answered(*cluster, gang("new", pods, "cpu: '2'"));
    const auto there = read_whatif_answer(whatif_json(here));
    ASSERT_TRUE(there) << there.error().text();
    const auto text = whatif_text(*there, Paint::none());
    EXPECT_TRUE(whatif_text(here, Paint::none()).starts_with(text)) << text;
    EXPECT_EQ(text.find("It would start at once if") != std::string::npos, pods == 4) << text;
  }
  const auto asks = read_whatif_answer(whatif_json(answered(*cluster, gang("new", 1, "cpu: '2'", "queue: defautl"))));
  ASSERT_TRUE(asks) << asks.error().text();
  EXPECT_NE(whatif_text(*asks, Paint::none()).find(": was default meant?\n"), std::string::npos)
      << whatif_text(*asks, Paint::none());
  EXPECT_FALSE(read_whatif_answer("{\"error\": \"no\"}"));
}

// ------------------------------------------------------------------------------------------------------------ KAI

constexpr const char* kKaiQueues =
    "{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: root}, spec: {resources: {gpu: {quota: -1, limit: -1}, cpu: "
    "{quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}\n"
    "---\n{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q}, spec: {parentQueue: root, resources: {gpu: {quota: "
    "-1, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}\n"
    "---\n{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: hall}, {nodeLabel: "
    "rack}]}}\n";

std::string kai_gang(int pods, const std::string& spec) {
  std::string text =
      "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: new}, spec: {queue: q, minMember: " +
      std::to_string(pods) + ", " + spec + "}}\n";
  for (int i = 0; i < pods; ++i)
    text += "---\n{apiVersion: v1, kind: Pod, metadata: {name: new-" + std::to_string(i) +
            ", annotations: {pod-group-name: new}}, spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: "
            "{requests: {nvidia.com/gpu: '2'}}}]}}\n";
  return text;
}

TEST(KaiWhatIf, AWiderLevelOrFewerMembersMakeItFit) {
  const auto cluster =
      kai_whatif(objects_in(kKaiQueues + node("n1", "cpu: '8', nvidia.com/gpu: '2'") + node("n2", "cpu: '8', nvidia.com/gpu: '2'")),
                 {.config = kai::default_config(), .options = {}, .time_of = [](int) { return kNow; }});
  EXPECT_EQ(told(*cluster, kai_gang(2, "")), (Told{"starts"}));
  EXPECT_EQ(told(*cluster, kai_gang(2, "topologyConstraint: {topology: t, requiredTopologyLevel: rack}")),
            (Told{"waits", "spec.topologyConstraint.requiredTopologyLevel were hall and not rack",
                  "spec.minMember were 1 and not 2", "no container asked for more than 1 of nvidia.com/gpu (now 2)"}));
  EXPECT_EQ(told(*cluster, kai_gang(3, "")),
            (Told{"waits", "spec.minMember were 2 and not 3", "no container asked for more than 1 of nvidia.com/gpu (now 2)"}));
}

TEST(KaiWhatIf, OfManyWhoAreAheadTheFirstAreNamedAndAllAreCounted) {
  const auto cluster = kai_whatif(objects_in(kKaiQueues + node("n1", "cpu: '8', nvidia.com/gpu: '2'")),
                                  {.config = kai::default_config(), .options = {}, .time_of = [](int) { return kNow; }});
  std::string pods;
  for (int i = 0; i < 150; ++i)
    pods += "---\n{apiVersion: v1, kind: Pod, metadata: {name: p" + std::to_string(1000 + i) +
            ", labels: {kai.scheduler/queue: q}}, spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: "
            "{requests: {nvidia.com/gpu: '3'}}}]}}\n";
  const auto answer = answered(*cluster, pods, 0);
  ASSERT_EQ(answer.jobs.size(), 150u);
  const auto last = std::ranges::max_element(answer.jobs, {}, [](const WhatIfRun& run) { return run.explanation.place; });
  EXPECT_EQ(last->explanation.place, 150u);
  EXPECT_EQ(last->explanation.ahead.size(), 100u);
  EXPECT_EQ(last->explanation.ahead.front().state, JobState::kWaiting);
}

}  // namespace
}  // namespace muster
