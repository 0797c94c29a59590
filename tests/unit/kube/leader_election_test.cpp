#include "kube/leader_election.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A lease at a server that everybody asks at once; every request is answered when serve() is called.
class ElectionTest : public testing::Test {
 protected:
  struct Candidate {
    std::unique_ptr<LeaderElection> election;
    int led = 0;
    int lost = 0;
    std::string leader;
    std::vector<std::string> problems;
  };

  Candidate& candidate(const std::string& identity, double random = 0) {
    auto& out = *candidates_.emplace_back(std::make_unique<Candidate>());
    ElectionSettings settings;
    settings.identity = identity;
    EXPECT_FALSE(check(settings));
    out.election = std::make_unique<LeaderElection>(
        loop_, settings, [random] { return random; },
        LeaderElection::Events{[&out] { ++out.led; }, [&out] { ++out.lost; },
                               [&out](const std::string& holder) { out.leader = holder; },
                               [&out](const std::string& problem) { out.problems.push_back(problem); }});
    out.election->start();
    return out;
  }

  // The server's side.
  void serve_one(CallId id) {
    const auto request = loop_.request(id);
    ++served_;
    if (!has_namespace_) return loop_.answer(id, 404, "{}");
    if (request.method == Method::kGet) return lease_ ? loop_.answer(id, 200, text()) : loop_.answer(id, 404, "{}");
    const auto wanted = read_lease(request.body).value();
    const bool create = request.method == Method::kPost;
    if (create == lease_.has_value()) return loop_.answer(id, create ? 409 : 404, "{}");
    if (!create && wanted.resource_version != lease_->resource_version) return loop_.answer(id, 409, "{}");
    lease_ = wanted;
    lease_->resource_version = std::to_string(++version_);
    loop_.answer(id, create ? 201 : 200, text());
  }
  void serve() {
    while (!loop_.calls.empty()) serve_one(loop_.calls.begin()->first);
  }
  void pass(Duration time, bool up = true) {
    for (Duration left = time; left > Duration(0); left -= milliseconds(100)) {
      loop_.advance(milliseconds(100));
      if (up) serve();
      int writers = 0;
      for (const auto& one : candidates_) writers += one->election->may_write() ? 1 : 0;
      ASSERT_LE(writers, 1) << "two of them believe that they lead";
    }
  }
  std::string text() const { return lease_body(*lease_, {"coordination.k8s.io/v1", "leases", "kube-system", "muster"}); }

