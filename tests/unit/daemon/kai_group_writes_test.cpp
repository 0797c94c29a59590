#include "daemon/kai_group_writes.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

constexpr Timestamp kNow{1'767'225'600, 0};
constexpr bool kOurs = true;
constexpr const char* kStart = "kai.scheduler/last-start-timestamp";

KaiPodGroup a_group(const std::string& uid = "u1") {
  KaiPodGroup group;
  group.meta.ns = "ns";
  group.meta.name = "g";
  group.meta.uid = uid;
  return group;
}
kai::Job a_job(const std::string& uid = "u1") {
  kai::Job job;
  job.ns = "ns";
  job.name = "g";
  job.uid = uid;
  return job;
}
KaiSchedulingCondition a_condition(const std::string& number, const std::string& message) {
  KaiSchedulingCondition condition;
  condition.type = "UnschedulableOnNodePool";
  condition.node_pool = "default";
  condition.reason = "Unschedulable";
  condition.status = "True";
  condition.transition_id = number;
  condition.message = message;
  condition.reasons = {{"OverLimit", "too much"}};
  condition.last_transition = kNow;
  return condition;
}
std::vector<Patch> patches(KaiGroupWrites& writes, const kai::Job& job, Timestamp now = kNow) {
  Effects effects;
  writes.write(job, {}, now, effects);
  return effects.patches;
}

TEST(KaiGroupWrites, WhatIsThereIsNotWritten) {
  KaiGroupWrites writes;
  auto group = a_group();
  group.meta.annotations.set(kStart, "2026-01-01T00:00:00Z");
  writes.complete(group, kOurs);
  auto job = a_job();
  job.written.last_start = kNow;
  EXPECT_TRUE(patches(writes, job).empty());
}

TEST(KaiGroupWrites, AConditionIsWrittenWhole) {
  KaiGroupWrites writes;
  auto group = a_group();
  writes.complete(group, kOurs);
  auto job = a_job();
  job.conditions = {a_condition("3", "no room")};
  const auto written = patches(writes, job);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].object.text(), "/apis/scheduling.run.ai/v2alpha2/namespaces/ns/podgroups/g/status");
  EXPECT_TRUE(written[0].can_wait);
  EXPECT_EQ(written[0].body,
            R"({"metadata":{"uid":"u1"},"status":{"schedulingConditions":[{"type":"UnschedulableOnNodePool","nodePool":"default",)"
            R"("status":"True","transitionID":"3","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Unschedulable",)"
            R"("message":"no room","reasons":[{"reason":"OverLimit","message":"too much"}]}]}})");
  job.conditions.clear();
  const auto cleared = patches(writes, job);
  ASSERT_EQ(cleared.size(), 1u);
  EXPECT_EQ(cleared[0].body, R"({"metadata":{"uid":"u1"},"status":{"schedulingConditions":[]}})");
}

TEST(KaiGroupWrites, OlderObjectsAreCompletedUntilOneShowsWhatWasWritten) {
  KaiGroupWrites writes;
  auto first = a_group();
  writes.complete(first, kOurs);
  auto job = a_job();
  job.written.last_start = kNow;
  job.conditions = {a_condition("1", "no room")};
  EXPECT_EQ(patches(writes, job).size(), 2u);
  EXPECT_TRUE(patches(writes, job).empty()) << "it was asked for already";
  auto older = a_group();
  writes.complete(older, kOurs);
  EXPECT_EQ(older.meta.annotations.get(kStart), "2026-01-01T00:00:00Z");
  ASSERT_EQ(older.conditions.size(), 1u);
  EXPECT_EQ(older.conditions[0].message, "no room");
  auto newer = older;
  writes.complete(newer, kOurs);
  auto later = a_group();  // somebody has taken it away
  writes.complete(later, kOurs);
  EXPECT_EQ(later.meta.annotations.get(kStart), "");
  EXPECT_TRUE(later.conditions.empty());
}

TEST(KaiGroupWrites, WhatDoesNotComeIsAskedForAgain) {
  KaiGroupWrites writes;
  auto group = a_group();
  writes.complete(group, kOurs);
  auto job = a_job();
  job.written.last_start = kNow;
  EXPECT_EQ(patches(writes, job).size(), 1u);
  EXPECT_TRUE(patches(writes, job, {kNow.seconds + 29, 0}).empty());
  EXPECT_EQ(patches(writes, job, {kNow.seconds + 31, 0}).size(), 1u);
  EXPECT_TRUE(patches(writes, job, {kNow.seconds + 32, 0}).empty());
}

TEST(KaiGroupWrites, AnotherGroupOfTheNameIsNotMeant) {
  KaiGroupWrites writes;
  auto group = a_group();
  writes.complete(group, kOurs);
  auto job = a_job();
  job.written.last_start = kNow;
  EXPECT_EQ(patches(writes, job).size(), 1u);
  auto other = a_group("u2");
  writes.complete(other, kOurs);
  EXPECT_EQ(other.meta.annotations.get(kStart), "");
  EXPECT_TRUE(patches(writes, job).empty());
}

TEST(KaiGroupWrites, WhatOthersDecideIsTheirs) {
  const auto asked = [] {
    KaiGroupWrites writes;
    auto group = a_group();
    writes.complete(group, kOurs);
    auto job = a_job();
    job.written.last_start = kNow;
    EXPECT_EQ(patches(writes, job).size(), 1u);
    return writes;
  };
  auto moved = asked();
  auto group = a_group();
  moved.complete(group, !kOurs);
  EXPECT_EQ(group.meta.annotations.get(kStart), "");
  auto standing_by = asked();
  standing_by.stand_back();
  standing_by.complete(group, kOurs);
  EXPECT_EQ(group.meta.annotations.get(kStart), "");
}

TEST(KaiGroupWrites, WhatIsGoneIsForgotten) {
  KaiGroupWrites writes;
  auto group = a_group();
  writes.complete(group, kOurs);
  writes.forget({"ns", "g", "u1", ""});
  auto job = a_job();
  job.written.last_start = kNow;
  EXPECT_TRUE(patches(writes, job).empty());
}

TEST(KaiGroupWrites, WhatWasNotWrittenIsAskedForAgainAtOnce) {
  KaiGroupWrites writes;
  auto group = a_group();
  writes.complete(group, kOurs);
  auto job = a_job();
  job.conditions = {a_condition("3", "no room")};
  ASSERT_EQ(patches(writes, job).size(), 1u);
  EXPECT_TRUE(patches(writes, job).empty());
  writes.on_not_written("ns", "g");
  EXPECT_EQ(patches(writes, job).size(), 1u);
}

}  // namespace
}  // namespace muster::daemon
