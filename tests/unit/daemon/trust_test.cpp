// What happens when what is remembered of the cluster turns out to be wrong.

#include "daemon/trust.h"

#include <gtest/gtest.h>
#include <thread>

#include "base/assert.h"
#include "daemon/cycle_loop.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

class SteppedClock final : public kube::Clock {
 public:
  kube::Instant now() const override { return now_; }
  Timestamp wall() const override { return {}; }
  void pass(kube::Duration time) { now_ += time; }

 private:
  kube::Instant now_{1h};
};

TEST(Trust, MakingEverythingAnewWaitsLongerEachTime) {
  SteppedClock clock;
  Trust trust(clock);
  EXPECT_FALSE(trust.is_doubted());
  EXPECT_EQ(trust.doubt(), kube::Duration(1s));
  EXPECT_TRUE(trust.is_doubted());
  EXPECT_EQ(trust.doubt(), std::nullopt) << "it is under way";
  trust.restore();
  EXPECT_TRUE(trust.is_doubted()) << "what was found in order is about to go";
  for (const kube::Duration wait : {kube::Duration(1min), kube::Duration(2min), kube::Duration(4min)}) {
    trust.begin_anew();
    EXPECT_TRUE(trust.is_doubted());
    trust.restore();
    EXPECT_FALSE(trust.is_doubted());
    EXPECT_EQ(trust.doubt(), wait);
  }
  for (int i = 0; i < 40; ++i) {
    trust.begin_anew();
    EXPECT_LE(trust.doubt().value(), 30min);
  }
  clock.pass(2h);
  trust.begin_anew();
  EXPECT_EQ(trust.doubt(), kube::Duration(1s)) << "forgiven";
}

TEST(Trust, AMismatchOfTheSameObjectComesBackWithinAnHour) {
  SteppedClock clock;
  Trust trust(clock);
  EXPECT_FALSE(trust.comes_back("Pod ns/a"));
  EXPECT_FALSE(trust.comes_back("Pod ns/b"));
  clock.pass(30min);
  EXPECT_TRUE(trust.comes_back("Pod ns/a"));
  clock.pass(59min);
  EXPECT_FALSE(trust.comes_back("Pod ns/b")) << "long ago";
}

const kube::ResourceKind& pods() {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == "Pod") return kind;
  std::abort();
}

// Remembers the names of pods, and evicts one in every cycle in which it may.
class ShakyCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return true; }
  void apply(Object object) override { applied += std::get<Pod>(object).meta.name + " "; }
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity& id) override { applied += "-" + id.name + " "; }
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    if (evictions == Evictions::kAllowed) {
      Event event{.about = {"ns", "victim", std::to_string(++told), ""},
                  .type = "Warning",
                  .reason = "Evict",
                  .action = "Evict",
                  .note = "goes",
                  .tells_of_eviction = true};
      outcome.effects.evictions.push_back({.pod = {"ns", "victim", "u", ""}, .told = {std::move(event)}});
    }
    if (!to_bind.empty()) outcome.effects.binds.push_back({{"ns", std::exchange(to_bind, ""), "u", ""}, "n1"});
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }
  std::string differs(const Object&) const override { return difference; }
  std::string broken_invariant() const override { return broken; }
  void set_evictions(Evictions wanted) override { evictions = wanted; }

  // Set before the loop runs, or on its thread.
  Evictions evictions = Evictions::kAllowed;
  std::string difference;
  std::string broken;
  std::string to_bind;
  int told = 0;
  std::string applied;
};

class DoubtTest : public testing::Test {
 protected:
  void make(Evictions evictions = Evictions::kAllowed, EvictionsTold told = EvictionsTold::kAtOnce) {
    CycleLoop::Links links{.changes = changes_,
                           .clock = clock_,
                           .log = log_,
                           .may_decide = [] { return true; },
                           .carry_out =
                               [this](const Effects& effects) {
                                 evicted_ += static_cast<int>(effects.evictions.size());
                                 events_ += static_cast<int>(effects.events.size());
                                 if (broken_ > 0) evicted_in_doubt_ += static_cast<int>(effects.evictions.size());
                               },
                           .read_pod = [this](const kube::Identity&) { ++read_; },
                           .on_mismatch =
                               [this](const kube::ResourceKind& kind, const kube::Identity& id, const std::string& what) {
                                 mismatch_ = std::string(kind.kind) + " " + id.name + " " + what;
                                 ++mismatches_;
                               },
                           .on_broken = [this](const std::string&, std::uint64_t) { ++broken_; },
                           .on_in_order = [this](std::uint64_t) { ++in_order_; }};
    auto cluster = std::make_unique<ShakyCluster>();
    cluster_ = cluster.get();
    loop_ = std::make_unique<CycleLoop>(
        std::move(cluster), 1, CycleSettings{.period = 2ms, .check = 1ms, .evictions = evictions, .told = told}, std::move(links));
  }
  void start() {
    thread_ = std::thread([this] { loop_->run(); });
    changes_.push({&pods(), kube::ChangeType::kSynced});
  }
  void TearDown() override {
    loop_->stop();
    if (thread_.joinable()) thread_.join();
  }
  void a_few_cycles() {
    const auto from = loop_->cycles();
    ASSERT_TRUE(soon([&] { return loop_->cycles() >= from + 5; }));
  }
  // Of what the cluster did, seen on the thread that owns it.
  std::string applied() {
    std::atomic<bool> done = false;
    std::string out;
    loop_->post([&](CycleLoop&) {
      out = cluster_->applied;
      done = true;
    });
    EXPECT_TRUE(soon([&] { return done.load(); }));
    return out;
  }
  void tell_unchanged(const std::string& name) {
    Pod pod;
    pod.meta.ns = "ns";
    pod.meta.name = name;
    pod.meta.uid = "u";
    changes_.push({&pods(), kube::ChangeType::kUnchanged, {"ns", name, "u", "1"}, Object(pod)});
  }

