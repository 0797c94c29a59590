#include "daemon/job_lives.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

constexpr std::int64_t kStart = 1'767'225'600;  // 2026-01-01T00:00:00Z

const kube::ResourceKind& kind_of(std::string_view name, std::string_view group = {}) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name && (group.empty() || kind.group == group)) return kind;
  std::abort();
}

ObjectMeta named(const std::string& name, const std::string& uid, Timestamp created = {}) {
  ObjectMeta meta;
  meta.ns = "ns";
  meta.name = name;
  meta.uid = uid;
  meta.created = created;
  return meta;
}

class JobLivesTest : public testing::Test {
 protected:
  void SetUp() override { tell_known(0); }
  // All objects have been told.
  void tell_known(int second) {
    for (const auto* kind : {"Pod", "PodGroup"}) tell(second, {.kind = &kind_of(kind), .type = kube::ChangeType::kSynced});
  }
  // A gang ns/j of two pods, created at the start, whose phase and condition are told.
  void tell_group(int second, const std::string& phase, const std::string& condition = {}, const std::string& uid = "g") {
    PodGroup group;
    group.meta = named("j", uid, {kStart, 0});
    group.min_member = 2;
    group.queue = "q";
    group.phase = phase;
    if (!condition.empty()) {
      auto& said = group.conditions.emplace_back();
      said.type = "Unschedulable";
      said.status = "True";
      said.message = condition;
      said.last_transition = {kStart + 1, 0};
    }
    tell(second, {.kind = &kind_of("PodGroup"), .type = kube::ChangeType::kModified, .object = group});
  }
  void tell_pod(int second, const std::string& name, const std::string& phase, std::optional<int> started = {}) {
    Pod pod;
    pod.meta = named(name, "u-" + name);
    pod.meta.annotations.set("scheduling.k8s.io/group-name", "j");
    pod.status.phase = phase;
    if (started) pod.status.start_time = Timestamp{kStart + *started, 0};
    tell(second, {.kind = &kind_of("Pod"), .type = kube::ChangeType::kModified, .object = pod});
  }
  void remove(int second, const std::string& kind, const std::string& name) {
    tell(second, {.kind = &kind_of(kind), .type = kube::ChangeType::kDeleted, .id = {"ns", name, "u-" + name, ""}});
  }
  void tell(int second, const kube::Change& change) { lives_.on_change(change, {kStart + second, 0}); }
  void see(int second, JobState state, std::string_view code, const std::string& sentence) {
    JobOutlook job;
    job.name = "ns/j";
    job.state = state;
    job.sentence = sentence;
    lives_.on_seen(job, code, {kStart + second, 0});
  }
  // "SECOND kind: text" of each, the latest first.
  std::vector<std::string> told(const std::string& job = "ns/j") const {
    std::vector<std::string> out;
    for (const auto& event : lives_.events_of(job))
      out.push_back(std::to_string(event.time.seconds - kStart) + " " + event.kind + ": " + event.text);
    return out;
  }

  JobLives lives_{{.events = 8, .gone = 2}};
};

using Lines = std::vector<std::string>;

TEST_F(JobLivesTest, ALifeFromCreationToItsEnd) {
  tell_group(0, "");
  tell_pod(0, "a", "Pending");
  tell_pod(0, "b", "Pending");
  tell_group(1, "Pending");
  tell_group(2, "Inqueue");
  tell_group(3, "Inqueue", "2/2 tasks in gang unschedulable");
  tell_pod(5, "a", "Running");
  tell_pod(6, "b", "Running");
  tell_group(6, "Running", "2/2 tasks in gang unschedulable");
  tell_pod(8, "a", "Succeeded");
  tell_pod(9, "b", "Failed");
  remove(10, "Pod", "a");
  remove(10, "Pod", "b");
  remove(11, "PodGroup", "j");
  EXPECT_EQ(told(),
            (Lines{"11 deleted: deleted", "9 ended: all pods have ended: 1 succeeded, 1 failed",
                   "6 running: 2 pods run, and at least 2 have to", "3 waiting: waits: 2/2 tasks in gang unschedulable",
                   "2 let-in: let in: it may be given nodes", "1 waiting: waits to be let in", "0 created: created, in queue q"}));
  EXPECT_EQ(told("ns/other"), Lines());
}

