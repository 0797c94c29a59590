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

bool says(const std::string& text, const std::string& part) {
  const auto loaded = load_cluster_text(text, "all.yaml");
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
  EXPECT_TRUE(says(kNode, "queues root, default were not in the input"));
}

TEST(ClusterFiles, GivesQueuesWhatAdmissionAndControllerWould) {
  const std::string text = "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {}}\n";
  const auto loaded = load_cluster_text(text, "all.yaml");
  ASSERT_TRUE(loaded);
  const auto& made = loaded->cluster->queue(loaded->cluster->find_queue("q"));
  EXPECT_TRUE(made.open);
  EXPECT_EQ(made.weight, 1);
  EXPECT_TRUE(says(text, "queue q has no status.state"));
  EXPECT_TRUE(says(text, "queue q has no weight"));
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

}  // namespace
}  // namespace muster
