// Binds that others carry out, of which it is not known whether the server took the order.

#include <gtest/gtest.h>
#include <thread>

#include "daemon/cycle_loop.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;
using kube::WriteOutcome;

// Has every pod that it sees for the first time, or takes back, bound to a node of its own: n1, n2, … in the order of its
// decisions.
class OrderingCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return true; }
  void apply(Object object) override {
    const auto& pod = std::get<Pod>(object);
    if (pod.spec.node_name.empty() && pod.spec.scheduling_gates.empty()) waiting.try_emplace(pod.meta.name, true);
  }
  void remove(const kube::ResourceKind&, const kube::Identity& id) override { waiting.erase(id.name); }
  void take_back(const kube::Identity& id) override { waiting.erase(id.name); }
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    for (auto& [name, waits] : waiting) {
      if (!std::exchange(waits, false)) continue;
      Bind bind{{"ns", name, "u-" + name, ""}, "n" + std::to_string(++decided)};
      bind.order = Create{{.api_version = "scheduling.run.ai/v1alpha2", .plural = "bindrequests", .ns = "ns"}, name, "{}"};
      bind.rule = "allocate";
      outcome.effects.binds.push_back(std::move(bind));
    }
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind& bind, Effects& effects) override { tell(bind, "Scheduled", effects); }
  void on_refused(const Bind& bind, const std::string&, const Timestamp&, Effects& effects) override {
    tell(bind, "Refused", effects);
  }
  bool stands(const Bind& bind, const Object& order) const override { return std::get<BindRequest>(order).node == bind.node; }
  std::vector<FailedBind> take_failed_binds() override { return std::exchange(failed, {}); }
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }

  static void tell(const Bind& bind, const std::string& reason, Effects& effects) {
    effects.events.push_back({.about = bind.pod, .type = "Normal", .reason = reason, .action = "Binding", .note = bind.node});
  }
  std::map<std::string, bool> waiting;
  int decided = 0;
  std::vector<FailedBind> failed;
};

class CycleOrdersTest : public testing::Test {
 protected:
  void SetUp() override {
    CycleLoop::Links links{.changes = changes_,
                           .clock = clock_,
                           .log = log_,
                           .may_decide = [this] { return leads_.load(); },
                           .term = [this] { return term_.load(); },
                           .carry_out =
                               [this](Effects effects) {
                                 const std::lock_guard lock(mutex_);
                                 for (auto& bind : effects.binds) binds_.push_back(std::move(bind));
                                 for (auto& event : effects.events) events_ += event.reason + " ";
                               },
                           .read_pod =
                               [this](const kube::Identity& pod) {
                                 const std::lock_guard lock(mutex_);
                                 pods_read_.push_back(pod);
                               },
                           .read_order =
                               [this](UnsureOrder order) {
                                 const std::lock_guard lock(mutex_);
                                 orders_read_.push_back(std::move(order));
                               }};
    loop_ = std::make_unique<CycleLoop>(std::make_unique<OrderingCluster>(), 1,
                                        CycleSettings{.period = 10ms, .hold = {.first = 10min}}, std::move(links));
    thread_ = std::thread([this] { loop_->run(); });
    tell(kube::ChangeType::kAdded);
    tell(kube::ChangeType::kSynced);
    ASSERT_TRUE(soon([&] { return binds() == 1; }));
  }
  void TearDown() override {
    loop_->stop();
    thread_.join();
  }
  void tell(kube::ChangeType type, const std::string& node = {}) {
    const auto& kinds = kube::resource_kinds();
    const auto& kind = *std::ranges::find(kinds, "Pod", &kube::ResourceKind::kind);
    kube::Change change{&kind, type, {"ns", "a", "u-a", "1"}, {}};
    if (type == kube::ChangeType::kAdded || type == kube::ChangeType::kModified) change.object = Object(pod(node));
    changes_.push(std::move(change));
  }
  static Pod pod(const std::string& node = {}) {
    Pod pod;
    pod.meta.ns = "ns";
    pod.meta.name = "a";
    pod.meta.uid = "u-a";
    pod.spec.node_name = node;
    return pod;
  }
  void end_last_bind(WriteOutcome outcome, bool was_sent = true) {
    const std::lock_guard lock(mutex_);
    loop_->on_written({binds_.back(), {.outcome = outcome, .retry_after = {}, .message = "no", .body = {}, .was_sent = was_sent}});
  }
  // What there is by the name of the order that was asked for last.
  void answer_order(std::optional<std::string> node) {
    ASSERT_TRUE(soon([&] { return count(orders_read_) > answered_; }));
    const std::lock_guard lock(mutex_);
    OrderReading reading{orders_read_[answered_++], {}};
    if (node) {
      BindRequest request;
      request.node = *node;
      reading.order = Object(std::move(request));
    }
    loop_->on_order_read(std::move(reading));
  }
  template <class T>
  std::size_t count(const std::vector<T>& things) {
    const std::lock_guard lock(mutex_);
    return things.size();
  }
  std::size_t binds() { return count(binds_); }
  Bind last_bind() {
    const std::lock_guard lock(mutex_);
    return binds_.back();
  }
  std::string events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  void a_few_cycles() {
    const auto from = loop_->cycles();
    ASSERT_TRUE(soon([&] { return loop_->cycles() >= from + 3; }));
  }
  void answer_pod() {
    ASSERT_TRUE(soon([&] { return count(pods_read_) > 0; }));
    loop_->on_read({pods_read_.back(), Object(pod())});
  }

