#include "daemon/write_queue.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

using kube::WriteOutcome;
using namespace std::chrono_literals;

kube::Identity pod(const std::string& name) { return {"ns", name, "uid-" + name, ""}; }
Bind a_bind(const std::string& name) { return {pod(name), "n1", {}, "ns/g"}; }
Patch condition(const std::string& name, const std::string& body) {
  return {{.api_version = "v1", .plural = "pods", .ns = "ns", .name = name, .subresource = "status"},
          kube::PatchType::kStrategic,
          body};
}

class WriteQueueTest : public testing::Test {
 protected:
  WriteQueue& queue(WriteSettings settings = {}) {
    WriteQueue::Callbacks callbacks;
    callbacks.may_write = [this] { return may_write_; };
    callbacks.may_evict = [this] { return may_evict_; };
    callbacks.on_report = [this](WriteReport report) { reports_.push_back(std::move(report)); };
    callbacks.on_outcome = [this](std::string_view kind, std::string_view, kube::WriteOutcome, const Decided& by) {
      answered_.push_back(std::string(kind) + " " + std::to_string(by.cycle) + " " + by.action);
    };
    callbacks.on_blocked = [this](const Evict& evict, const std::string& answer) {
      blocked_.push_back(evict.pod.name + " " + answer);
    };
    callbacks.on_problem = [this](std::string problem, const Decided& of) {
      problems_.push_back(std::move(problem));
      cycles_of_problems_.push_back(of.cycle);
    };
    callbacks.on_first_bind = [this](kube::Duration waited) { first_binds_.push_back(waited); };
    queue_ = std::make_unique<WriteQueue>(loop_, std::move(settings), [] { return 0.0; }, std::move(callbacks));
    return *queue_;
  }
  void submit(Effects effects) {
    queue_->submit(std::move(effects));
    loop_.run_posted();
    loop_.run_posted();  // the writer posts, too
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const auto& [id, call] : loop_.calls) out.push_back(call.request.path);
    return out;
  }
  void answer_first(int status, const std::string& body = "{}") {
    loop_.answer(loop_.calls.begin()->first, status, body);
    loop_.run_posted();
  }
  // 0: no answer comes.
  void fail_first(int status) {
    if (status != 0) return answer_first(status);
    loop_.end(loop_.calls.begin()->first, "the connection broke");
    loop_.run_posted();
  }

  kube::FakeLoop loop_;
  bool may_write_ = true;
  bool may_evict_ = true;
  std::vector<WriteReport> reports_;
  std::vector<std::string> problems_;
  std::vector<std::uint64_t> cycles_of_problems_;
  std::vector<std::string> answered_;
  std::vector<std::string> blocked_;
  std::vector<kube::Duration> first_binds_;
  std::unique_ptr<WriteQueue> queue_;
};

TEST_F(WriteQueueTest, TheFirstBindOfAGangIsMeasuredWhenItIsSent) {
  queue({.most_in_flight = 1});
  Effects effects;
  for (const auto* name : {"a", "b", "c"}) effects.binds.push_back(a_bind(name));
  effects.complete = {{"uid-a", loop_.clock().now()}, {"uid-c", loop_.clock().now()}};
  submit(std::move(effects));
  EXPECT_EQ(first_binds_, std::vector<kube::Duration>{0ms});
  loop_.advance(7ms);
  answer_first(201);
  EXPECT_EQ(first_binds_.size(), 1u) << "b is not the first of its gang";
  answer_first(201);
  EXPECT_EQ(first_binds_, (std::vector<kube::Duration>{0ms, 7ms}));
}