  kube::EventQueue changes_{100};
  kube::SystemClock clock_;
  Log log_{{}, clock_, [](std::string_view) {}};
  std::atomic<int> evicted_in_doubt_ = 0, events_ = 0, read_ = 0;
  std::atomic<int> evicted_ = 0, broken_ = 0, in_order_ = 0, mismatches_ = 0;
  std::string mismatch_;
  std::unique_ptr<CycleLoop> loop_;
  ShakyCluster* cluster_ = nullptr;
  std::thread thread_;
};

TEST_F(DoubtTest, ABrokenInvariantEndsEvictionsAndIsToldOnce) {
  make();
  start();
  ASSERT_TRUE(soon([&] { return evicted_ > 0; }));
  loop_->post([this](CycleLoop&) { cluster_->broken = "the sums are wrong"; });
  ASSERT_TRUE(soon([&] { return broken_ == 1; }));
  a_few_cycles();  // goes on placing
  loop_->post([this](CycleLoop&) { cluster_->broken.clear(); });
  a_few_cycles();
  EXPECT_EQ(evicted_in_doubt_, 0) << "neither what was decided by the broken books, nor anything later";
  EXPECT_EQ(evicted_, events_) << "nor is it told";
  EXPECT_EQ(read_, 1) << "the one that was decided and is not carried out";
  EXPECT_EQ(broken_, 1);
  EXPECT_EQ(in_order_, 0);
}

TEST_F(DoubtTest, AnEvictionThatIsToldWhenItIsDoneIsNotToldBefore) {
  make(Evictions::kAllowed, EvictionsTold::kWhenDone);
  start();
  ASSERT_TRUE(soon([&] { return evicted_ > 0; }));
  a_few_cycles();
  EXPECT_EQ(events_, 0);
}

TEST_F(DoubtTest, WhoBeginsWithoutEvictionsIsAllowedThemWhenEverythingIsInOrder) {
  make(Evictions::kStopped);
  EXPECT_EQ(cluster_->evictions, Evictions::kStopped);
  start();
  ASSERT_TRUE(soon([&] { return evicted_ > 0; }));
  EXPECT_EQ(in_order_, 1);
}

TEST_F(DoubtTest, AndNotBefore) {
  make(Evictions::kStopped);
  cluster_->broken = "still wrong";
  start();
  ASSERT_TRUE(soon([&] { return broken_ == 1; }));
  a_few_cycles();
  EXPECT_EQ(evicted_, 0);
  EXPECT_EQ(in_order_, 0);
}

TEST_F(DoubtTest, AFailedExpectationIsABrokenInvariant) {
  make();
  start();
  ASSERT_TRUE(soon([&] { return evicted_ > 0; }));
  expectation_failed("a test may say so", __FILE__, __LINE__);
  EXPECT_TRUE(soon([&] { return broken_ == 1; }));
}

TEST_F(DoubtTest, WhatIsRememberedOtherwiseIsTakenInAnew) {
  make();
  start();
  tell_unchanged("a");
  a_few_cycles();
  EXPECT_EQ(applied(), "");
  EXPECT_EQ(mismatches_, 0);
  loop_->post([this](CycleLoop&) { cluster_->difference = "is on another node"; });
  EXPECT_EQ(applied(), "") << "after that";
  tell_unchanged("a");
  ASSERT_TRUE(soon([&] { return mismatches_ == 1; }));
  EXPECT_EQ(mismatch_, "Pod a is on another node");
  EXPECT_EQ(applied(), "-a a ");
}

TEST_F(DoubtTest, WhatWasDecidedAndCannotBeSeenYetIsNoMismatch) {
  make();
  cluster_->difference = "is on another node";
  cluster_->to_bind = "a";
  start();
  a_few_cycles();
  tell_unchanged("a");
  a_few_cycles();
  EXPECT_EQ(mismatches_, 0);
}

}  // namespace
}  // namespace muster::daemon