  kube::EventQueue changes_{100};
  kube::SystemClock clock_;
  Log log_{{}, clock_, [this](std::string_view line) {
             const std::lock_guard lock(mutex_);
             lines_ += line;
           }};
  std::string lines_;
  std::atomic<bool> leads_ = true;
  std::atomic<std::uint64_t> term_ = 0;
  std::mutex mutex_;
  std::vector<Bind> binds_;
  std::string events_;
  std::vector<kube::Identity> pods_read_;
  std::vector<UnsureOrder> orders_read_;
  std::size_t answered_ = 0;
  std::unique_ptr<CycleLoop> loop_;
  std::thread thread_;
};

// What failed is told by the order, which says neither.
TEST_F(CycleOrdersTest, AnOrderThatFailedIsLoggedWithWhoDecidedIt) {
  loop_->post([](CycleLoop& loop) {
    auto& cluster = static_cast<OrderingCluster&>(loop.cluster());
    cluster.failed.push_back({{.pod = {"ns", "a", "u-a", ""}, .node = "n1"}, "no"});
  });
  const auto line = "\"a bind failed\" cycle=" + std::to_string(last_bind().cycle) + " action=allocate pod=ns/a node=n1 answer=no";
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return lines_.find(line) != std::string::npos;
  }));
}

TEST_F(CycleOrdersTest, OneThatTheServerTookStays) {
  end_last_bind(WriteOutcome::kUnknown);
  a_few_cycles();
  EXPECT_EQ(binds(), 1u) << "until it was read, it counts";
  answer_order("n1");
  EXPECT_TRUE(soon([&] { return events() == "Scheduled "; }));
  a_few_cycles();
  EXPECT_EQ(binds(), 1u);
  EXPECT_EQ(count(pods_read_), 0u);
}

TEST_F(CycleOrdersTest, OneThatItDidNotTakeIsMadeAgainForTheSameNode) {
  end_last_bind(WriteOutcome::kUnknown);
  answer_order({});
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  EXPECT_EQ(last_bind().node, "n1");
  EXPECT_TRUE(last_bind().comes_again);
  end_last_bind(WriteOutcome::kDone);
  EXPECT_TRUE(soon([&] { return events() == "Scheduled "; }));
  EXPECT_EQ(count(pods_read_), 0u);
}

TEST_F(CycleOrdersTest, OneThatWasThereAlreadyAndIsOursStays) {
  end_last_bind(WriteOutcome::kAlreadyExists);  // the first attempt arrived, its answer did not
  answer_order("n1");
  EXPECT_TRUE(soon([&] { return events() == "Scheduled "; }));
  EXPECT_EQ(count(pods_read_), 0u);
}

TEST_F(CycleOrdersTest, AnotherInItsPlaceHasThePodDecidedAnew) {
  end_last_bind(WriteOutcome::kAlreadyExists);
  answer_order("n9");
  answer_pod();
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  EXPECT_EQ(last_bind().node, "n2");
}

TEST_F(CycleOrdersTest, AServerFaultIsARefusalOnlyWhenNothingCameOfIt) {
  end_last_bind(WriteOutcome::kServerFault);
  a_few_cycles();
  EXPECT_EQ(events(), "");
  answer_order({});
  EXPECT_TRUE(soon([&] { return events() == "Refused "; }));
  EXPECT_TRUE(soon([&] { return count(pods_read_) == 1; }));
}

TEST_F(CycleOrdersTest, OneThatNeverGetsAnAnswerIsRefusedInTheEnd) {
  for (std::size_t attempt = 1; attempt <= 5; ++attempt) {
    ASSERT_TRUE(soon([&] { return binds() == attempt; }));
    end_last_bind(WriteOutcome::kUnknown);
    answer_order({});
  }
  EXPECT_TRUE(soon([&] { return events() == "Refused "; }));
  answer_pod();
  a_few_cycles();
  EXPECT_EQ(binds(), 5u) << "it is held";
}

TEST_F(CycleOrdersTest, NothingIsMadeForAPodThatIsGoneOrHasItsNode) {
  end_last_bind(WriteOutcome::kUnknown);
  tell(kube::ChangeType::kModified, "n1");
  a_few_cycles();
  answer_order({});
  a_few_cycles();
  EXPECT_EQ(binds(), 1u);
  tell(kube::ChangeType::kDeleted);
  tell(kube::ChangeType::kAdded);
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  end_last_bind(WriteOutcome::kUnknown);
  tell(kube::ChangeType::kDeleted);
  a_few_cycles();
  answer_order({});
  a_few_cycles();
  EXPECT_EQ(binds(), 2u);
}

TEST_F(CycleOrdersTest, OneOfAnEarlierTermIsNotMadeAgain) {
  end_last_bind(WriteOutcome::kUnknown);
  ASSERT_TRUE(soon([&] { return count(orders_read_) == 1; }));
  ++term_;  // lost, and ours again: somebody else may have filled the node
  a_few_cycles();
  answer_order({});
  answer_pod();
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  EXPECT_FALSE(last_bind().comes_again) << "it is decided about anew";
}

TEST_F(CycleOrdersTest, WhatWasNotSentIsNotLookedFor) {
  end_last_bind(WriteOutcome::kUnknown, false);
  EXPECT_TRUE(soon([&] { return count(pods_read_) == 1; }));
  EXPECT_EQ(count(orders_read_), 0u);
}

TEST_F(CycleOrdersTest, WhoNoLongerLeadsMakesNothingAgain) {
  end_last_bind(WriteOutcome::kUnknown);
  leads_ = false;
  answer_order({});
  EXPECT_TRUE(soon([&] { return count(pods_read_) == 1; }));
  EXPECT_EQ(binds(), 1u);
}

}  // namespace
}  // namespace muster::daemon