TEST_F(WriteQueueTest, BindsGoFirstAndEventsLast) {
  queue({.most_in_flight = 1});
  Effects effects;
  effects.events.push_back({.about = pod("a"), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
  effects.patches.push_back(condition("b", "{}"));
  effects.evictions.push_back({pod("c"), "ns/g"});
  effects.binds.push_back(a_bind("a"));
  submit(std::move(effects));
  const std::vector<std::string> order = {"/api/v1/namespaces/ns/pods/a/binding", "/api/v1/namespaces/ns/pods/c/eviction",
                                          "/api/v1/namespaces/ns/pods/b/status", "/apis/events.k8s.io/v1/namespaces/ns/events"};
  for (const auto& path : order) {
    ASSERT_EQ(paths(), std::vector<std::string>{path});
    answer_first(201);
  }
  EXPECT_TRUE(loop_.calls.empty());
  ASSERT_EQ(reports_.size(), 2u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kBound);
  EXPECT_EQ(reports_[1].result.outcome, WriteOutcome::kEvicted);
  EXPECT_EQ(queue_->counts().sent, 3u);
  EXPECT_EQ(queue_->counts().events_sent, 1u);
}

TEST_F(WriteQueueTest, WritesToOneObjectFollowEachOther) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a"), a_bind("b")};
  effects.evictions = {{pod("a"), ""}};
  submit(std::move(effects));
  EXPECT_EQ(paths(), (std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/binding", "/api/v1/namespaces/ns/pods/b/binding"}));
  answer_first(201);
  EXPECT_EQ(paths(), (std::vector<std::string>{"/api/v1/namespaces/ns/pods/b/binding", "/api/v1/namespaces/ns/pods/a/eviction"}));
}

TEST_F(WriteQueueTest, StepsBeforeABindAreReportedAndRepeatedOnlyWhenTheyMaySucceed) {
  queue();
  Effects effects;
  effects.steps.push_back({ClaimStep::Kind::kNode,
                           pod("a"),
                           "persistentvolumeclaims/ns/c",
                           {.api_version = "v1", .plural = "persistentvolumeclaims", .ns = "ns", .name = "c"},
                           kube::PatchType::kMerge,
                           "{}"});
  submit(std::move(effects));
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/persistentvolumeclaims/c"});
  answer_first(500);
  EXPECT_TRUE(reports_.empty());
  loop_.advance(1s);
  loop_.run_posted();
  ASSERT_EQ(paths().size(), 1u) << "again";
  answer_first(409);
  ASSERT_EQ(reports_.size(), 1u) << "somebody else has changed the claim";
  EXPECT_EQ(std::get<ClaimStep>(reports_[0].write).claim, "persistentvolumeclaims/ns/c");
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kConflict);
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(WriteQueueTest, OnlyTheLatestPatchIsSent) {
  queue({.most_in_flight = 1});
  Effects first;
  first.binds = {a_bind("x")};
  first.patches = {condition("a", "1"), condition("b", "2")};
  submit(std::move(first));
  Effects second;
  second.patches = {condition("a", "3")};
  submit(std::move(second));
  answer_first(201);
  EXPECT_EQ(loop_.request(loop_.only()).body, "3");
  EXPECT_EQ(loop_.request(loop_.only()).content_type, "application/strategic-merge-patch+json");
  answer_first(200);
  EXPECT_EQ(loop_.request(loop_.only()).body, "2");
}

TEST_F(WriteQueueTest, ABindMakesWhatWasSaidOfAWaitingPodObsolete) {
  queue({.most_in_flight = 1});
  Effects first;
  first.binds = {a_bind("x")};
  first.patches = {condition("a", "waits")};
  submit(std::move(first));
  Effects second;
  second.binds = {a_bind("a")};
  submit(std::move(second));
  answer_first(201);
  answer_first(201);
  EXPECT_TRUE(loop_.calls.empty());
  EXPECT_EQ(reports_.size(), 2u);
}

TEST_F(WriteQueueTest, PartsOfAnObjectAreWrittenEachOnItsOwn) {
  queue({.most_in_flight = 1});
  const auto annotation = [](const std::string& body) {
    return Patch{
        {.api_version = "v1", .plural = "pods", .ns = "ns", .name = "a", .subresource = ""}, kube::PatchType::kMerge, body};
  };
  Effects first;
  first.binds = {a_bind("x")};
  first.patches = {condition("a", "1"), annotation("2"), condition("a", "3")};
  submit(std::move(first));
  Effects second;
  second.binds = {a_bind("a")};  // with it, the condition is over; the annotation is not
  submit(std::move(second));
  answer_first(201);
  answer_first(201);
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a"});
  EXPECT_EQ(loop_.request(loop_.only()).body, "2");
  answer_first(200);
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(WriteQueueTest, FailingTogetherIsFailingOnce) {
  queue({.most_attempts = 3, .backoff = {.first = 100ms, .most = 10s, .jitter = 0}});
  Effects effects;
  for (int i = 0; i < 20; ++i) effects.patches.push_back(condition("p" + std::to_string(i), "1"));
  submit(std::move(effects));
  ASSERT_EQ(loop_.calls.size(), 20u);
  for (int i = 0; i < 20; ++i) answer_first(500);
  loop_.advance(100ms);
  loop_.run_posted();
  EXPECT_EQ(loop_.calls.size(), 20u) << "after the first pause, not after the twentieth";
}

TEST_F(WriteQueueTest, ABusyServerGetsItsTime) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a")};
  submit(std::move(effects));
  loop_.answer(loop_.only(), 429, "", "2");
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(1900ms);
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(200ms);
  loop_.run_posted();
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/binding"});
  EXPECT_TRUE(reports_.empty());
}

TEST_F(WriteQueueTest, AFailedBindIsReportedNotRepeated) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a")};
  submit(std::move(effects));
  answer_first(500);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kServerFault);
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(WriteQueueTest, APatchIsRepeatedUntilPatienceEnds) {
  queue({.most_attempts = 3});
  Effects effects;
  effects.patches = {condition("a", "1")};
  submit(std::move(effects));
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_EQ(loop_.calls.size(), 1u) << attempt;
    answer_first(500);
    loop_.advance(20s);
    loop_.run_posted();
  }
  EXPECT_TRUE(loop_.calls.empty());
  EXPECT_EQ(problems_.size(), 2u);
}

TEST_F(WriteQueueTest, AnEvictionThatABudgetBlocksIsTriedAgainLater) {
  queue({.most_evictions = 2});
  Effects effects;
  effects.evictions = {{pod("a"), ""}};
  submit(std::move(effects));
  const std::string blocked = R"({"kind":"Status","code":429,"details":{"causes":[{"reason":"DisruptionBudget"}]}})";
  answer_first(429, blocked);
  EXPECT_TRUE(reports_.empty());
  loop_.advance(5s);
  loop_.run_posted();
  answer_first(429, blocked);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kBlockedByBudget);
}

// A webhook, a right that we lack, a fault of the server's own: to decide anew would only be to ask again at once.
TEST_F(WriteQueueTest, AnEvictionThatIsRefusedComesAgainLaterEachTime) {
  for (const int status : {403, 409, 422, 500, 503}) {
    queue({.most_refused_evictions = 4});
    reports_.clear();
    blocked_.clear();
    Effects effects;
    effects.evictions = {{pod("a"), ""}};
    effects.binds = {a_bind("b")};
    submit(std::move(effects));
    answer_first(201);
    for (const auto pause : {1s, 2s, 4s}) {
      answer_first(status, R"({"kind":"Status","message":"no"})");
      EXPECT_TRUE(reports_.size() == 1) << status << ": the bind alone";
      loop_.advance(pause - 1ms);
      loop_.run_posted();
      EXPECT_TRUE(loop_.calls.empty()) << status;
      loop_.advance(1ms);
      loop_.run_posted();
      ASSERT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/eviction"}) << status;
    }
    answer_first(status, R"({"kind":"Status","message":"no"})");
    ASSERT_EQ(reports_.size(), 2u) << status << ": given up";
    EXPECT_TRUE(std::holds_alternative<Evict>(reports_[1].write));
    const auto told = "a " + std::to_string(status) + ": no";
    EXPECT_EQ(blocked_, status == 503 ? std::vector<std::string>() : std::vector<std::string>(4, told))
        << "a server that is starting has said nothing of the pod";
    loop_.advance(10min);
    EXPECT_TRUE(loop_.calls.empty());
  }
}

