// batch/v1 Jobs in the embedded cluster.

#include "sim/controllers/jobs.h"

#include <gtest/gtest.h>

#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

class JobsTest : public testing::Test {
 protected:
  Tree job() { return cluster_.get(kJobs + "/j").body; }
  std::string counts() {
    const auto now = job();
    const auto number = [&](std::string_view path) { return std::to_string(now.integer_at(path).value_or(0)); };
    return number("status.active") + " " + number("status.succeeded") + " " + number("status.failed");
  }

  ControlledCluster cluster_;
};

TEST_F(JobsTest, AJobRunsItsPodsAndIsComplete) {
  cluster_.create(kJobs, job_text(R"("parallelism":2,"completions":3,)", R"("sim.muster/run-seconds":"10")"));
  EXPECT_EQ(counts(), "2 0 0");
  cluster_.schedule();
  cluster_.pass(1);
  EXPECT_EQ(job().integer_at("status.ready"), 2);
  cluster_.pass(10);
  EXPECT_EQ(counts(), "1 2 0");
  cluster_.schedule();
  cluster_.pass(1);
  cluster_.pass(10);
  EXPECT_EQ(counts(), "0 3 0");
  EXPECT_TRUE(has_condition(job(), "Complete"));
  EXPECT_FALSE(job().text_at("status.completionTime").empty());
  EXPECT_EQ(cluster_.count("Succeeded"), 3);
}

TEST_F(JobsTest, PodsThatFailAreReplacedAfterAWhileUntilThereWereTooMany) {
  cluster_.create(kJobs, job_text(R"("backoffLimit":1,)", R"("sim.muster/run-seconds":"1","sim.muster/exit-code":"3")"));
  cluster_.schedule();
  cluster_.pass(1);
  cluster_.pass(1);
  EXPECT_EQ(counts(), "0 0 1");
  cluster_.pass(9);
  EXPECT_EQ(counts(), "0 0 1") << "it waits ten seconds";
  cluster_.pass(1);
  EXPECT_EQ(counts(), "1 0 1");
  cluster_.schedule();
  cluster_.pass(1);
  cluster_.pass(1);
  EXPECT_EQ(counts(), "0 0 2");
  EXPECT_TRUE(has_condition(job(), "Failed"));
}

TEST_F(JobsTest, AnEvictedPodIsCountedOnceAndReplaced) {
  cluster_.create(kJobs, job_text(""));
  cluster_.schedule();
  cluster_.pass(1);
  cluster_.remove(kPods + "/" + cluster_.pods().front());
  EXPECT_EQ(counts(), "0 0 1");
  cluster_.pass(1);
  EXPECT_EQ(cluster_.list(kPods).size(), 0) << "nobody holds it";
  cluster_.pass(10);
  EXPECT_EQ(counts(), "1 0 1");
}

TEST_F(JobsTest, IndexesAreEachDoneOnce) {
  cluster_.create(kJobs, job_text(R"("parallelism":2,"completions":3,"completionMode":"Indexed",)"));
  EXPECT_EQ(cluster_.pods()[0].substr(0, 4), "j-0-");
  EXPECT_EQ(cluster_.pods()[1].substr(0, 4), "j-1-");
  cluster_.end_pod(cluster_.pods()[1], "Succeeded");
  EXPECT_EQ(job().text_at("status.completedIndexes"), "1");
  EXPECT_EQ(cluster_.pods().back().substr(0, 4), "j-2-");
  for (const auto& pod : cluster_.pods("Pending")) cluster_.end_pod(pod, "Succeeded");
  EXPECT_EQ(job().text_at("status.completedIndexes"), "0-2");
  EXPECT_TRUE(has_condition(job(), "Complete"));
}

TEST_F(JobsTest, IndexesAreWrittenShort) {
  EXPECT_EQ(indexes_text({0, 1, 2, 4, 6, 7}), "0-2,4,6,7");
  EXPECT_EQ(parse_indexes("0-2,4,6,7"), (std::set<std::int64_t>{0, 1, 2, 4, 6, 7}));
  EXPECT_EQ(parse_indexes(""), std::set<std::int64_t>());
}

TEST_F(JobsTest, ASuspendedJobHasNoPodsAndLosesNothing) {
  cluster_.create(kJobs, job_text(R"("suspend":true,"parallelism":2,"completions":2,)"));
  EXPECT_EQ(cluster_.count(), 0);
  EXPECT_TRUE(has_condition(job(), "Suspended"));
  cluster_.merge(kJobs + "/j", R"({"spec":{"suspend":false}})");
  EXPECT_EQ(counts(), "2 0 0");
  cluster_.merge(kJobs + "/j", R"({"spec":{"suspend":true}})");
  EXPECT_EQ(counts(), "0 0 0") << "pods that are taken away have not failed";
}

TEST_F(JobsTest, ADeadlineEndsAJob) {
  cluster_.create(kJobs, job_text(R"("activeDeadlineSeconds":30,)"));
  cluster_.pass(29);
  EXPECT_EQ(counts(), "1 0 0");
  cluster_.pass(1);
  EXPECT_TRUE(has_condition(job(), "Failed"));
  EXPECT_EQ(cluster_.count(), 0);
}

TEST_F(JobsTest, AFinishedJobGoesAfterItsTime) {
  cluster_.create(kJobs, job_text(R"("ttlSecondsAfterFinished":60,)"));
  cluster_.end_pod(cluster_.pods().front(), "Succeeded");
  cluster_.pass(59);
  EXPECT_EQ(cluster_.get(kJobs + "/j").status, 200);
  cluster_.pass(1);
  EXPECT_EQ(cluster_.get(kJobs + "/j").status, 404);
  cluster_.pass(1);
  EXPECT_EQ(cluster_.list(kPods).size(), 0);
}

TEST_F(JobsTest, PodsGoWithTheirJob) {
  cluster_.create(kJobs, job_text(R"("parallelism":3,"completions":3,)"));
  EXPECT_EQ(cluster_.count(), 3);
  cluster_.remove(kJobs + "/j", R"({"propagationPolicy":"Background"})");
  cluster_.pass(1);
  EXPECT_EQ(cluster_.list(kPods).size(), 0);
}

TEST_F(JobsTest, WhatTheServerRefusesIsSaidAndTriedAgain) {
  cluster_.create(kJobs, job_text("", "", R"(,"priorityClassName":"none")"));
  EXPECT_EQ(cluster_.count(), 0);
  const auto events = cluster_.list("/api/v1/namespaces/default/events");
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events.front().text_at("reason"), "FailedCreate");
  cluster_.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                  R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"none"},"value":5})");
  cluster_.pass(10);
  EXPECT_EQ(cluster_.count(), 1);
}

TEST_F(JobsTest, ARunTimeThatIsNoneIsSaid) {
  cluster_.create(kJobs, job_text("", R"("sim.muster/run-seconds":"2m..soon")"));
  EXPECT_EQ(cluster_.count(), 0);
  const auto events = cluster_.list("/api/v1/namespaces/default/events");
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events.front().text_at("reason"), "FailedCreate");
  EXPECT_NE(events.front().text_at("message").find("sim.muster/run-seconds"), std::string_view::npos);
}

}  // namespace
}  // namespace muster::sim
