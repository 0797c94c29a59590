// What can be seen of the clusters of both dialects, how they are compared with objects, and that they stop evicting.

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

#include "daemon/kai_cluster.h"
#include "daemon/volcano_cluster.h"
#include "model/json.h"
#include "support/kai_world.h"
#include "support/volcano_builders.h"

namespace muster::daemon {
namespace {

const kube::ResourceKind& kind_of(std::string_view name) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name) return kind;
  std::abort();
}

// What a sight in the next cycle tells.
Result<std::string> seen(LiveCluster& cluster, Sight::What what, std::string name = {}, std::vector<Eviction> evictions = {}) {
  Result<std::string> out = fail("nothing was told");
  cluster.add_sight(
      {.what = what, .name = std::move(name), .evictions = std::move(evictions), .tell = [&](Result<std::string> told) {
         out = std::move(told);
       }});
  cluster.run_cycle(kai::KaiWorld::kNow);
  return out;
}

// Numbers are views into the text, which stays.
Json read(const Result<std::string>& text) {
  EXPECT_TRUE(text) << (text ? "" : text.error().text());
  static std::deque<std::string> texts;
  auto value = read_json(texts.emplace_back(text ? *text : "{}"));
  EXPECT_TRUE(value);
  return value.value_or(Json());
}

// Of each object of an array, the member of this name.
std::vector<std::string> names_in(const Json& value, const char* array, const char* member) {
  std::vector<std::string> out;
  for (const auto& item : value.find(array)->items) out.push_back(text_at(&item, member));
  return out;
}

using Names = std::vector<std::string>;

// As it looks after the server has refused its bind.
Pod held(Pod pod) {
  HeldPods pods;
  const auto id = kube::identity_of(pod.meta);
  pods.refuse(id, "", {}, why_not_bound(id, "n1", "was refused", "the node is locked"));
  pods.complete(pod);
  return pod;
}

// -------------------------------------------------------------------------------------------------------- Volcano

class VolcanoViewTest : public testing::Test {
 protected:
  VolcanoViewTest()
      : cluster_({.config = volcano::a_config({volcano::an_option("priority"), volcano::an_option("gang"),
                                               volcano::an_option("predicates"), volcano::an_option("proportion")},
                                              {"enqueue", "allocate", "preempt", "backfill"}),
                  .behaviour = volcano::Behaviour::safe(),
                  .options = {}}) {
    for (const auto& [name, value] : {std::pair("high", 100), {"low", 1}}) {
      PriorityClass priority;
      priority.meta.name = name;
      priority.value = value;
      cluster_.apply(Object(priority));
    }
    add(volcano::a_volcano_queue("default"));
    add(node_);
    add(volcano::a_pod_group("low").priority_class("low").phase("Running"));
    add(first_), add(volcano::a_volcano_pod("low-1").group("low").cpu("2").on("n1"));
    add(volcano::a_pod_group("high").priority_class("high"));
    add(waiting_);
    cluster_.settle();
  }
  template <class Builder>
  void add(const Builder& builder) {
    cluster_.apply(Object(builder.object()));
  }

  volcano::VolcanoNodeBuilder node_ = volcano::a_volcano_node("n1").cpu("4").label("zone", "a");
  volcano::VolcanoPodBuilder first_ = volcano::a_volcano_pod("low-0").group("low").cpu("2").on("n1");
  volcano::VolcanoPodBuilder waiting_ = volcano::a_volcano_pod("high-0").group("high").cpu("2").label("app", "a");
  VolcanoCluster cluster_;
};