TEST_F(WriteQueueTest, PausesOfRefusedEvictionsAreBounded) {
  queue({.most_refused_evictions = 100, .refused = {.first = 1s, .most = 30s, .jitter = 0}});
  Effects effects;
  effects.evictions = {{pod("a"), ""}};
  submit(std::move(effects));
  for (int attempt = 1; attempt < 100; ++attempt) {
    answer_first(403);
    loop_.advance(30s);
    loop_.run_posted();
    ASSERT_EQ(loop_.calls.size(), 1u) << attempt;
  }
}

TEST_F(WriteQueueTest, ADeletionInsteadOfAnEvictionThatIsRefusedComesAgainLater) {
  queue({.evict_by_delete = true});
  Effects effects;
  effects.evictions = {{pod("a"), ""}};
  submit(std::move(effects));
  answer_first(403);
  EXPECT_TRUE(reports_.empty());
  loop_.advance(1s);
  loop_.run_posted();
  answer_first(200);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kDone);
}

TEST_F(WriteQueueTest, NothingIsSentWithoutTheLease) {
  queue();
  may_write_ = false;
  Effects effects;
  effects.binds = {a_bind("a")};
  effects.patches = {condition("b", "1")};
  submit(std::move(effects));
  EXPECT_TRUE(loop_.sent.empty());
  ASSERT_EQ(reports_.size(), 2u);
  for (const auto& report : reports_) {
    EXPECT_EQ(report.result.outcome, WriteOutcome::kUnknown);
    EXPECT_FALSE(report.result.was_sent);
  }
}

TEST_F(WriteQueueTest, NoMoreThanAllowedPerSecond) {
  queue({.most_in_flight = 100, .per_second = 10, .burst = 2});
  Effects effects;
  for (int i = 0; i < 5; ++i) effects.binds.push_back(a_bind("p" + std::to_string(i)));
  submit(std::move(effects));
  EXPECT_EQ(loop_.sent.size(), 2u);
  loop_.advance(100ms);
  loop_.run_posted();
  EXPECT_EQ(loop_.sent.size(), 3u);
  loop_.advance(1s);
  loop_.run_posted();
  EXPECT_EQ(loop_.sent.size(), 5u);
}

TEST_F(WriteQueueTest, StoppingWaitsForAnswers) {
  queue({.most_in_flight = 1});
  Effects effects;
  effects.binds = {a_bind("a"), a_bind("b")};
  submit(std::move(effects));
  bool idle = false;
  queue_->stop([&] { idle = true; });
  EXPECT_FALSE(idle);
  answer_first(201);
  EXPECT_TRUE(idle);
  EXPECT_EQ(loop_.sent.size(), 1u);
}