  FakeLoop loop_;
  std::optional<LeaseRecord> lease_;
  int version_ = 0;
  int served_ = 0;
  bool has_namespace_ = true;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

TEST_F(ElectionTest, FirstOneLeadsAndRenews) {
  auto& a = candidate("a");
  EXPECT_FALSE(a.election->may_write());
  serve();
  EXPECT_TRUE(a.election->may_write());
  EXPECT_EQ(a.leader, "a");
  const auto first = *lease_;
  pass(seconds(60));
  EXPECT_TRUE(a.election->may_write());
  EXPECT_EQ(a.led, 1);
  EXPECT_EQ(lease_->acquire_time, first.acquire_time);
  EXPECT_GT(lease_->renew_time, first.renew_time);
  EXPECT_EQ(lease_->transitions, 0);
  EXPECT_EQ(lease_->duration_seconds, 15);
  EXPECT_EQ(lease_->renew_time.size(), std::string("2026-01-02T03:04:05.678901Z").size());
}

TEST_F(ElectionTest, AMissingNamespaceIsSaidAndNotAskedForWithoutPause) {
  has_namespace_ = false;
  auto& a = candidate("a");
  pass(seconds(20));
  EXPECT_EQ(a.led, 0);
  EXPECT_FALSE(a.problems.empty());
  EXPECT_LE(served_, 24);  // a look and an attempt every two seconds
}

TEST_F(ElectionTest, StopsForGoodAlsoWhenToldSoOnItsWay) {
  ElectionSettings settings;
  settings.identity = "a";
  std::unique_ptr<LeaderElection> election;
  LeaderElection::Events events;
  events.on_leading = [&] { election->stop([](bool) {}); };
  election = std::make_unique<LeaderElection>(loop_, settings, [] { return 0.0; }, events);
  election->start();
  pass(seconds(60));
  EXPECT_FALSE(election->may_write());
  EXPECT_EQ(lease_->holder, "");
}

TEST_F(ElectionTest, OthersWaitForTheirOwnClock) {
  candidate("a");
  serve();
  auto& b = candidate("b", 0.1);
  pass(seconds(30));
  EXPECT_EQ(b.led, 0);
  EXPECT_EQ(b.leader, "a");
  lease_->renew_time = "1970-01-01T00:00:00.000000Z";  // an old time in it means nothing
  candidates_.front()->election.reset();
  candidates_.erase(candidates_.begin());
  pass(seconds(14));
  EXPECT_FALSE(b.election->may_write());
  pass(seconds(6));
  EXPECT_TRUE(b.election->may_write());
  EXPECT_EQ(lease_->transitions, 1);
}

TEST_F(ElectionTest, ALeaseThatRunsOutIsTakenAtOnce) {
  candidate("a");
  serve();
  candidates_.front()->election.reset();
  candidates_.clear();
  auto& b = candidate("b", 0.9);  // looks every 4.2 s
  serve();
  pass(milliseconds(14'900));
  EXPECT_FALSE(b.election->may_write());
  pass(milliseconds(600));
  EXPECT_TRUE(b.election->may_write());
}

TEST_F(ElectionTest, LeaderStopsWritingBeforeAnotherMay) {
  auto& a = candidate("a");
  serve();
  pass(seconds(1));
  pass(seconds(12), false);  // nothing is answered
  EXPECT_FALSE(a.election->may_write());
  EXPECT_EQ(a.lost, 1);
  EXPECT_EQ(a.problems.back(), "the lease could not be renewed in time");
  pass(seconds(5));
  EXPECT_TRUE(a.election->may_write()) << "nobody took it";
}

TEST_F(ElectionTest, LeaderSeesThatItWasReplaced) {
  auto& a = candidate("a");
  serve();
  lease_->holder = "b";
  lease_->resource_version = std::to_string(++version_);
  pass(seconds(3));
  EXPECT_FALSE(a.election->leading());
  EXPECT_EQ(a.leader, "b");
  EXPECT_EQ(a.problems.back(), "the lease is held by b");
}

// Labels of whoever installed us, and fields of later versions of the API: whoever writes a whole object carries them on.
TEST_F(ElectionTest, WhatOthersWroteOnTheLeaseStays) {
  const std::string metadata = R"("labels":{"team":"a\"b"},"annotations":{"note":"x"},"uid":"u-1")";
  const std::string spec = R"("preferredHolder":"b","strategy":"OldestEmulationVersion")";
  lease_ =
      read_lease(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"muster","resourceVersion":"7",)" +
                 metadata + R"(},"spec":{"holderIdentity":"","leaseTransitions":4,)" + spec + "}}")
          .value();
  const auto expect_kept = [&](const std::string& holder) {
    const auto& text = lease_->text;
    for (const auto& kept : {metadata, spec}) EXPECT_NE(text.find(kept), std::string::npos) << text;
    for (const auto* once : {"\"name\"", "\"resourceVersion\"", "\"holderIdentity\"", "\"kind\"", "\"spec\""})
      EXPECT_EQ(text.find(once), text.rfind(once)) << once << " in " << text;
    EXPECT_EQ(read_lease(text).value().holder, holder);
  };
  auto& a = candidate("a");
  serve();
  EXPECT_TRUE(a.election->may_write());
  EXPECT_EQ(lease_->transitions, 5);
  expect_kept("a");
  EXPECT_EQ(a.election->lease(), (Identity{"kube-system", "muster", "u-1", ""}));
  pass(seconds(5));
  expect_kept("a");
  a.election->stop([](bool) {});
  serve();
  expect_kept("");
}

TEST_F(ElectionTest, LostAnswersAreFoundOut) {
  auto& a = candidate("a");
  serve();
  loop_.advance(seconds(2));
  const auto id = loop_.only();
  lease_->resource_version = std::to_string(++version_);  // it was done
  loop_.end(id, "the connection broke");
  pass(seconds(20));
  EXPECT_TRUE(a.election->may_write());
  EXPECT_EQ(a.led, 1);
}