TEST_F(VolcanoViewTest, EverythingCanBeSeen) {
  cluster_.set_evictions(Evictions::kStopped);
  const auto jobs = read(seen(cluster_, Sight::What::kJobs));
  EXPECT_EQ(names_in(jobs, "jobs", "job"), (Names{"default/high", "default/low"}));
  EXPECT_EQ(names_in(jobs, "jobs", "state"), (Names{"waiting", "running"}));
  EXPECT_FALSE(text_at(jobs.find("jobs")->items[0].find("reason"), "code").empty());
  const auto queues = read(seen(cluster_, Sight::What::kQueues));
  EXPECT_EQ(names_in(queues, "queues", "queue"), Names{"default"});
  EXPECT_NE(queues.find("queues")->items[0].find("resources")->find("cpu"), nullptr);
  const auto nodes = read(seen(cluster_, Sight::What::kNodes));
  EXPECT_EQ(names_in(nodes, "nodes", "node"), Names{"n1"});
  const auto job = read(seen(cluster_, Sight::What::kJob, "default/high"));
  EXPECT_EQ(text_at(&job, "job"), "default/high");
  const auto unknown = seen(cluster_, Sight::What::kJob, "default/hihg");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("did you mean"), std::string::npos) << unknown.error().text();
  const auto counts = cluster_.counts();
  EXPECT_EQ(counts.nodes, 1u);
  EXPECT_EQ(counts.pods, 3u);
  EXPECT_EQ(counts.jobs, 2u);
  EXPECT_EQ(counts.queues, 1u);
}

TEST_F(VolcanoViewTest, EarlierEvictionsAreExplained) {
  cluster_.set_evictions(Evictions::kStopped);
  const Eviction eviction{
      .pod = "default/low-1", .job = "default/low", .node = "n1", .rule = "preempt", .for_job = "default/high", .for_pod = {}};
  const auto text = seen(cluster_, Sight::What::kJob, "default/low", {eviction});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(R"("evicted":[{"pod":"default/low-1","rule":"preempt","for_job":"default/high")"), std::string::npos)
      << *text;
}

TEST_F(VolcanoViewTest, NobodyIsEvictedWhileEvictionsAreStopped) {
  EXPECT_EQ(cluster_.broken_invariant(), "");
  cluster_.set_evictions(Evictions::kStopped);
  EXPECT_TRUE(cluster_.run_cycle(kai::KaiWorld::kNow).effects.evictions.empty());
  const char* config =
      "actions: \"enqueue, preempt, allocate\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: predicates\n";
  ASSERT_TRUE(cluster_.reconfigure(config, "conf"));
  EXPECT_TRUE(cluster_.run_cycle(kai::KaiWorld::kNow).effects.evictions.empty()) << "a new configuration does not allow them";
  cluster_.set_evictions(Evictions::kAllowed);
  const auto effects = cluster_.run_cycle(kai::KaiWorld::kNow).effects;
  ASSERT_EQ(effects.evictions.size(), 1u);
  EXPECT_EQ(effects.evictions[0].rule, "preempt");
  EXPECT_EQ(effects.evictions[0].for_group, "default/high");
  EXPECT_EQ(effects.evictions[0].node, "n1");
  EXPECT_EQ(cluster_.broken_invariant(), "");
}

TEST_F(VolcanoViewTest, WhatIsRememberedOtherwiseIsSaid) {
  EXPECT_EQ(cluster_.differs(Object(node_.object())), "");
  EXPECT_EQ(cluster_.differs(Object(first_.object())), "");
  EXPECT_EQ(cluster_.differs(Object(waiting_.object())), "");
  EXPECT_EQ(cluster_.differs(Object(volcano::a_volcano_pod("ended").phase("Succeeded").object())), "");

  auto node = node_.object();
  node.unschedulable = true;
  EXPECT_EQ(cluster_.differs(Object(node)), "is cordoned here and not there");
  node.meta.labels.set("zone", "b");
  EXPECT_EQ(cluster_.differs(Object(node)), "has other labels in the books");
  node.meta.name = "n2";
  EXPECT_EQ(cluster_.differs(Object(node)), "is not in the books");

  auto pod = first_.object();
  pod.spec.node_name = "n7";
  EXPECT_EQ(cluster_.differs(Object(pod)), "is on n7, and n1 is charged");
  pod.spec.node_name.clear();
  EXPECT_EQ(cluster_.differs(Object(pod)), "holds node n1, and has none");
  pod.meta.uid = "another";
  EXPECT_EQ(cluster_.differs(Object(pod)), "has the uid uid-low-0 in the books");
  cluster_.remove(kind_of("Pod"), {"default", "low-0", "uid-low-0", ""});
  EXPECT_EQ(cluster_.differs(Object(first_.object())), "is not in the books");
}