TEST_F(WriteQueueTest, OfTooManyEventsTheOldestAreDropped) {
  queue({.most_in_flight = 1, .most_events = 2});
  Effects effects;
  effects.binds = {a_bind("a")};
  for (int i = 0; i < 5; ++i)
    effects.events.push_back({.about = pod(std::to_string(i)), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
  submit(std::move(effects));
  EXPECT_EQ(queue_->counts().events_dropped, 3u);
}

// They are many, and nobody waits for them.
TEST_F(WriteQueueTest, WhatEventsMayTakePerSecondKeepsNobodyElseWaiting) {
  queue({.events_per_second = 2});
  Effects effects;
  for (int i = 0; i < 3; ++i)
    effects.events.push_back({.about = pod(std::to_string(i)), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
  submit(std::move(effects));
  ASSERT_EQ(loop_.calls.size(), 2u);
  for (int i = 0; i < 2; ++i) answer_first(201);
  EXPECT_TRUE(loop_.calls.empty()) << "that is enough for now";
  Effects more;
  more.binds = {a_bind("a")};
  more.patches = {condition("b", "1")};
  submit(std::move(more));
  EXPECT_EQ(loop_.calls.size(), 2u) << "at once";
  for (int i = 0; i < 2; ++i) answer_first(201);
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(500ms);
  loop_.run_posted();
  EXPECT_EQ(paths(), std::vector<std::string>{"/apis/events.k8s.io/v1/namespaces/ns/events"});
}

Bind an_order(const std::string& name) {
  auto bind = a_bind(name);
  bind.order = Create{{.api_version = "scheduling.run.ai/v1alpha2", .plural = "bindrequests", .ns = "ns"}, name, "body-" + name};
  return bind;
}
Delete a_deletion(const std::string& name) {
  return {{.api_version = "scheduling.run.ai/v1alpha2", .plural = "bindrequests", .ns = "ns", .name = name}, "r-" + name};
}

TEST_F(WriteQueueTest, ABindMayBeAnOrderToOthers) {
  queue();
  Effects effects;
  effects.binds = {an_order("a")};
  submit(std::move(effects));
  EXPECT_EQ(paths(), std::vector<std::string>{"/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests"});
  EXPECT_EQ(loop_.request(loop_.only()).body, "body-a");
  answer_first(201);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kDone);
}

TEST_F(WriteQueueTest, WhatIsInTheWayOfAnOrderGoesFirst) {
  queue();
  Effects effects;
  effects.binds = {an_order("a"), an_order("b")};
  effects.deletions = {a_deletion("a")};
  submit(std::move(effects));
  EXPECT_EQ(paths(), (std::vector<std::string>{"/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests/a",
                                               "/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests"}));
  answer_first(200);
  EXPECT_EQ(loop_.calls.size(), 2u) << "then the new one";
}

TEST_F(WriteQueueTest, AnEvictionIsAnnouncedFirst) {
  queue();
  Effects effects;
  effects.evictions.push_back({pod("a"), "", condition("a", "announced")});
  submit(std::move(effects));
  EXPECT_EQ(loop_.request(loop_.only()).body, "announced");
  answer_first(200);
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/eviction"});
}

TEST_F(WriteQueueTest, ADeletionThatComesAgainIsNotOvertaken) {
  for (const int status : {429, 0}) {
    queue();
    Effects effects;
    effects.binds = {an_order("a")};
    effects.deletions = {a_deletion("a")};
    submit(std::move(effects));
    const std::vector<std::string> deletion = {"/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests/a"};
    EXPECT_EQ(paths(), deletion);
    fail_first(status);
    EXPECT_TRUE(loop_.calls.empty());
    loop_.advance(20s);
    EXPECT_EQ(paths(), deletion) << status;
    answer_first(200);
    EXPECT_EQ(paths(), std::vector<std::string>{"/apis/scheduling.run.ai/v1alpha2/namespaces/ns/bindrequests"});
    answer_first(201);
    EXPECT_TRUE(loop_.calls.empty());
  }
}

TEST_F(WriteQueueTest, AnAnnouncementThatComesAgainIsNotOvertakenByItsEviction) {
  for (const int status : {429, 500, 0}) {
    queue();
    Effects effects;
    effects.evictions.push_back({pod("a"), "", condition("a", "announced")});
    submit(std::move(effects));
    fail_first(status);
    EXPECT_TRUE(loop_.calls.empty());
    loop_.advance(20s);
    EXPECT_EQ(loop_.request(loop_.only()).body, "announced") << status;
    answer_first(200);
    EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/eviction"});
    answer_first(201);
  }
}

// It does not serve the kind yet: the object is there all the same.
TEST_F(WriteQueueTest, AStatusThatAServerDoesNotServeYetIsWrittenAgain) {
  queue();
  Effects effects;
  effects.patches = {condition("a", "status")};
  submit(std::move(effects));
  answer_first(404, "404 page not found");
  loop_.advance(20s);
  EXPECT_EQ(loop_.request(loop_.only()).body, "status");
  answer_first(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"no such pod"})");
  loop_.advance(20s);
  EXPECT_TRUE(loop_.calls.empty()) << "it has gone";
}

TEST_F(WriteQueueTest, AnAnnouncementThatIsNotWantedDoesNotKeepTheEvictionBack) {
  queue();
  Effects effects;
  effects.evictions.push_back({pod("a"), "", condition("a", "announced")});
  submit(std::move(effects));
  answer_first(422);
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/eviction"});
}

TEST_F(WriteQueueTest, ADeletionOfWhatIsAnotherObjectByNowIsOver) {
  queue();
  Effects effects;
  effects.deletions = {a_deletion("a")};
  submit(std::move(effects));
  answer_first(409, R"({"kind":"Status","code":409,"reason":"Conflict",)"
                    R"("message":"Precondition failed: UID in precondition: a, UID in object meta: b"})");
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kGone);
}

TEST_F(WriteQueueTest, AnEvictionThatWaitsKeepsNoEventsBack) {
  const std::string budget = R"({"kind":"Status","code":429,"details":{"causes":[{"reason":"DisruptionBudget"}]}})";
  for (const auto& [status, body] : {std::pair{429, budget}, std::pair{403, std::string("{}")}}) {
    queue();
    Effects effects;
    effects.evictions = {{pod("a"), ""}};
    effects.events.push_back({.about = pod("b"), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
    effects.patches = {condition("a", "behind it")};
    submit(std::move(effects));
    answer_first(status, body);
    EXPECT_EQ(paths(), std::vector<std::string>{"/apis/events.k8s.io/v1/namespaces/ns/events"}) << status;
    answer_first(201);
    loop_.advance(5s);
    loop_.run_posted();
    answer_first(201);
    EXPECT_EQ(loop_.request(loop_.only()).body, "behind it");
    answer_first(200);
  }
}

// KubeVirt's webhook answers like that, and may go on doing so for long.
TEST_F(WriteQueueTest, A429OfAWebhookIsAboutItsWriteAlone) {
  const auto* denied = R"({"kind":"Status","code":429,"message":"admission webhook \"w\" denied the request: it moves by itself"})";
  queue({.most_in_flight = 1});
  Effects effects;
  effects.binds = {a_bind("a"), a_bind("b")};
  effects.evictions = {{pod("c"), ""}, {pod("d"), ""}};
  effects.patches = {condition("e", "1"), condition("f", "2")};
  effects.events.push_back({.about = pod("g"), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
  submit(std::move(effects));
  answer_first(429, denied);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kDenied);
  answer_first(201);
  answer_first(429, denied);
  EXPECT_EQ(reports_.size(), 2u) << "it comes again";
  answer_first(201);
  answer_first(429, denied);
  EXPECT_EQ(problems_.size(), 1u);
  answer_first(200);
  EXPECT_EQ(paths(), std::vector<std::string>{"/apis/events.k8s.io/v1/namespaces/ns/events"}) << "and no time has passed";
  answer_first(429, denied);
  EXPECT_EQ(problems_.size(), 2u) << "events are refused";
}

// It may think otherwise when it has heard of something else.
TEST_F(WriteQueueTest, APatchThatAWebhookDeniesComesAgainLaterEachTimeAndIsReportedAtLast) {
  for (const int status : {400, 403, 422, 429}) {
    queue({.most_attempts = 3});
    reports_.clear();
    problems_.clear();
    Effects effects;
    effects.patches = {condition("a", "1")};
    submit(std::move(effects));
    const auto denied =
        R"({"kind":"Status","code":)" + std::to_string(status) + R"(,"message":"admission webhook \"w\" denied the request: no"})";
    for (const auto pause : {1s, 2s}) {
      answer_first(status, denied);
      EXPECT_EQ(problems_.size(), 1u) << "once, at once";
      loop_.advance(pause - 1ms);
      EXPECT_TRUE(loop_.calls.empty()) << status;
      loop_.advance(1ms);
      loop_.run_posted();
      ASSERT_EQ(loop_.calls.size(), 1u) << status;
    }
    answer_first(status, denied);
    loop_.advance(10min);
    EXPECT_TRUE(loop_.calls.empty());
    ASSERT_EQ(reports_.size(), 1u) << status;
    EXPECT_TRUE(std::holds_alternative<Patch>(reports_[0].write));
  }
}

