#include "daemon/cycle_loop.h"

#include <gtest/gtest.h>
#include <thread>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

const kube::ResourceKind& pod_kind() {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == "Pod") return kind;
  std::abort();
}

// Binds every pod that it sees without a node to n1, in the next cycle.
class EagerCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return true; }
  void apply(Object object) override {
    const auto& pod = std::get<Pod>(object);
    nodes[pod.meta.name] = pod.spec.node_name;
    uids[pod.meta.name] = pod.meta.uid;
  }
  void remove(const kube::ResourceKind&, const kube::Identity& id) override { nodes.erase(id.name); }
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    for (auto& [name, node] : nodes)
      if (node.empty()) {
        outcome.effects.binds.push_back({{"ns", name, uids[name], ""}, "n1", {}, {}});
        node = "n1";
      }
    return outcome;
  }
  void on_bound(const Bind& bind, Effects& effects) override {
    effects.events.push_back({.about = bind.pod, .type = "Normal", .reason = "Scheduled", .action = "Binding", .note = bind.node});
  }
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured::kInForce; }

  std::map<std::string, std::string> nodes;
  std::map<std::string, std::string> uids;
};

class CycleLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    CycleLoop::Links links{.changes = changes_,
                           .clock = clock_,
                           .log = log_,
                           .may_decide = [this] { return leads_.load(); },
                           .carry_out =
                               [this](Effects effects) {
                                 const std::lock_guard lock(mutex_);
                                 for (auto& bind : effects.binds) binds_.push_back(std::move(bind));
                                 for (auto& event : effects.events) events_.push_back(std::move(event));
                               },
                           .read_pod =
                               [this](const kube::Identity& pod) {
                                 const std::lock_guard lock(mutex_);
                                 read_.push_back(pod);
                               }};
    loop_ = std::make_unique<CycleLoop>(std::make_unique<EagerCluster>(), 1, CycleSettings{.period = 10ms}, std::move(links));
  }
  void TearDown() override {
    loop_->stop();
    if (thread_.joinable()) thread_.join();
  }
  void start() {
    thread_ = std::thread([this] { loop_->run(); });
  }
  void tell(kube::ChangeType type, const std::string& name = {}, const std::string& version = "1", const std::string& node = {}) {
    kube::Change change{&pod_kind(), type, {"ns", name, "u-" + name, version}, {}};
    if (type == kube::ChangeType::kAdded || type == kube::ChangeType::kModified) {
      Pod pod;
      pod.meta.ns = "ns";
      pod.meta.name = name;
      pod.meta.uid = "u-" + name;
      pod.meta.resource_version = version;
      pod.spec.node_name = node;
      change.object = Object(std::move(pod));
    }
    changes_.push(std::move(change));
  }
  std::size_t binds() {
    const std::lock_guard lock(mutex_);
    return binds_.size();
  }
  template <class F>
  bool soon(F holds) {
    for (int i = 0; i < 2000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  void a_few_cycles() {
    const auto from = loop_->cycles();
    ASSERT_TRUE(soon([&] { return loop_->cycles() >= from + 3; }));
  }

  kube::EventQueue changes_{100};
  kube::SystemClock clock_;
  Log log_{{}, clock_, [](std::string_view) {}};
  std::atomic<bool> leads_ = true;
  std::mutex mutex_;
  std::vector<Bind> binds_;
  std::vector<Event> events_;
  std::vector<kube::Identity> read_;
  std::unique_ptr<CycleLoop> loop_;
  std::thread thread_;
};

TEST_F(CycleLoopTest, NoCycleBeforeEverythingIsKnown) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(loop_->cycles(), 0u);
  tell(kube::ChangeType::kSynced);
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
}

TEST_F(CycleLoopTest, NoCycleWithoutTheLease) {
  leads_ = false;
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  EXPECT_TRUE(soon([&] { return loop_->synced(); }));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(loop_->cycles(), 0u);
  leads_ = true;
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
}

TEST_F(CycleLoopTest, NoCycleWhilePodsAreListedAgain) {
  start();
  tell(kube::ChangeType::kSynced);
  a_few_cycles();
  loop_->await_list();
  std::this_thread::sleep_for(30ms);
  const auto before = loop_->cycles();
  tell(kube::ChangeType::kAdded, "a");
  std::this_thread::sleep_for(50ms);
  EXPECT_LE(loop_->cycles(), before + 1);
  EXPECT_EQ(binds(), 0u);
  tell(kube::ChangeType::kSynced);
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
}

TEST_F(CycleLoopTest, OldNewsOfAPodThatIsBeingBoundDoNotBindItAgain) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell(kube::ChangeType::kModified, "a", "2");
  a_few_cycles();
  EXPECT_EQ(binds(), 1u);
}

TEST_F(CycleLoopTest, AFailedBindIsLookedAtAndDecidedAnew) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  loop_->on_written({binds_[0], {.outcome = kube::WriteOutcome::kServerFault}});
  ASSERT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return read_.size() == 1;
  }));
  a_few_cycles();
  EXPECT_EQ(binds(), 1u) << "until it was read, it counts as bound";
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "a";
  pod.meta.uid = "u-a";
  pod.meta.resource_version = "7";
  loop_->on_read({read_[0], Object(pod)});
  EXPECT_TRUE(soon([&] { return binds() == 2; }));
}

TEST_F(CycleLoopTest, ABoundPodIsTold) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  loop_->on_written({binds_[0], {.outcome = kube::WriteOutcome::kBound}});
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return events_.size() == 1;
  }));
}

}  // namespace
}  // namespace muster::daemon
