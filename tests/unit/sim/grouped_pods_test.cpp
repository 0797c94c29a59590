// PodGroups that the embedded cluster makes for pods, BindRequests that it carries out, and nodes that stay down.

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/controllers/lost_nodes.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

const std::string kKaiGroups = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups";

std::string annotation(const Tree& object, std::string_view key) {
  const auto* annotations = object.at("metadata.annotations");
  const auto* value = annotations == nullptr ? nullptr : annotations->find(key);
  return value == nullptr ? std::string() : value->scalar_text();
}

TEST(GroupedPods, AJobOfVolcanosSchedulerHasOneGroup) {
  ControlledCluster cluster;
  cluster.create(kJobs, job_text(R"("parallelism":2,"completions":2,)", "", R"(,"schedulerName":"volcano")"));
  const auto groups = cluster.list(kVolcanoGroups);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(groups.front().text_at("metadata.name"), "podgroup-" + cluster.get(kJobs + "/j").text_at("metadata.uid"));
  for (const auto& pod : cluster.list(kPods))
    EXPECT_EQ(annotation(pod, "scheduling.k8s.io/group-name"), groups.front().text_at("metadata.name"));
}

TEST(GroupedPods, AJobOfKaisSchedulerHasAGang) {
  ControlledCluster cluster;
  auto job = json(job_text(R"("parallelism":3,"completions":3,)", "", R"(,"schedulerName":"kai-scheduler")"));
  job["metadata"]["annotations"]["kai.scheduler/batch-min-member"] = Tree("3");
  job["metadata"]["labels"]["kai.scheduler/queue"] = Tree("team");
  cluster.create(kJobs, job.text());
  const auto groups = cluster.list(kKaiGroups);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(groups.front().integer_at("spec.minMember"), 3);
  EXPECT_EQ(groups.front().text_at("spec.queue"), "team");
  for (const auto& pod : cluster.list(kPods)) EXPECT_EQ(annotation(pod, "pod-group-name"), groups.front().text_at("metadata.name"));
  cluster.remove(kJobs + "/j", R"({"propagationPolicy":"Background"})");
  EXPECT_EQ(cluster.list(kKaiGroups).size(), 0) << "it goes with its owner";
}

TEST(GroupedPods, WhatCannotBeGroupedIsSaid) {
  ControlledCluster cluster;
  auto job = json(job_text("", "", R"(,"schedulerName":"kai-scheduler")"));
  job["metadata"]["annotations"]["kai.scheduler/batch-min-member"] = Tree("many");
  cluster.create(kJobs, job.text());
  const auto events = cluster.list("/api/v1/namespaces/default/events");
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events.front().text_at("reason"), "PodGrouperWarning");
  cluster.merge(kJobs + "/j", R"({"metadata":{"annotations":{"kai.scheduler/batch-min-member":"1"}}})");
  cluster.pass(1);
  EXPECT_EQ(cluster.list(kKaiGroups).size(), 1);
}

TEST(GroupedPods, BindRequestsAreCarriedOut) {
  ControlledCluster cluster;
  cluster.create(kPods, pod_text("p", R"(,"schedulerName":"kai-scheduler")"));
  const auto request = [](const std::string& name, const std::string& type) {
    return R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest","metadata":{"name":")" + name +
           R"("},"spec":{"podName":"p","selectedNode":"n2","receivedResourceType":")" + type + R"("}})";
  };
  const std::string path = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests";
  cluster.create(path, request("share", "Fraction"));
  EXPECT_EQ(cluster.get(path + "/share").text_at("status.phase"), "Failed");
  cluster.create(path, R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest","metadata":{"name":"none"},)"
                       R"("spec":{"podName":"p","selectedNode":""}})");
  EXPECT_EQ(cluster.get(path + "/none").text_at("status.phase"), "Failed") << "no node is not the node of a pod that has none";
  cluster.create(path, request("p", "Regular"));
  EXPECT_EQ(cluster.get(path + "/p").text_at("status.phase"), "Succeeded");
  EXPECT_EQ(cluster.get(kPods + "/p").text_at("spec.nodeName"), "n2");
}

TEST(LostNodesTest, PodsAreGivenUpWhenTheyNoLongerTolerateIt) {
  ControlledCluster cluster;
  cluster.create(kVolcanoJobs,
                 R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"},"spec":{"tasks":[{"name":"a",)"
                 R"("replicas":2,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})");
  cluster.enqueue();
  cluster.schedule("n1");
  cluster.pass(1);
  EXPECT_EQ(cluster.get(kVolcanoJobs + "/j").text_at("status.state.phase"), "Running");
  cluster.set_down("n1", true);
  cluster.pass(299);
  for (const auto& pod : cluster.list(kPods)) EXPECT_EQ(pod.text_at("spec.nodeName"), "n1");
  cluster.pass(1);
  cluster.pass(1);
  EXPECT_EQ(cluster.pods("Pending").size(), 2) << "made again, for another node";
  cluster.schedule("n2");
  cluster.pass(1);
  EXPECT_EQ(cluster.get(kVolcanoJobs + "/j").text_at("status.state.phase"), "Running");
}

TEST(LostNodesTest, TheTimeCanBeShortened) {
  ControlledCluster by_option(20);
  by_option.create(kPods, pod_text("p"));
  by_option.schedule("n1");
  by_option.set_down("n1", true);
  by_option.pass(19);
  EXPECT_EQ(by_option.count(), 1);
  by_option.pass(1);
  EXPECT_EQ(by_option.count(), 0);

  ControlledCluster by_annotation;
  by_annotation.create(kPods, pod_text("p"));
  by_annotation.schedule("n1");
  by_annotation.set_down("n1", true, R"(,"sim.muster/evict-after-seconds":"5")");
  by_annotation.pass(5);
  EXPECT_EQ(by_annotation.count(), 0);
}