TEST_F(WriteQueueTest, AnAnnouncementThatAWebhookDeniesDoesNotKeepTheEvictionBack) {
  queue();
  Effects effects;
  effects.evictions.push_back({pod("a"), "", condition("a", "announced")});
  submit(std::move(effects));
  answer_first(403, R"({"kind":"Status","message":"admission webhook \"w\" denied the request: no"})");
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/eviction"});
}

TEST_F(WriteQueueTest, WhatABusyServerPutsOffIsGivenUpAtLast) {
  queue({.most_unanswered = 3});
  Effects effects;
  effects.binds = {a_bind("a")};
  effects.evictions = {{pod("b"), ""}};
  effects.patches = {condition("c", "1")};
  effects.deletions = {a_deletion("d")};
  submit(std::move(effects));
  for (int attempt = 0; attempt < 3; ++attempt) {
    ASSERT_EQ(loop_.calls.size(), 4u) << attempt;
    EXPECT_TRUE(reports_.empty());
    for (int i = 0; i < 4; ++i) answer_first(429, "Too many requests, please try again later.");
    loop_.advance(20s);
    loop_.run_posted();
  }
  EXPECT_TRUE(loop_.calls.empty());
  ASSERT_EQ(reports_.size(), 4u);
  for (const auto& report : reports_) EXPECT_EQ(report.result.outcome, WriteOutcome::kThrottled);
  EXPECT_EQ(problems_.size(), 1u) << "of the patch: of the others whoever gets the report tells";
}

class WriteQueueEvents : public WriteQueueTest {
 protected:
  static Event an_event(const std::string& note, bool can_wait = true) {
    return {.about = pod("a"), .type = "Warning", .reason = "Unschedulable", .action = "a", .note = note, .can_wait = can_wait};
  }
  void tell(Event event) {
    Effects effects;
    effects.events = {std::move(event)};
    effects.term = queue_->term();
    submit(std::move(effects));
  }
  // What was sent since this was last asked, when what can wait has waited.
  std::string said() {
    loop_.advance(2s);
    std::string notes;
    for (; !loop_.calls.empty(); answer_first(201)) {
      const auto& body = loop_.calls.begin()->second.request.body;
      const auto at = body.find(R"("note":")") + 8;
      notes += body.substr(at, body.find('"', at) - at) + "; ";
    }
    return notes;
  }
};

TEST_F(WriteQueueEvents, AreSaidOnceUntilTheyChange) {
  for (const bool can_wait : {false, true}) {
    queue();
    for (const auto* note : {"no room", "no room", "0/3 nodes", "0/4 nodes", "no room"}) {
      tell(an_event(note, can_wait));
      loop_.advance(2s);
    }
    EXPECT_EQ(said(), "no room; 0/3 nodes; no room; ");
  }
}

TEST_F(WriteQueueEvents, ThatComeOnceAreSaidWhateverWasSaidBefore) {
  queue();
  for (const auto* note : {"f:1:2: bad", "f:3:4: bad", "f:3:4: bad"}) {
    auto event = an_event(note, false);
    event.is_news = true;
    tell(event);
  }
  EXPECT_EQ(said(), "f:1:2: bad; f:3:4: bad; f:3:4: bad; ");
}

TEST_F(WriteQueueEvents, WhatWasReplacedBeforeItWasSaidIsNoNews) {
  queue();
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ");
  tell(an_event("no quota"));
  tell(an_event("no room"));
  EXPECT_EQ(said(), "") << "nothing has been said between";
  tell(an_event("no quota"));
  EXPECT_EQ(said(), "no quota; ");
}

// As when the pod is bound and comes to wait again.
TEST_F(WriteQueueEvents, WhatWasDroppedWhileItWaitedIsStillNews) {
  queue();
  tell(an_event("no room"));
  Effects bound;
  bound.binds = {a_bind("a")};
  submit(std::move(bound));
  answer_first(500);
  EXPECT_EQ(said(), "");
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ");
}

// What is said in every cycle must not keep what waits from ever being said.
TEST_F(WriteQueueEvents, WhatIsNoNewsMakesNothingObsolete) {
  queue();
  auto stale = an_event("stale", false);
  stale.reason = "StaleJob";
  tell(stale);
  EXPECT_EQ(said(), "stale; ");
  tell(an_event("no room"));
  tell(stale);
  EXPECT_EQ(said(), "no room; ");
}

TEST_F(WriteQueueEvents, AreSaidAgainOfANewObjectAndInANewTerm) {
  queue();
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ");
  Effects gone;
  gone.gone = {pod("a").uid};
  submit(std::move(gone));
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ");
  queue_->drop_unsent();
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ") << "somebody else may have said otherwise";
}

// Only what was said counts as said.
TEST_F(WriteQueueEvents, WhatDidNotReachTheServerMayBeSaidAgain) {
  const std::tuple<int, const char*, bool> answers[] = {{0, "", true},        {500, "{}", true},  {503, "{}", true},
                                                        {429, "later", true}, {201, "{}", false}, {403, "{}", false}};
  for (const auto& [status, body, comes_again] : answers) {
    queue();
    tell(an_event("no room", false));
    ASSERT_EQ(loop_.calls.size(), 1u) << status;
    status == 0 ? fail_first(0) : answer_first(status, body);
    loop_.advance(20s);
    EXPECT_TRUE(loop_.calls.empty()) << "not by itself";
    tell(an_event("no room", false));
    EXPECT_EQ(said(), comes_again ? "no room; " : "") << status;
  }
}

TEST_F(WriteQueueEvents, WhatMadeRoomForOthersMayBeSaidAgain) {
  queue({.most_in_flight = 1, .most_events = 1});
  Effects bind;
  bind.binds = {a_bind("x")};
  submit(std::move(bind));
  tell(an_event("no room", false));
  auto other = an_event("no room", false);
  other.about = pod("b");
  tell(other);
  answer_first(201);
  EXPECT_EQ(said(), "no room; ") << "the last one";
  tell(an_event("no room", false));
  EXPECT_EQ(said(), "no room; ");
  tell(other);
  EXPECT_EQ(said(), "");
}