// Its object has no gate that anybody could remove.
TEST_F(VolcanoViewTest, WhoseBindWasRefusedIsNotSaidToBeGated) {
  const auto told = held(waiting_.object());
  cluster_.apply(Object(told));
  const auto reason = read(seen(cluster_, Sight::What::kJob, "default/high"));
  EXPECT_EQ(text_at(reason.find("reason"), "code"), "bind-refused");
  EXPECT_EQ(text_at(reason.find("reason"), "text"), "the bind of default/high-0 to n1 was refused: the node is locked");
  EXPECT_EQ(text_at(reason.find("reason"), "hint").find("Gates"), std::string::npos);
  EXPECT_EQ(reason.find("pods")->find("gated")->as_int(), 0);
  const auto jobs = read(seen(cluster_, Sight::What::kJobs));
  EXPECT_EQ(text_at(jobs.find("jobs")->items[0].find("reason"), "code"), "bind-refused");
  cluster_.apply(Object(waiting_.gate("somebody/else").object()));
  EXPECT_EQ(text_at(read(seen(cluster_, Sight::What::kJob, "default/high")).find("reason"), "code"), "gated") << "it is, by now";
}

// ------------------------------------------------------------------------------------------------------------ KAI

class KaiViewTest : public testing::Test {
 protected:
  KaiViewTest() {
    world_.node("n1", 1);
    world_.job({.name = "low", .nodes = {"n1"}});
    world_.job({.name = "high", .priority = "high"});
    cluster_ = std::make_unique<KaiCluster>(KaiSettings{
        .config = kai::default_config(), .options = {}, .writing = {}, .gpu_groups = "g-", .numbers = nullptr, .lenient = false});
    for (const auto& object : world_.objects()) cluster_->apply(object);
    cluster_->settle();
  }
  template <class T>
  T object(const std::string& name) {
    for (const auto& one : world_.objects())
      if (const auto* found = std::get_if<T>(&one); found != nullptr && found->meta.name == name) return *found;
    std::abort();
  }

  kai::KaiWorld world_;
  std::unique_ptr<KaiCluster> cluster_;
};

TEST_F(KaiViewTest, EverythingCanBeSeen) {
  cluster_->set_evictions(Evictions::kStopped);
  const auto jobs = read(seen(*cluster_, Sight::What::kJobs));
  EXPECT_EQ(names_in(jobs, "jobs", "job"), (Names{"ns/high", "ns/low"}));
  EXPECT_EQ(names_in(jobs, "jobs", "state"), (Names{"waiting", "running"}));
  const auto queues = read(seen(*cluster_, Sight::What::kQueues));
  const auto names = names_in(queues, "queues", "queue");
  EXPECT_NE(std::find(names.begin(), names.end(), "q"), names.end());
  EXPECT_EQ(names_in(read(seen(*cluster_, Sight::What::kNodes)), "nodes", "node"), Names{"n1"});
  EXPECT_EQ(names_in(read(seen(*cluster_, Sight::What::kJobOrder)), "global_order", "id"), Names{"high"});
  EXPECT_TRUE(seen(*cluster_, Sight::What::kJob, "ns/high"));
  EXPECT_FALSE(seen(*cluster_, Sight::What::kJob, "ns/nobody"));
  EXPECT_EQ(cluster_->counts().jobs, 2u);
}

// Parts of GPUs that pods share are in nobody's books.
TEST_F(KaiViewTest, PartsOfSharedGpusCountAsUsed) {
  kai::KaiWorld world;
  world.node("n1", 4);
  world.job({.name = "half", .fraction = "0.5", .nodes = {"n1"}});
  world.job({.name = "whole", .nodes = {"n1"}});
  for (auto& object : world.objects())
    if (auto* pod = std::get_if<Pod>(&object); pod != nullptr && pod->meta.name == "half-0")
      pod->meta.labels.set("runai-gpu-group", "g");
  KaiCluster cluster(
      {.config = kai::default_config(), .options = {}, .writing = {}, .gpu_groups = "g-", .numbers = nullptr, .lenient = false});
  for (const auto& object : world.objects()) cluster.apply(object);
  cluster.settle();
  const auto nodes = seen(cluster, Sight::What::kNodes);
  ASSERT_TRUE(nodes);
  EXPECT_NE(nodes->find(R"("nvidia.com/gpu":{"allocatable":4,"used":1.5,"idle":2,"releasing":0})"), std::string::npos) << *nodes;
}