TEST_F(JobLivesTest, AConditionIsToldAgainWhenMoreThanNumbersHaveChanged) {
  tell_group(1, "Inqueue");
  tell_group(2, "Inqueue", "3 nodes have no room");
  tell_group(3, "Inqueue", "41 nodes have no room");
  EXPECT_EQ(told().size(), 2u);
  tell_group(4, "Inqueue", "41 nodes are closed");
  EXPECT_EQ(told(), (Lines{"4 waiting: waits: 41 nodes are closed", "2 waiting: waits: 3 nodes have no room",
                           "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, WhatWasThereBeforeHasTheTimesThatItsObjectsTell) {
  lives_.begin_anew();
  tell_pod(100, "a", "Running", 40);
  tell_pod(100, "b", "Running", 30);
  tell_group(100, "Running", "no room");
  tell_known(100);
  EXPECT_EQ(told(), (Lines{"40 running: 2 pods run, and at least 2 have to", "1 waiting: waits: no room",
                           "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, AGangThatLosesAPodIsToldToHaveStoppedAndToRunAgain) {
  tell_group(1, "Inqueue");
  tell_pod(1, "a", "Running");
  tell_pod(2, "b", "Running");
  remove(3, "Pod", "b");
  tell_pod(4, "c", "Running");
  EXPECT_EQ(told(), (Lines{"4 running: 2 pods run, and at least 2 have to", "3 stopped: fewer pods run than the 2 that have to",
                           "2 running: 2 pods run, and at least 2 have to", "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, AnotherReasonIsToldWhenSomebodyLooks) {
  tell_group(1, "Inqueue");
  see(2, JobState::kWaiting, "no-node-fits", "no node fits");
  see(3, JobState::kWaiting, "no-node-fits", "no node fits still");
  see(4, JobState::kWaiting, "queue-full", "the queue is full");
  see(5, JobState::kRunning, "none", "");
  see(6, JobState::kWaiting, "queue-full", "the queue is full");
  EXPECT_EQ(told(), (Lines{"6 reason: waits: the queue is full", "4 reason: waits: the queue is full",
                           "2 reason: waits: no node fits", "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, HasBounds) {
  tell_group(0, "Inqueue");
  for (int i = 0; i < 100; ++i) see(i, JobState::kWaiting, std::to_string(i), std::string(1000, 'x') + std::to_string(i));
  EXPECT_EQ(told().size(), 9u) << "eight, and the creation";
  EXPECT_EQ(told().back(), "0 created: created, in queue q");
  EXPECT_LT(told().front().size(), 400u);
  remove(200, "PodGroup", "j");
  EXPECT_FALSE(told().empty()) << "also when it is gone";
  for (const auto* name : {"k", "l"}) {
    PodGroup group;
    group.meta = named(name, name);
    tell(201, {.kind = &kind_of("PodGroup"), .type = kube::ChangeType::kAdded, .object = group});
    remove(202, "PodGroup", name);
  }
  EXPECT_EQ(told(), Lines()) << "until two others are gone";
  EXPECT_EQ(told("ns/l"), Lines{"202 deleted: deleted"});
}

TEST_F(JobLivesTest, AJobOfTheSameNameIsAnother) {
  tell_group(1, "Pending");
  tell_group(2, "Inqueue");
  remove(3, "PodGroup", "j");
  tell_group(4, "", "", "another");
  EXPECT_EQ(told(), Lines{"0 created: created, in queue q"});
}

TEST_F(JobLivesTest, WhenEverythingIsToldAnewNothingIsToldTwice) {
  tell_group(1, "Inqueue");
  tell_pod(1, "a", "Running");
  tell_pod(2, "b", "Running");
  const auto before = told();
  lives_.begin_anew();
  tell_pod(10, "a", "Running", 1);
  tell_pod(10, "b", "Running", 2);
  tell_group(10, "Inqueue");
  tell_known(10);
  EXPECT_EQ(told(), before);
  lives_.begin_anew();
  tell_known(20);
  EXPECT_EQ(told().front(), "20 deleted: deleted") << "while nobody looked";
}

TEST_F(JobLivesTest, AJobIsNotOverBeforeAllOfItsPodsAreKnown) {
  lives_.begin_anew();
  tell_group(10, "Running");
  tell_pod(10, "a", "Succeeded", 1);
  tell_pod(10, "b", "Running", 2);
  tell_known(10);
  EXPECT_EQ(told(), (Lines{"2 running: 1 pod runs, and at least 2 have to", "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, WaitingAgainForTheSameReasonIsNews) {
  tell_group(1, "Inqueue", "no room");
  tell_pod(2, "a", "Running");
  tell_pod(2, "b", "Running");
  tell_group(2, "Running", "no room");  // Volcano leaves it there
  remove(3, "Pod", "b");
  tell_group(4, "Inqueue", "no room");
  EXPECT_EQ(told(), (Lines{"4 waiting: waits: no room", "4 let-in: let in: it may be given nodes",
                           "3 stopped: fewer pods run than the 2 that have to", "2 running: 2 pods run, and at least 2 have to",
                           "1 waiting: waits: no room", "0 created: created, in queue q"}));
}

TEST_F(JobLivesTest, KaisPodGroups) {
  KaiPodGroup group;
  group.meta = named("j", "g", {kStart, 0});
  group.min_member = 1;
  auto& said = group.conditions.emplace_back();
  said.type = "UnschedulableOnNodePool";
  said.status = "True";
  said.message = "no room";
  tell(1, {.kind = &kind_of("PodGroup", "scheduling.run.ai"), .type = kube::ChangeType::kAdded, .object = group});
  Pod pod;
  pod.meta = named("a", "u-a");
  pod.status.phase = "Running";
  tell(2, {.kind = &kind_of("Pod"), .type = kube::ChangeType::kAdded, .object = pod});
  EXPECT_EQ(told(), (Lines{"1 waiting: waits: no room", "0 created: created"})) << "nobody has said whose it is";
  pod.meta.annotations.set("pod-group-name", "j");
  tell(3, {.kind = &kind_of("Pod"), .type = kube::ChangeType::kModified, .object = pod});
  EXPECT_EQ(told().front(), "3 running: 1 pod runs");
}

}  // namespace
}  // namespace muster::daemon