TEST_F(WriteQueueEvents, WhatWaitedWhenTheLeaseWasGoneIsSaidAgainWhenItIsBack) {
  queue();
  tell(an_event("no room"));
  EXPECT_EQ(said(), "no room; ");
  may_write_ = false;
  tell(an_event("no quota", false));
  may_write_ = true;
  tell(an_event("no quota", false));
  EXPECT_EQ(said(), "no quota; ");
}

TEST_F(WriteQueueTest, AnswersAndProblemsAreOfTheCycleThatDecided) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a")};
  effects.binds[0].rule = "allocate";
  effects.evictions = {{.pod = pod("b"), .rule = "preempt"}};
  effects.patches = {condition("c", "x")};
  effects.note_cycle(7);
  effects.note_cycle(8);  // what has one keeps it
  submit(std::move(effects));
  for (const int status : {201, 201, 422}) answer_first(status);
  EXPECT_EQ(answered_, (std::vector<std::string>{"bind 7 allocate", "evict 7 preempt", "patch 7 "}));
  EXPECT_EQ(cycles_of_problems_, std::vector<std::uint64_t>{7});
}

TEST_F(WriteQueueTest, WhatBlocksAnEvictionIsToldAtEveryAttempt) {
  queue({.most_evictions = 2, .budget_wait = 5s});
  Effects effects;
  effects.evictions = {{pod("a"), ""}};
  submit(std::move(effects));
  constexpr const char* kBlocked = R"({"kind":"Status","code":429,"message":"no.","details":{"causes":[)"
                                   R"({"reason":"DisruptionBudget","message":"The disruption budget b needs 2 healthy pods"}]}})";
  answer_first(429, kBlocked);
  EXPECT_EQ(blocked_, std::vector<std::string>{"a 429: no. The disruption budget b needs 2 healthy pods"});
  EXPECT_TRUE(reports_.empty());
  loop_.advance(5s);
  loop_.run_posted();
  answer_first(429, kBlocked);
  EXPECT_EQ(blocked_.size(), 2u);
  EXPECT_EQ(reports_.size(), 1u) << "given up";
}

TEST_F(WriteQueueTest, WithoutAnswersOneAtATimeIsTriedAndTheRestWaits) {
  queue({.most_in_flight = 2, .unanswered = {.first = 100ms, .most = 1s, .jitter = 0}});
  Effects effects;
  for (const auto* name : {"a", "b", "c", "d", "e"}) effects.binds.push_back(a_bind(name));
  submit(std::move(effects));
  fail_first(0);
  fail_first(0);
  EXPECT_EQ(reports_.size(), 2u);
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(100ms);
  loop_.run_posted();
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/c/binding"});
  fail_first(0);
  loop_.advance(200ms);
  loop_.run_posted();
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/d/binding"});
  answer_first(201);
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/e/binding"}) << "at once";
}

TEST_F(WriteQueueTest, WhatWasSentBeforeGoesFirst) {
  queue({.most_in_flight = 1});
  Effects effects;
  effects.binds = {a_bind("a"), a_bind("b")};
  submit(std::move(effects));
  Effects again;
  again.binds = {an_order("c"), an_order("d")};
  for (auto& bind : again.binds) bind.comes_again = true;
  submit(std::move(again));
  EXPECT_EQ(queue_->counts().waiting, 3u);
  answer_first(201);
  EXPECT_EQ(loop_.request(loop_.only()).body, "body-c");
  answer_first(201);
  EXPECT_EQ(loop_.request(loop_.only()).body, "body-d");
  answer_first(201);
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/b/binding"});
}

TEST_F(WriteQueueTest, APatchThatFailsKeepsNobodyElseBack) {
  for (const int status : {409, 500}) {
    queue({.most_in_flight = 1});
    Effects effects;
    effects.patches = {condition("a", "1")};
    submit(std::move(effects));
    answer_first(status);
    Effects more;
    more.binds = {a_bind("b")};
    submit(std::move(more));
    EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/b/binding"}) << status;
    answer_first(201);
    EXPECT_TRUE(loop_.calls.empty()) << "it waits";
    loop_.advance(200ms);
    loop_.run_posted();
    EXPECT_EQ(loop_.request(loop_.only()).body, "1");
    answer_first(200);
  }
}

TEST_F(WriteQueueTest, APatchThatWaitsAfterAFailureIsReplacedByALaterOne) {
  queue();
  Effects effects;
  effects.patches = {condition("a", "1")};
  submit(std::move(effects));
  answer_first(500);
  Effects later;
  later.patches = {condition("a", "2")};
  submit(std::move(later));
  loop_.advance(1s);
  loop_.run_posted();
  ASSERT_EQ(loop_.sent.size(), 2u);
  EXPECT_EQ(loop_.sent[1].body, "2");
  answer_first(200);
  loop_.advance(10s);
  EXPECT_EQ(loop_.sent.size(), 2u);
}

constexpr const char* kBlocked = R"({"kind":"Status","code":429,"details":{"causes":[{"reason":"DisruptionBudget"}]}})";

// The leadership is lost while something waits, in every way in which it can, and is ours again.
TEST_F(WriteQueueTest, WhatWasDecidedInAnEarlierTermIsNeverSent) {
  struct Case {
    const char* name;
    Effects effects;
    std::function<void()> before_loss;
  };
  std::vector<Case> cases(4);
  cases[0] = {"the server is given its time", {}, [&] { loop_.answer(loop_.only(), 429, "", "30"); }};
  cases[0].effects.binds = {a_bind("a")};
  cases[1] = {"a budget blocks it", {}, [&] { answer_first(429, kBlocked); }};
  cases[1].effects.evictions = {{pod("a"), ""}};
  cases[2] = {"it waits behind one", {}, [&] { answer_first(429, kBlocked); }};
  cases[2].effects.evictions = {{pod("a"), ""}, {pod("a"), ""}};
  cases[3] = {"it failed by itself", {}, [&] { answer_first(500); }};
  cases[3].effects.deletions = {a_deletion("a")};
  for (auto& [name, effects, before_loss] : cases) {
    queue();
    reports_.clear();
    const auto writes = effects.binds.size() + effects.evictions.size() + effects.deletions.size();
    submit(std::move(effects));
    before_loss();
    EXPECT_GT(queue_->counts().waiting, 0u) << name;
    may_write_ = false;
    queue_->drop_unsent();
    may_write_ = true;
    EXPECT_EQ(queue_->counts().waiting, 0u) << name;
    ASSERT_EQ(reports_.size(), writes) << name;
    for (const auto& report : reports_) EXPECT_FALSE(report.result.was_sent) << name;
    const auto sent = loop_.sent.size();
    loop_.advance(10min);
    EXPECT_EQ(loop_.sent.size(), sent) << name;
    Effects news;
    news.binds = {a_bind("a")};
    news.term = queue_->term();
    submit(std::move(news));
    EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/a/binding"}) << name << ": nothing is kept busy";
    answer_first(201);
  }
}