TEST_F(KaiViewTest, WhoseBindWasRefusedIsNotSaidToBeGated) {
  cluster_->apply(Object(held(object<Pod>("high-0"))));
  const auto reason = read(seen(*cluster_, Sight::What::kJob, "ns/high"));
  EXPECT_EQ(text_at(reason.find("reason"), "code"), "bind-refused");
  EXPECT_EQ(text_at(reason.find("reason"), "text"), "the bind of ns/high-0 to n1 was refused: the node is locked");
  EXPECT_EQ(reason.find("pods")->find("gated")->as_int(), 0);
  const auto jobs = read(seen(*cluster_, Sight::What::kJobs));
  EXPECT_EQ(text_at(jobs.find("jobs")->items[0].find("reason"), "code"), "bind-refused");
  EXPECT_TRUE(cluster_->run_cycle(kai::KaiWorld::kNow).effects.binds.empty()) << "nobody places it";
}

// What the events of a PodGroup say is read by people who look for gates then.
TEST_F(KaiViewTest, NoEventTellsOfGatesWhereBindsWereRefused) {
  const auto events = [&] {
    std::string out;
    for (const auto& event : cluster_->run_cycle(kai::KaiWorld::kNow).effects.events)
      if (event.reason == "NotReady") out += event.about.name + ": " + event.note + "; ";
    return out;
  };
  cluster_->apply(Object(held(object<Pod>("high-0"))));
  EXPECT_EQ(events(), "");
  auto gated = object<Pod>("high-0");
  gated.spec.scheduling_gates = {"somebody/else"};
  cluster_->apply(Object(gated));
  EXPECT_EQ(events(), "high: Job is not ready for scheduling. Waiting for 1 pods, currently 1 exist, 1 are gated; ");
}

TEST_F(KaiViewTest, WhoNeedsTheBinderIsNotSaidToBeGated) {
  world_.job({.name = "half", .fraction = "0.5"});
  KaiCluster direct(KaiSettings{.config = kai::default_config(),
                                .options = {},
                                .writing = {.binder = KaiBinder::kDirect},
                                .gpu_groups = "g-",
                                .numbers = nullptr,
                                .lenient = false});
  for (const auto& object : world_.objects()) direct.apply(object);
  direct.settle();
  const auto job = seen(direct, Sight::What::kJob, "ns/half");
  ASSERT_TRUE(job);
  EXPECT_NE(job->find("\"code\":\"needs-binder\""), std::string::npos) << *job;
}

TEST_F(KaiViewTest, NobodyIsEvictedWhileEvictionsAreStopped) {
  cluster_->set_evictions(Evictions::kStopped);
  EXPECT_TRUE(cluster_->run_cycle(kai::KaiWorld::kNow).effects.evictions.empty());
  cluster_->set_evictions(Evictions::kAllowed);
  const auto effects = cluster_->run_cycle(kai::KaiWorld::kNow).effects;
  ASSERT_EQ(effects.evictions.size(), 1u);
  EXPECT_EQ(effects.evictions[0].rule, "preempt");
  EXPECT_EQ(effects.evictions[0].for_group, "ns/high");
  EXPECT_EQ(effects.evictions[0].node, "n1");
  EXPECT_FALSE(effects.evictions[0].why.empty());
  EXPECT_EQ(cluster_->broken_invariant(), "");
}

TEST_F(KaiViewTest, WhatIsRememberedOtherwiseIsSaid) {
  cluster_->run_cycle(kai::KaiWorld::kNow);
  for (const auto& one : world_.objects()) EXPECT_EQ(cluster_->differs(one), "");
  auto pod = object<Pod>("low-0");
  pod.spec.node_name = "n2";
  EXPECT_EQ(cluster_->differs(Object(pod)), "is remembered on n1, and is on n2");
  pod.meta.labels.set("app", "other");
  EXPECT_EQ(cluster_->differs(Object(pod)), "has other labels in the books");
  auto node = object<Node>("n1");
  node.meta.name = "n9";
  EXPECT_EQ(cluster_->differs(Object(node)), "is not in the books");
}

}  // namespace
}  // namespace muster::daemon
