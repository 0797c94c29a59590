// Volcano Jobs in the embedded cluster.

#include "sim/controllers/volcano_jobs.h"

#include <gtest/gtest.h>

#include "sim/volcano_admission.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

std::string task(const std::string& name, int replicas, const std::string& more = {}, const std::string& annotations = {}) {
  return R"({"name":")" + name + R"(","replicas":)" + std::to_string(replicas) + more +
         R"(,"template":{"metadata":{"annotations":{)" + annotations +
         R"(}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}})";
}
std::string volcano_job(const std::string& tasks, const std::string& more = {}) {
  return R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"j"},"spec":{"tasks":[)" + tasks + "]" +
         more + "}}";
}
std::string policy(const std::string& event, const std::string& action) {
  return R"(,"policies":[{"event":")" + event + R"(","action":")" + action + R"("}])";
}

class VolcanoJobsTest : public testing::Test {
 protected:
  Tree job() { return cluster_.get(kVolcanoJobs + "/j").body; }
  std::string phase() { return std::string(job().text_at("status.state.phase")); }
  Tree group() {
    const auto groups = cluster_.list(kVolcanoGroups);
    return groups.empty() ? Tree() : groups.front();
  }
  // As far as a scheduler gets it: in the queue, on nodes, running.
  void run() {
    cluster_.enqueue();
    cluster_.schedule();
    cluster_.pass(1);
  }

  ControlledCluster cluster_;
};

TEST_F(VolcanoJobsTest, TheGroupComesFirstAndThePodsOnceItIsLetIn) {
  cluster_.create(kVolcanoJobs, volcano_job(task("ps", 1) + "," + task("worker", 2)));
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(cluster_.count(), 0);
  const auto uid = std::string(job().text_at("metadata.uid"));
  EXPECT_EQ(group().text_at("metadata.name"), "j-" + uid);
  EXPECT_EQ(group().integer_at("spec.minMember"), 3);
  EXPECT_EQ(group().integer_at("spec.minTaskMember.worker"), 2);
  EXPECT_EQ(group().text_at("spec.minResources.cpu"), "3");
  EXPECT_EQ(group().text_at("spec.queue"), "default");
  cluster_.enqueue();
  EXPECT_EQ(cluster_.pods(), (std::vector<std::string>{"j-ps-0", "j-worker-0", "j-worker-1"}));
  const auto pod = cluster_.get(kPods + "/j-worker-1").body;
  EXPECT_EQ(pod.text_at("spec.schedulerName"), "volcano");
  EXPECT_EQ(pod.at("metadata.annotations")->find("scheduling.k8s.io/group-name")->scalar_text(), "j-" + uid);
  EXPECT_EQ(pod.at("metadata.labels")->find("volcano.sh/task-spec")->scalar_text(), "worker");
  EXPECT_EQ(pod.at("metadata.labels")->find("volcano.sh/task-index")->scalar_text(), "1");
}

TEST_F(VolcanoJobsTest, AJobRunsAndIsCompleted) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 3, "", R"("sim.muster/run-seconds":"5")")));
  run();
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(job().integer_at("status.running"), 3);
  cluster_.pass(5);
  EXPECT_EQ(phase(), "Completed");
  EXPECT_EQ(job().integer_at("status.succeeded"), 3);
  EXPECT_EQ(job().integer_at("status.running").value_or(0), 0);
  EXPECT_EQ(cluster_.count("Succeeded"), 3) << "those that ended stay";
  EXPECT_TRUE(group().is_null()) << "the group is not needed any more";
}

TEST_F(VolcanoJobsTest, TooFewSuccessesAreAFailure) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 2, "", R"("sim.muster/run-seconds":"5","sim.muster/exit-code":"1")"),
                                            R"(,"minAvailable":1)"));
  run();
  cluster_.pass(5);
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(job().integer_at("status.failed"), 2);
}

TEST_F(VolcanoJobsTest, AnEvictedPodIsMadeAgain) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 2)));
  run();
  cluster_.remove(kPods + "/j-a-1");
  EXPECT_EQ(job().integer_at("status.terminating"), 1);
  cluster_.pass(1);
  EXPECT_EQ(cluster_.pods(), (std::vector<std::string>{"j-a-0", "j-a-1"}));
  EXPECT_EQ(phase(), "Pending") << "fewer run than must";
  run();
  EXPECT_EQ(phase(), "Running");
}