// As people read it behind "the bind was not sent".
TEST_F(WriteQueueTest, WhyABindWasNotSent) {
  const std::pair<const char*, const char*> reasons[] = {{WriteQueue::kNotLeading, "we may not write"},
                                                         {WriteQueue::kListedAnew, "everything is listed anew"}};
  for (const auto& [why, text] : reasons) {
    queue({.most_in_flight = 1});
    reports_.clear();
    Effects effects;
    effects.binds = {a_bind("connects"), a_bind("waits")};
    submit(std::move(effects));
    queue_->drop_unsent(why);
    EXPECT_FALSE(loop_.start(loop_.only()));
    Effects late;
    late.binds = {a_bind("late")};
    submit(std::move(late));
    ASSERT_EQ(reports_.size(), 3u);
    for (const auto& report : reports_) EXPECT_EQ(report.result.message, text) << std::get<Bind>(report.write).pod.name;
  }
}

TEST_F(WriteQueueTest, WhatIsAnsweredInALaterTermDoesNotComeAgain) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a")};
  effects.patches = {condition("b", "1")};
  submit(std::move(effects));
  queue_->drop_unsent();
  EXPECT_TRUE(reports_.empty()) << "they are on their way";
  answer_first(429);
  answer_first(500);
  ASSERT_EQ(reports_.size(), 2u);
  EXPECT_EQ(reports_[0].result.outcome, WriteOutcome::kThrottled);
  EXPECT_TRUE(std::holds_alternative<Patch>(reports_[1].write));
  loop_.advance(1min);
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(WriteQueueTest, WhatWasDecidedInAnEarlierTermIsNotTaken) {
  queue();
  queue_->drop_unsent();
  Effects effects;
  effects.binds = {a_bind("a")};
  effects.patches = {condition("b", "1")};
  submit(std::move(effects));
  EXPECT_TRUE(loop_.sent.empty());
  ASSERT_EQ(reports_.size(), 2u);
  EXPECT_FALSE(reports_[0].result.was_sent);
}

// The loop has so many turns, and reads take them, too.
TEST_F(WriteQueueTest, ARequestThatWaitsForItsTurnIsNotSentWithoutTheLease) {
  queue();
  Effects effects;
  effects.binds = {a_bind("a"), a_bind("b")};
  effects.patches = {condition("c", "1")};
  submit(std::move(effects));
  EXPECT_TRUE(loop_.start(loop_.calls.begin()->first));
  answer_first(201);
  queue_->drop_unsent();
  while (!loop_.calls.empty()) EXPECT_FALSE(loop_.start(loop_.calls.begin()->first)) << "though we lead again";
  ASSERT_EQ(reports_.size(), 3u);
  EXPECT_FALSE(reports_[1].result.was_sent);
  EXPECT_FALSE(reports_[2].result.was_sent);
  EXPECT_EQ(queue_->counts().in_flight, 0u);
  loop_.advance(1min);
  EXPECT_TRUE(loop_.calls.empty()) << "no pause, no repetition: the server has said nothing";
}

TEST_F(WriteQueueTest, EvictionsThatWaitCanBeDropped) {
  queue({.most_in_flight = 1});
  Effects effects;
  effects.evictions.push_back({pod("blocked"), ""});
  effects.evictions.push_back({pod("announced"), "", condition("announced", "1")});
  effects.evictions.push_back({pod("waits"), ""});
  effects.creations.push_back({{.api_version = "v1", .plural = "queues"}, "default", "{}"});
  submit(std::move(effects));
  answer_first(429, kBlocked);
  EXPECT_EQ(queue_->counts().waiting, 4u) << "the one that is blocked counts";
  queue_->drop_evictions();
  loop_.run_posted();
  ASSERT_EQ(reports_.size(), 3u);
  for (const auto& report : reports_) EXPECT_FALSE(report.result.was_sent);
  while (!loop_.calls.empty()) answer_first(201);  // the announcement that was on its way, and what is no eviction
  EXPECT_EQ(loop_.sent.back().path, "/api/v1/queues");
  loop_.advance(10min);
  EXPECT_TRUE(loop_.calls.empty());
}

// They are with the loop, which has no connection for them yet.
TEST_F(WriteQueueTest, EvictionsThatWaitForAConnectionCanBeDropped) {
  queue();
  Effects effects;
  effects.binds = {a_bind("bound")};
  effects.evictions = {{pod("written"), ""}, {pod("waits"), ""}, {pod("announced"), "", condition("announced", "1")}};
  submit(std::move(effects));
  ASSERT_EQ(loop_.calls.size(), 4u);
  std::vector<kube::CallId> calls;
  for (const auto& [id, call] : loop_.calls) calls.push_back(id);
  EXPECT_TRUE(loop_.start(calls[1]));
  queue_->drop_evictions();
  ASSERT_EQ(reports_.size(), 1u) << "what was to follow the announcement";
  EXPECT_TRUE(loop_.start(calls[0])) << "no eviction";
  EXPECT_FALSE(loop_.start(calls[2]));
  EXPECT_FALSE(loop_.start(calls[3]));
  ASSERT_EQ(reports_.size(), 2u);
  for (const auto& report : reports_) {
    EXPECT_FALSE(report.result.was_sent);
    EXPECT_EQ(report.result.message, "nobody is evicted for now");
  }
  loop_.answer(calls[0], 201);
  loop_.answer(calls[1], 201);
  ASSERT_EQ(reports_.size(), 4u);
  EXPECT_EQ(reports_[3].result.outcome, WriteOutcome::kEvicted) << "it was on its way";
  Effects later;
  later.evictions = {{pod("later"), ""}};
  submit(std::move(later));
  EXPECT_TRUE(loop_.start(loop_.only())) << "evictions are allowed again";
}