TEST_F(ElectionTest, ReleaseLetsTheNextOneIn) {
  auto& a = candidate("a");
  serve();
  auto& b = candidate("b");
  serve();
  bool released = false;
  a.election->stop([&](bool is_free) { released = is_free; });
  EXPECT_FALSE(a.election->may_write());
  serve();
  EXPECT_TRUE(released);
  EXPECT_EQ(lease_->holder, "");
  pass(seconds(3));
  EXPECT_TRUE(b.election->may_write());
  bool at_once = false;
  a.election->stop([&](bool is_free) { at_once = is_free; });
  EXPECT_TRUE(at_once);
}

// The answer to a request that takes or renews the lease is waited for: without it nobody knows what there is to give back.
TEST_F(ElectionTest, WhatIsBeingWrittenIsGivenBack) {
  for (const bool renews : {false, true}) {
    lease_.reset();
    auto& a = candidate("a");
    if (renews) {
      serve();
      loop_.advance(seconds(2));
    } else {
      serve_one(loop_.calls.begin()->first);  // there is none
    }
    ASSERT_EQ(loop_.calls.size(), 1u);
    bool released = false;
    a.election->stop([&](bool is_free) { released = is_free; });
    EXPECT_FALSE(a.election->may_write());
    EXPECT_FALSE(released);
    serve();
    EXPECT_TRUE(released);
    EXPECT_EQ(lease_->holder, "");
    EXPECT_EQ(a.led, renews ? 1 : 0);
  }
}

// Whether it was done or not, the lease may be ours: only a look tells.
TEST_F(ElectionTest, AWriteWithoutAnAnswerIsLookedForAndGivenBack) {
  struct Case {
    const char* name;
    bool renews, was_done, answers;  // the look and what follows
    const char* holder;              // in the end
  };
  const Case cases[] = {{"nothing was there", false, false, true, "none"},
                        {"it was taken", false, true, true, ""},
                        {"it was not renewed, and is ours still", true, false, true, ""},
                        {"it was renewed", true, true, true, ""},
                        {"nobody answers", true, false, false, "a"}};
  for (const auto& [name, renews, was_done, answers, holder] : cases) {
    lease_.reset();
    auto& a = candidate("a");
    if (renews) {
      serve();
      loop_.advance(seconds(2));
    } else {
      serve_one(loop_.calls.begin()->first);  // there is none
    }
    std::optional<bool> released;
    a.election->stop([&](bool is_free) { released = is_free; });
    const auto id = loop_.only();
    if (was_done) {
      lease_ = read_lease(loop_.request(id).body).value();
      lease_->resource_version = std::to_string(++version_);
    }
    loop_.end(id, "the connection broke");
    EXPECT_FALSE(released) << name;
    if (answers)
      serve();
    else
      loop_.end(loop_.only(), "nobody there");
    EXPECT_EQ(released, answers) << name;
    EXPECT_EQ(lease_ ? lease_->holder : "none", holder) << name;
    EXPECT_TRUE(loop_.calls.empty()) << name;
  }
}

// So long a request may be under way that it cannot arrive when somebody else holds the lease.
TEST_F(ElectionTest, WritesHaveUntilTheLeaseMayBeSomebodyElses) {
  auto& a = candidate("a");
  EXPECT_EQ(a.election->time_left(), Duration(0));
  serve();
  EXPECT_EQ(a.election->time_left(), seconds(15));
  loop_.advance(milliseconds(9'900));
  EXPECT_EQ(a.election->time_left(), milliseconds(5'100));
  loop_.advance(milliseconds(200));
  EXPECT_EQ(a.election->time_left(), Duration(0));
}

TEST_F(ElectionTest, RaceHasOneWinner) {
  for (const auto* name : {"a", "b", "c"}) candidate(name);
  pass(seconds(60));
  int leaders = 0;
  for (const auto& one : candidates_) leaders += one->election->may_write() ? 1 : 0;
  EXPECT_EQ(leaders, 1);
}

TEST(ElectionSettings, Bounds) {
  ElectionSettings settings;
  EXPECT_TRUE(check(settings)) << "no identity";
  settings.identity = "a";
  EXPECT_FALSE(check(settings));
  settings.renew_deadline = settings.lease_duration;
  EXPECT_TRUE(check(settings));
  settings.renew_deadline = seconds(2);
  EXPECT_TRUE(check(settings));
}

}  // namespace
}  // namespace muster::kube