TEST(LostNodesTest, ANodeThatIsBackInTimeKeepsItsPods) {
  ControlledCluster cluster(20);
  cluster.create(kPods, pod_text("p"));
  cluster.schedule("n1");
  cluster.set_down("n1", true);
  cluster.pass(10);
  cluster.set_down("n1", false);
  cluster.pass(30);
  EXPECT_EQ(cluster.count("Running"), 1);
}

TEST(LostNodesTest, ADeletedNodeTakesItsPodsWithIt) {
  ControlledCluster cluster;
  cluster.create(kPods, pod_text("p"));
  cluster.schedule("n1");
  cluster.pass(1);
  cluster.remove("/api/v1/nodes/n1");
  EXPECT_EQ(cluster.list(kPods).size(), 0);
}

TEST(LostNodesTest, PodsOfANodeThatDoesNotComeGo) {
  ControlledCluster cluster;
  for (const std::string name : {"waits", "is-deleted", "has-ended"}) cluster.create(kPods, pod_text(name));
  cluster.schedule("late");
  cluster.create(kPods, pod_text("elsewhere"));
  cluster.schedule("n1");
  cluster.merge(kPods + "/has-ended/status", R"({"status":{"phase":"Succeeded"}})");
  cluster.remove(kPods + "/is-deleted");
  EXPECT_EQ(cluster.list(kPods).size(), 4) << "nobody is there to end it";
  cluster.pass(30);
  cluster.merge(kPods + "/waits", R"({"metadata":{"labels":{"a":"b"}}})");
  cluster.pass(9);
  EXPECT_EQ(cluster.list(kPods).size(), 4);
  cluster.pass(1);
  EXPECT_EQ(cluster.list(kPods).size(), 1);
  EXPECT_EQ(cluster.get(kPods + "/elsewhere").text_at("status.phase"), "Running");

  cluster.create(kPods, pod_text("waits"));
  cluster.schedule("late");
  cluster.pass(39);
  cluster.add_node("late");
  cluster.pass(10);
  EXPECT_EQ(cluster.count("Running"), 2) << "it came in time";
}

TEST(LostNodesTest, PodsOfANodeThatWentUnseenGo) {
  const auto file = std::filesystem::temp_directory_path() / ("muster-lost-nodes-" + std::to_string(getpid()));
  std::filesystem::remove(file);
  ClusterSettings settings;
  settings.file = file;
  {
    TestCluster alone(settings, true);  // without controllers
    alone.post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
    for (const std::string name : {"runs", "is-deleted"})
      alone.post(kPods, pod_text(name, R"(,"nodeName":"n","terminationGracePeriodSeconds":3600)"));
    alone.pass(1);
    alone.remove("/api/v1/nodes/n");
    alone.remove(kPods + "/is-deleted");
    EXPECT_EQ(alone.get(kPods + "/is-deleted").status, 200);
  }
  settings.controllers = true;
  TestCluster again(settings, true);
  EXPECT_EQ(again.get(kPods).body.at("items")->as_list()->size(), 2);
  again.pass(40);
  EXPECT_TRUE(again.get(kPods).body.at("items")->as_list()->empty());
  std::filesystem::remove(file);
}

TEST(LostNodesTest, ATaintWithoutATimeCountsFromWhenItWasSeen) {
  ControlledCluster cluster;
  cluster.create(kPods,
                 pod_text("p", R"(,"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":60}])"));
  cluster.schedule("n1");
  cluster.pass(1);
  const auto taint = [&](const std::string& taints) {
    EXPECT_EQ(cluster.merge("/api/v1/nodes/n1", R"({"spec":{"taints":)" + taints + "}}").status, 200);
  };
  const std::string by_kubectl = R"([{"key":"k","value":"v","effect":"NoExecute"}])";
  taint(by_kubectl);
  cluster.pass(40);
  taint("null");
  taint(by_kubectl);
  cluster.pass(40);
  EXPECT_EQ(cluster.count("Running"), 1) << "a taint that comes back begins anew";
  cluster.pass(19);
  EXPECT_EQ(cluster.count("Running"), 1);
  cluster.pass(1);
  EXPECT_EQ(cluster.count(), 0);
}

TEST(LostNodesTest, TolerationsSayForHowLong) {
  const auto taint = json(R"({"key":"k","value":"v","effect":"NoExecute"})");
  const auto seconds = [&](const std::string& tolerations) {
    return tolerated_seconds(json(R"({"spec":{"tolerations":[)" + tolerations + "]}}"), taint);
  };
  EXPECT_EQ(seconds(""), 0);
  EXPECT_EQ(seconds(R"({"operator":"Exists"})"), std::nullopt);
  EXPECT_EQ(seconds(R"({"key":"k","operator":"Exists","effect":"NoSchedule"})"), 0);
  EXPECT_EQ(seconds(R"({"key":"k","value":"v","tolerationSeconds":30})"), 30);
  EXPECT_EQ(seconds(R"({"key":"k","value":"w","tolerationSeconds":30})"), 0);
  EXPECT_EQ(seconds(R"({"key":"k","value":"v","tolerationSeconds":30},{"key":"k","operator":"Exists","tolerationSeconds":9})"), 9);
}

}  // namespace
}  // namespace muster::sim