TEST_F(WriteQueueTest, BindsOfAGangThatWaitCanBeDropped) {
  queue({.most_in_flight = 2});
  Effects effects;
  auto other = a_bind("other");
  other.group = "ns/other";
  effects.binds = {a_bind("written"), a_bind("connects"), a_bind("waits"), other};
  submit(std::move(effects));
  std::vector<kube::CallId> calls;
  for (const auto& [id, call] : loop_.calls) calls.push_back(id);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_TRUE(loop_.start(calls[0]));
  queue_->drop_binds("ns/g");
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(std::get<Bind>(reports_[0].write).pod.name, "waits");
  EXPECT_FALSE(loop_.start(calls[1])) << "it has only now got a connection";
  ASSERT_EQ(reports_.size(), 2u);
  for (const auto& report : reports_) {
    EXPECT_FALSE(report.result.was_sent);
    EXPECT_EQ(report.result.message, "the bind of another pod of its gang was refused");
  }
  loop_.answer(calls[0], 201);
  loop_.run_posted();
  EXPECT_EQ(reports_.back().result.outcome, WriteOutcome::kBound) << "it was on its way";
  ASSERT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/other/binding"});
  EXPECT_TRUE(loop_.start(loop_.only()));
  answer_first(201);
  Effects later;
  later.binds = {a_bind("waits")};
  submit(std::move(later));
  EXPECT_TRUE(loop_.start(loop_.only())) << "what is decided later is sent";
}

TEST_F(WriteQueueTest, AnEvictionThatWasOnItsWayDoesNotComeAgain) {
  for (const auto& [status, body] : {std::pair{429, kBlocked}, std::pair{429, "{}"}, std::pair{500, "{}"}}) {
    queue();
    reports_.clear();
    Effects effects;
    effects.evictions = {{pod("a"), ""}};
    submit(std::move(effects));
    EXPECT_TRUE(loop_.start(loop_.only()));
    queue_->drop_evictions();
    answer_first(status, body);
    EXPECT_EQ(reports_.size(), 1u) << status << body;
    loop_.advance(10min);
    EXPECT_TRUE(loop_.calls.empty()) << status << body;
  }
}

// What cannot be relied on is known at once; that evictions are dropped comes a little later.
TEST_F(WriteQueueTest, NobodyIsEvictedWhileThatIsNotAllowed) {
  queue();
  Effects earlier;
  earlier.evictions = {{pod("a"), ""}};
  submit(std::move(earlier));
  may_evict_ = false;
  EXPECT_FALSE(loop_.start(loop_.only()));
  Effects effects;  // of a cycle that was under way
  effects.binds = {a_bind("b")};
  effects.evictions = {{pod("c"), ""}};
  effects.events.push_back(
      {.about = pod("c"), .type = "Normal", .reason = "Evict", .action = "a", .note = "n", .tells_of_eviction = true});
  submit(std::move(effects));
  ASSERT_EQ(reports_.size(), 2u);
  for (const auto& report : reports_) EXPECT_EQ(report.result.message, "nobody is evicted for now");
  EXPECT_EQ(paths(), std::vector<std::string>{"/api/v1/namespaces/ns/pods/b/binding"});
  answer_first(201);
  EXPECT_TRUE(loop_.calls.empty()) << "nothing is told of an eviction that was none";
}

TEST_F(WriteQueueTest, APatchThatIsReplacedManyTimesTakesOnePlace) {
  queue();
  Effects first;
  first.binds = {a_bind("x")};
  submit(std::move(first));
  loop_.answer(loop_.only(), 429, "", "600");
  for (int i = 0; i < 100; ++i) {
    Effects effects;
    effects.patches = {condition("a", std::to_string(i)), condition("b", std::to_string(i))};
    submit(std::move(effects));
  }
  EXPECT_EQ(queue_->places_of_patches(), 2u);
}

TEST_F(WriteQueueTest, APatchThatWasNotWrittenIsReportedUnlessItNeverWillBe) {
  const std::pair<int, bool> cases[] = {{200, false}, {404, false}, {403, false}, {422, false}, {500, true}, {409, true}};
  for (const auto& [status, is_reported] : cases) {
    queue({.most_attempts = 2});
    reports_.clear();
    Effects effects;
    effects.patches = {condition("a", "1")};
    submit(std::move(effects));
    for (int attempt = 0; attempt < 2 && !loop_.calls.empty(); ++attempt) {
      answer_first(status, status == 404 ? R"({"kind":"Status","reason":"NotFound"})" : "{}");
      loop_.advance(20s);
    }
    EXPECT_EQ(reports_.size(), is_reported ? 1u : 0u) << status;
  }
}

TEST_F(WriteQueueTest, ThatEventsAreRefusedIsSaidOnce) {
  queue();
  for (int i = 0; i < 3; ++i) {
    Effects effects;
    effects.events.push_back({.about = pod(std::to_string(i)), .type = "Normal", .reason = "r", .action = "a", .note = "n"});
    submit(std::move(effects));
    answer_first(403);
  }
  EXPECT_EQ(problems_.size(), 1u);
}

TEST_F(WriteQueueTest, WhatIsDroppedWasNotSent) {
  queue();
  may_write_ = false;
  Effects effects;
  effects.binds = {an_order("a")};
  submit(std::move(effects));
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_FALSE(reports_[0].result.was_sent);
}

}  // namespace
}  // namespace muster::daemon