TEST_F(VolcanoJobsTest, AnEvictedPodRestartsTheJobIfThePolicySaysSo) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 2), policy("PodEvicted", "RestartJob")));
  run();
  const auto before = cluster_.get(kPods + "/j-a-0").text_at("metadata.uid");
  cluster_.remove(kPods + "/j-a-1");
  cluster_.pass(1);
  cluster_.pass(1);
  EXPECT_EQ(job().integer_at("status.retryCount"), 1);
  EXPECT_EQ(phase(), "Restarting");
  EXPECT_EQ(group().text_at("status.phase"), "") << "a new group, that has to be let in again";
  run();
  EXPECT_EQ(phase(), "Running");
  EXPECT_NE(cluster_.get(kPods + "/j-a-0").text_at("metadata.uid"), before);
}

TEST_F(VolcanoJobsTest, RestartsEndAtTheirLimit) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 1, "", R"("sim.muster/run-seconds":"1","sim.muster/exit-code":"9")"),
                                            policy("PodFailed", "RestartJob") + R"(,"maxRetry":2)"));
  for (int i = 0; i < 10; ++i) run();
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(job().integer_at("status.retryCount"), 2);
}

TEST_F(VolcanoJobsTest, ATaskThatIsDoneCompletesTheJobIfThePolicySaysSo) {
  cluster_.create(kVolcanoJobs,
                  volcano_job(task("master", 1, policy("TaskCompleted", "CompleteJob"), R"("sim.muster/run-seconds":"5")") + "," +
                              task("worker", 2)));
  run();
  EXPECT_EQ(phase(), "Running");
  cluster_.pass(5);
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Completed");
  EXPECT_EQ(cluster_.pods(), std::vector<std::string>{"j-master-0"});
}

TEST_F(VolcanoJobsTest, FailuresAbortOrTerminateByTheirPolicy) {
  cluster_.create(kVolcanoJobs,
                  volcano_job(task("a", 1, "", R"("sim.muster/run-seconds":"1","sim.muster/exit-code":"9")") + "," + task("b", 1),
                              R"(,"policies":[{"exitCode":9,"action":"AbortJob"}])"));
  run();
  cluster_.pass(1);
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Aborted");
  EXPECT_EQ(cluster_.count(), 1) << "the one that failed can be looked at";
  cluster_.create("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands",
                  R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":{"name":"c"},"action":"ResumeJob",)"
                  R"("target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":"u"}})");
  EXPECT_EQ(cluster_.get("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands/c").status, 404);
  EXPECT_EQ(phase(), "Pending");
  cluster_.create("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands",
                  R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":{"name":"c"},"action":"TerminateJob",)"
                  R"("target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":"u"}})");
  cluster_.pass(1);
  EXPECT_EQ(phase(), "Terminated");
}

TEST_F(VolcanoJobsTest, ATaskWaitsForThoseThatItDependsOn) {
  cluster_.create(kVolcanoJobs,
                  volcano_job(task("a", 1) + "," + task("b", 1, R"(,"dependsOn":{"name":["a"]})"), R"(,"minAvailable":1)"));
  cluster_.enqueue();
  EXPECT_EQ(cluster_.pods(), std::vector<std::string>{"j-a-0"});
  run();
  EXPECT_EQ(cluster_.pods(), (std::vector<std::string>{"j-a-0", "j-b-0"}));
}

TEST_F(VolcanoJobsTest, AJobCanGrowAndShrink) {
  cluster_.create(kVolcanoJobs, volcano_job(task("a", 2), R"(,"minAvailable":1)"));
  run();
  auto now = job();
  (*now.at("spec.tasks")->as_list()).front()["replicas"] = Tree(std::int64_t{3});
  EXPECT_EQ(cluster_.put(kVolcanoJobs + "/j", now.text()).status, 200);
  EXPECT_EQ(cluster_.count(), 3);
  now = job();
  (*now.at("spec.tasks")->as_list()).front()["replicas"] = Tree(std::int64_t{1});
  EXPECT_EQ(cluster_.put(kVolcanoJobs + "/j", now.text()).status, 200);
  cluster_.pass(1);
  EXPECT_EQ(cluster_.pods(), std::vector<std::string>{"j-a-0"});
  EXPECT_EQ(phase(), "Running");
}

TEST_F(VolcanoJobsTest, WhatTheGroupNeedsIsThatOfTheLeastThatMustRun) {
  auto tree = json(volcano_job(task("a", 3, R"(,"minAvailable":1)") + "," + task("b", 2), R"(,"minAvailable":4)"));
  default_volcano_job(tree);
  const auto made = volcano_job_group(VolcanoJob(tree), [](const std::string&) { return std::nullopt; });
  EXPECT_EQ(made.text_at("spec.minResources.cpu"), "4");
  EXPECT_EQ(made.text_at("spec.minResources.pods"), "4");
}

}  // namespace
}  // namespace muster::sim
