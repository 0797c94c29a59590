#include "daemon/cycle_loop.h"

#include <ctime>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

#include "daemon/claim_bodies.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

const kube::ResourceKind& pod_kind() {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == "Pod") return kind;
  std::abort();
}

// The system's clock, and ahead of it by what a test lets pass.
class SkippingClock final : public kube::Clock {
 public:
  kube::Instant now() const override { return system_.now() + kube::Duration(skipped_.load()); }
  Timestamp wall() const override { return system_.wall(); }
  void skip(kube::Duration time) { skipped_ += time.count(); }

 private:
  kube::SystemClock system_;
  std::atomic<kube::Duration::rep> skipped_ = 0;
};

// Binds every pod that it sees without a node and without a gate to n1, in the next cycle. As Volcano's dialect it believes what it
// has decided until it is told to take it back.
class EagerCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return true; }
  void apply(Object object) override {
    if (const auto* claim = std::get_if<PersistentVolumeClaim>(&object)) {
      const std::lock_guard lock(mutex);
      selected = claim->meta.annotations.get(kSelectedNode);
      return;
    }
    if (!std::holds_alternative<Pod>(object)) return;
    const auto& pod = std::get<Pod>(object);
    auto& node = nodes[pod.meta.name];
    if (node.empty()) node = pod.spec.node_name;
    uids[pod.meta.name] = pod.meta.uid;
    gated[pod.meta.name] = !pod.spec.scheduling_gates.empty();
  }
  void remove(const kube::ResourceKind&, const kube::Identity& id) override { nodes.erase(id.name); }
  void take_back(const kube::Identity& id) override { nodes.erase(id.name); }
  Effects settle() override {
    Effects effects;
    effects.creations.push_back({{.api_version = "v1", .plural = "queues"}, "default", "{}"});
    return effects;
  }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    most_sights = std::max<std::size_t>(most_sights, sights.size());
    for (auto& sight : std::exchange(sights, {})) sight.tell(std::string("{}"));
    for (auto& [name, node] : nodes)
      if (node.empty() && !gated[name]) {
        outcome.effects.binds.push_back({{"ns", name, uids[name], ""}, "n1", {}, group});
        outcome.effects.binds.back().claims = work_of.contains(name) ? work_of[name] : work;
        outcome.effects.binds.back().rule = "allocate";
        node = "n1";
      }
    for (const auto& gang : std::exchange(given_up, {}))
      for (const auto& pod : gang.pods) outcome.effects.evictions.push_back({.pod = pod, .group = gang.gang, .why = gang.why});
    return outcome;
  }
  void skip_cycle(const Timestamp&) override { ++skipped; }
  void add_sight(Sight sight) override { sights.push_back(std::move(sight)); }
  void on_prepared(const Bind& bind, kube::Duration took) override {
    const std::lock_guard lock(mutex);
    prepared.emplace_back(bind.pod.name, took);
  }
  void on_bound(const Bind& bind, Effects& effects) override {
    effects.events.push_back({.about = bind.pod, .type = "Normal", .reason = "Scheduled", .action = "Binding", .note = bind.node});
  }
  void on_refused(const Bind& bind, const std::string& answer, const Timestamp&, Effects& effects) override {
    effects.events.push_back({.about = bind.pod, .type = "Warning", .reason = "Refused", .action = "Binding", .note = answer});
  }
  std::vector<FailedBind> take_failed_binds() override {
    const std::lock_guard lock(mutex);
    return std::exchange(failed, {});
  }
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }
  std::string gang_of(const Pod&) const override { return group; }
  bool lacks_pods(const kube::Identity&, const std::set<std::string>& without) const override {
    const auto placed =
        std::ranges::count_if(nodes, [&](const auto& pod) { return !pod.second.empty() && !without.contains(uids.at(pod.first)); });
    return !group.empty() && placed < minimum;
  }
  bool holds_room(const kube::Identity& pod) const override { return nodes.contains(pod.name) && !nodes.at(pod.name).empty(); }
  void give_up(IncompleteGang gang) override { given_up.push_back(std::move(gang)); }

  void on_not_deleted(const Delete&) override { ++not_deleted; }
  void on_not_created(const Create&) override { ++not_created; }
  void on_not_written(const kube::ObjectPath&) override { ++not_written; }

  std::shared_ptr<const ClaimWork> work;  // of every bind, but for these
  std::map<std::string, std::shared_ptr<const ClaimWork>> work_of;
  std::string group;  // of every pod
  int minimum = 2;    // of the group
  std::vector<IncompleteGang> given_up;
  std::string selected;  // the node that a volume claim says; guarded by the mutex
  std::atomic<int> not_deleted = 0;
  std::atomic<int> not_created = 0;
  std::atomic<int> not_written = 0;
  std::mutex mutex;
  std::vector<FailedBind> failed;                                // guarded by the mutex
  std::vector<std::pair<std::string, kube::Duration>> prepared;  // pods, and after how long; guarded by the mutex
  std::map<std::string, std::string> nodes;
  std::map<std::string, std::string> uids;
  std::map<std::string, bool> gated;
  std::atomic<int> skipped = 0;
  std::vector<Sight> sights;
  std::atomic<std::size_t> most_sights = 0;  // in one cycle
};

class CycleLoopTest : public testing::Test {
 protected:
  void SetUp() override {
    CycleLoop::Links links{.changes = changes_,
                           .clock = clock_,
                           .log = log_,
                           .may_decide = [this] { return asks_whether_we_lead(); },
                           .term = [this] { return term_.load(); },
                           .carry_out =
                               [this](Effects effects) {
                                 const std::lock_guard lock(mutex_);
                                 terms_.push_back(effects.term);
                                 for (auto& bind : effects.binds) binds_.push_back(std::move(bind));
                                 for (auto& event : effects.events) events_.push_back(std::move(event));
                                 for (auto& uid : effects.gone) gone_.push_back(std::move(uid));
                                 for (auto& eviction : effects.evictions) evictions_.push_back(std::move(eviction));
                                 for (auto& step : effects.steps) steps_.push_back(std::move(step));
                                 creations_ += effects.creations.size();
                               },
                           .read_pod =
                               [this](const kube::Identity& pod) {
                                 const std::lock_guard lock(mutex_);
                                 read_.push_back(pod);
                               },
                           .drop_binds =
                               [this](const std::string& gang) {
                                 const std::lock_guard lock(mutex_);
                                 dropped_.push_back(gang);
                               },
                           .on_not_bound =
                               [this](const Bind& bind, NotBound how, const std::string& why) {
                                 const std::lock_guard lock(mutex_);
                                 not_bound_ += bind.pod.name +
                                               (how == NotBound::kNotSent       ? " not sent: "
                                                : how == NotBound::kNotPrepared ? " not prepared: "
                                                                                : " failed: ") +
                                               why + "; ";
                               }};
    auto cluster = std::make_unique<EagerCluster>();
    cluster_ = cluster.get();
    links_.emplace(links);
    loop_ = std::make_unique<CycleLoop>(std::move(cluster), 1,
                                        CycleSettings{.period = kPeriod, .hold = {.first = kHold}, .gang_patience = kPatience},
                                        std::move(links));
  }
  void TearDown() override {
    loop_->stop();
    if (thread_.joinable()) thread_.join();
  }
  // In the middle of one of these questions somebody else's thread may go on as far as it likes.
  bool asks_whether_we_lead() {
    if (questions_until_we_lead_ > 0 && --questions_until_we_lead_ == 0) {
      loop_->await_list();
      leads_ = true;
    }
    return leads_;
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
  void tell_refused(std::size_t bind, kube::WriteOutcome outcome) {
    const std::lock_guard lock(mutex_);
    loop_->on_written({binds_[bind], {.outcome = outcome, .retry_after = {}, .message = "no", .body = {}}});
  }
  void tell_passing_fault(std::size_t bind) {
    const std::lock_guard lock(mutex_);
    kube::WriteResult result{.outcome = kube::WriteOutcome::kServerFault, .retry_after = {}, .message = "503", .body = {}};
    result.is_passing = true;
    loop_->on_written({binds_[bind], std::move(result)});
  }
  // The binds of the second pod come to nothing, after so long each, and it is decided about anew.
  void refuse_again(std::vector<std::pair<kube::Duration, bool>> passing) {
    for (const auto& [after, is_passing] : passing) {
      clock_.skip(after);
      const auto last = binds() - 1;
      is_passing ? tell_passing_fault(last) : tell_refused(last, kube::WriteOutcome::kConflict);
      answer_reading(std::to_string(version_++));
      ASSERT_TRUE(soon([&] {
        clock_.skip(10ms);  // it is held
        return binds() == last + 2;
      }));
    }
  }
  // The reading that was asked for, of a pod without a node.
  void answer_reading(const std::string& version) {
    ASSERT_TRUE(soon([&] {
      const std::lock_guard lock(mutex_);
      return !read_.empty();
    }));
    const std::lock_guard lock(mutex_);
    Pod pod;
    pod.meta.ns = read_[0].ns;
    pod.meta.name = read_[0].name;
    pod.meta.uid = read_[0].uid;
    pod.meta.resource_version = version;
    loop_->on_read({read_[0], Object(pod)});
    read_.erase(read_.begin());
  }
  std::size_t binds() {
    const std::lock_guard lock(mutex_);
    return binds_.size();
  }
  // Events that were to be written.
  std::string not_bound() {
    const std::lock_guard lock(mutex_);
    return not_bound_;
  }
  std::string told() {
    const std::lock_guard lock(mutex_);
    std::string out;
    for (const auto& event : events_) out += event.about.name + " " + event.reason + ": " + event.note + "; ";
    return out;
  }
  bool has_logged(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return lines_.find(text) != std::string::npos;
  }
  // A pod waits, and its bind for a volume claim.
  void start_with_a_claim() {
    ClaimWork work;
    work.provisions.push_back(claim());
    cluster_->work = std::make_shared<const ClaimWork>(std::move(work));
    start();
    tell(kube::ChangeType::kAdded, "a");
    tell(kube::ChangeType::kSynced);
  }
  static PersistentVolumeClaim claim() {
    PersistentVolumeClaim claim;
    claim.meta.ns = "ns";
    claim.meta.name = "c";
    return claim;
  }
  void tell_claim_is_bound() {
    auto bound = claim();
    bound.volume_name = "v";
    bound.meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
    changes_.push({&pod_kind(), kube::ChangeType::kModified, {"ns", "c", "", "9"}, Object(bound)});
  }
  std::size_t steps() {
    const std::lock_guard lock(mutex_);
    return steps_.size();
  }
  void answer(std::size_t step, kube::WriteOutcome outcome) {
    const std::lock_guard lock(mutex_);
    loop_->on_written({steps_.at(step), {.outcome = outcome, .retry_after = {}, .message = "no", .body = "{}"}});
  }
  void a_few_cycles() {
    const auto from = loop_->cycles();
    ASSERT_TRUE(soon([&] { return loop_->cycles() >= from + 3; }));
  }

  // A gang of two, of which the first is bound.
  void start_with_a_gang_being_bound() {
    cluster_->group = "ns/g";
    start();
    tell(kube::ChangeType::kAdded, "a");
    tell(kube::ChangeType::kAdded, "b");
    tell(kube::ChangeType::kSynced);
    ASSERT_TRUE(soon([&] { return binds() == 2; }));
    refused_at_ = clock_.now();
    tell_refused(0, kube::WriteOutcome::kBound);
  }
  // And the second refused.
  void start_with_half_a_gang() {
    start_with_a_gang_being_bound();
    tell_refused(1, kube::WriteOutcome::kForbidden);
    answer_reading(std::to_string(version_++));
  }
  std::size_t evictions() {
    const std::lock_guard lock(mutex_);
    return evictions_.size();
  }

  static constexpr auto kPeriod = 10ms;
  static constexpr auto kHold = 1s;
  static constexpr auto kPatience = 400ms;
  static constexpr std::uint64_t kFewCycles = 2 * kPatience / kPeriod + 20;  // while a test waits for twice that time
  kube::EventQueue changes_{100};
  SkippingClock clock_;
  Log log_{{.level = LogLevel::kDebug}, clock_, [this](std::string_view line) {
             const std::lock_guard lock(mutex_);
             lines_ += line;
           }};
  std::string lines_;
  std::atomic<bool> leads_ = true;
  std::atomic<int> questions_until_we_lead_ = 0;  // 0: that does not change by them
  std::atomic<std::uint64_t> term_ = 0;
  std::mutex mutex_;
  std::vector<std::uint64_t> terms_;  // of what was to be carried out
  std::vector<Bind> binds_;
  std::vector<Evict> evictions_;
  kube::Instant refused_at_{};
  int version_ = 7;                   // of the next reading
  std::vector<std::string> dropped_;  // gangs
  std::string not_bound_;             // of whom no bind was handed out, or not by us
  std::vector<Event> events_;
  std::vector<std::string> gone_;  // uids
  std::vector<ClaimStep> steps_;
  std::atomic<std::size_t> creations_ = 0;
  std::vector<kube::Identity> read_;
  std::optional<CycleLoop::Links> links_;
  std::unique_ptr<CycleLoop> loop_;
  EagerCluster* cluster_ = nullptr;
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
  EXPECT_GT(cluster_->skipped, 1);  // what is gone is forgotten meanwhile
  EXPECT_EQ(creations_, 0u);
  leads_ = true;
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
  EXPECT_EQ(creations_, 1u);  // what the cluster lacks is not forgotten with the time in which somebody else led
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

// Both become true between two questions of the thread that decides, whichever these are.
TEST_F(CycleLoopTest, NoCycleBetweenBeginningToLeadAndListingAgain) {
  leads_ = false;
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  for (int questions = 1; questions <= 6; ++questions) {
    ASSERT_TRUE(soon([&, skipped = cluster_->skipped.load()] { return cluster_->skipped > skipped + 1; }));
    questions_until_we_lead_ = questions;
    ASSERT_TRUE(soon([&] { return leads_.load(); }));
    std::this_thread::sleep_for(3 * kPeriod);
    ASSERT_EQ(loop_->cycles(), 0u) << questions;
    leads_ = false;
    tell(kube::ChangeType::kSynced);
  }
  ASSERT_TRUE(soon([&, skipped = cluster_->skipped.load()] { return cluster_->skipped > skipped + 1; }));
  leads_ = true;
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
}

TEST_F(CycleLoopTest, WhatSomebodyElseMayHaveSaidSinceIsForgottenHoweverShortTheirTerm) {
  start();
  tell(kube::ChangeType::kSynced);
  a_few_cycles();
  EXPECT_EQ(cluster_->skipped, 0);
  ++term_;
  a_few_cycles();
  EXPECT_EQ(cluster_->skipped, 1);
}

TEST_F(CycleLoopTest, OfManyExplanationsEachCycleTakesAFew) {
  start();
  tell(kube::ChangeType::kSynced);
  a_few_cycles();
  std::atomic<int> told = 0;
  loop_->post([&](CycleLoop& loop) {
    const auto count = [&](const Result<std::string>&) { ++told; };
    loop.add_sight({.what = Sight::What::kQueues, .tell = count});
    for (int i = 0; i < 18; ++i) loop.add_sight({.what = Sight::What::kJob, .name = "ns/j", .tell = count});
  });
  EXPECT_TRUE(soon([&] { return told == 19; }));
  EXPECT_EQ(cluster_->most_sights, 5u);
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

TEST_F(CycleLoopTest, ABindWithoutAnAnswerIsLookedAtAndDecidedAnew) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell_refused(0, kube::WriteOutcome::kUnknown);
  a_few_cycles();
  EXPECT_EQ(binds(), 1u) << "until it was read, it counts as bound";
  answer_reading("7");
  EXPECT_TRUE(soon([&] { return binds() == 2; }));
  EXPECT_TRUE(events_.empty());
}

TEST_F(CycleLoopTest, ARefusedPodIsHeldForAWhileAndOthersGoOn) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  const auto refused_at = clock_.now();
  tell_refused(0, kube::WriteOutcome::kInvalid);
  answer_reading("7");
  a_few_cycles();  // it is older than what follows
  tell(kube::ChangeType::kModified, "a", "8");
  tell(kube::ChangeType::kAdded, "b");
  ASSERT_TRUE(soon([&] { return binds() == 3; }));
  EXPECT_GE(clock_.now() - refused_at, kHold);
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(binds_[1].pod.name, "b");
  EXPECT_EQ(binds_[2].pod.name, "a");
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].reason, "Refused");
}

TEST_F(CycleLoopTest, AGangOfWhichABindIsRefusedGivesBackItsRoom) {
  start_with_half_a_gang();
  ASSERT_TRUE(soon([&] { return evictions() == 1; }));
  EXPECT_GE(clock_.now() - refused_at_, kPatience);
  a_few_cycles();
  {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(dropped_, std::vector<std::string>{"ns/g"});
    ASSERT_EQ(evictions_.size(), 1u) << "once is enough";
    EXPECT_EQ(evictions_[0].pod.name, "a");
    EXPECT_EQ(evictions_[0].why, "its gang cannot be completed: the bind of ns/b to n1 was refused: no");
  }
  tell(kube::ChangeType::kDeleted, "a");
  tell(kube::ChangeType::kAdded, "c");
  ASSERT_TRUE(soon([&] { return binds() > 2; }));
  EXPECT_GE(clock_.now() - refused_at_, kHold) << "who takes its place waits as long as the refused one";
}

TEST_F(CycleLoopTest, AGangKeepsItsRoomWhileEvictionsAreStopped) {
  loop_->post([](CycleLoop& loop) { loop.stop_evicting(); });
  start_with_half_a_gang();
  const auto from = loop_->cycles();
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  EXPECT_LT(loop_->cycles() - from, kFewCycles);
}

TEST_F(CycleLoopTest, NobodyIsEvictedForAGangWithoutTheLease) {
  start_with_half_a_gang();
  leads_ = false;
  const auto from = cluster_->skipped.load();
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  EXPECT_LT(static_cast<std::uint64_t>(cluster_->skipped - from), kFewCycles);
  leads_ = true;
  EXPECT_TRUE(soon([&] { return evictions() == 1; }));
}

TEST_F(CycleLoopTest, NobodyIsEvictedForAGangThatSomebodyElseMayHaveCompleted) {
  start_with_half_a_gang();
  leads_ = false;
  ++term_;
  std::this_thread::sleep_for(kPatience);
  leads_ = true;
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
}

TEST_F(CycleLoopTest, AGangThatRunsWithoutTheRefusedPodStays) {
  cluster_->minimum = 1;
  start_with_half_a_gang();
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(dropped_.empty());
}

TEST_F(CycleLoopTest, ABindThatTheServerOnlyConflictsWithHoldsUpNoGang) {
  cluster_->group = "ns/g";
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kAdded, "b");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  tell_refused(0, kube::WriteOutcome::kBound);
  tell_refused(1, kube::WriteOutcome::kConflict);
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(dropped_.empty());
}

TEST_F(CycleLoopTest, AServerThatIsAwayForAMomentHoldsUpNoGang) {
  cluster_->group = "ns/g";
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kAdded, "b");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  tell_refused(0, kube::WriteOutcome::kBound);
  tell_passing_fault(1);
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
}

TEST_F(CycleLoopTest, AServerThatIsAwayForOnePodForMoreThanAMinuteHoldsUpItsGang) {
  start_with_a_gang_being_bound();
  refuse_again({{0s, true}, {30s, true}});
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u) << "not yet";
  clock_.skip(31s);
  tell_passing_fault(binds() - 1);
  answer_reading(std::to_string(version_++));
  ASSERT_TRUE(soon([&] { return evictions() == 1; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(evictions_[0].pod.name, "a");
}

TEST_F(CycleLoopTest, TroublesThatArePartedByTimeOrByAnotherAnswerAreTwo) {
  start_with_a_gang_being_bound();
  refuse_again({{0s, true}, {4min, true}, {50s, true}, {1s, false}, {20s, true}});
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(dropped_.empty());
}

TEST_F(CycleLoopTest, TroublesOfAnotherTermAreAnotherTrouble) {
  start_with_a_gang_being_bound();
  refuse_again({{0s, true}});
  ++term_;
  a_few_cycles();
  refuse_again({{61s, true}, {1s, true}});
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(dropped_.empty());
}

// Whoever made it may take its time to replace it; its node is gone for all of them.
TEST_F(CycleLoopTest, APodWhoseContainersFailIsNotLostAndOneThatItsNodeThrowsOutIs) {
  start_with_a_gang_being_bound();
  loop_->post([this](CycleLoop&) { cluster_->minimum = 3; });  // of which the failed one is none
  tell_refused(1, kube::WriteOutcome::kBound);
  a_few_cycles();
  Pod failed;
  failed.meta.ns = "ns";
  failed.meta.name = "b";
  failed.meta.uid = "u-b";
  failed.meta.resource_version = "3";
  failed.spec.node_name = "n1";
  failed.status.phase = "Failed";
  const auto tell_failed = [&] {
    changes_.push({&pod_kind(), kube::ChangeType::kModified, {"ns", "b", "u-b", failed.meta.resource_version}, Object(failed)});
  };
  tell_failed();
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(evictions(), 0u);
  failed.meta.resource_version = "4";
  Condition thrown_out;
  thrown_out.type = "DisruptionTarget";
  thrown_out.status = "True";
  failed.status.conditions.push_back(thrown_out);
  tell_failed();
  EXPECT_TRUE(soon([&] { return evictions() > 0; }));
}

TEST_F(CycleLoopTest, AGangThatLosesAPodWhileItIsBoundGivesBackItsRoom) {
  cluster_->group = "ns/g";
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kAdded, "b");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  tell_refused(0, kube::WriteOutcome::kBound);
  tell(kube::ChangeType::kDeleted, "b");  // with its node
  ASSERT_TRUE(soon([&] { return evictions() == 1; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(evictions_[0].pod.name, "a");
  EXPECT_EQ(evictions_[0].why, "its gang cannot be completed: ns/b was lost");
}

TEST_F(CycleLoopTest, OldNewsDoNotUndoAReading) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell_refused(0, kube::WriteOutcome::kUnknown);
  answer_reading("7");
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  tell(kube::ChangeType::kModified, "a", "6", "n9");
  tell(kube::ChangeType::kModified, "a", "9", "n1");
  a_few_cycles();
  EXPECT_EQ(binds(), 2u);
}

TEST_F(CycleLoopTest, AReadingThatTheWatchHasOvertakenIsAskedForAgain) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell_refused(0, kube::WriteOutcome::kUnknown);
  tell(kube::ChangeType::kModified, "a", "8");
  a_few_cycles();
  answer_reading("7");
  a_few_cycles();
  EXPECT_EQ(binds(), 1u);
  answer_reading("8");
  EXPECT_TRUE(soon([&] { return binds() == 2; }));
}

TEST_F(CycleLoopTest, AReadingOfAPodThatIsGoneMeanwhileIsPassedOver) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell_refused(0, kube::WriteOutcome::kUnknown);
  tell(kube::ChangeType::kDeleted, "a");
  a_few_cycles();
  answer_reading("7");
  a_few_cycles();
  EXPECT_EQ(binds(), 1u);
}

TEST_F(CycleLoopTest, ABoundPodIsTold) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  loop_->on_written({binds_[0], {.outcome = kube::WriteOutcome::kBound, .retry_after = {}, .message = {}, .body = {}}});
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return events_.size() == 1;
  }));
}

Evict an_eviction(const std::string& name) {
  Evict evict{.pod = {"ns", name, "u-" + name, ""}, .rule = "preempt", .for_group = "ns/big"};
  evict.told.push_back({.about = evict.pod, .type = "Warning", .reason = "Evict", .action = "Evict", .note = "goes"});
  return evict;
}

TEST_F(CycleLoopTest, AnEvictionIsToldWhenTheServerHasAgreed) {
  start();
  tell(kube::ChangeType::kSynced);
  for (const auto outcome : {kube::WriteOutcome::kBlockedByBudget, kube::WriteOutcome::kUnknown, kube::WriteOutcome::kGone})
    loop_->on_written({an_eviction("a"), {.outcome = outcome, .retry_after = {}, .message = "no", .body = {}}});
  loop_->on_written({an_eviction("b"), {.outcome = kube::WriteOutcome::kEvicted, .retry_after = {}, .message = {}, .body = {}}});
  ASSERT_TRUE(soon([&] { return !told().empty(); }));
  EXPECT_EQ(told(), "b Evict: goes; ");
}

TEST_F(CycleLoopTest, WhatBlocksAnEvictionIsTold) {
  start();
  tell(kube::ChangeType::kSynced);
  for (const auto* answer : {"the budget x", "the budget y"}) loop_->on_blocked(an_eviction("a"), answer);
  loop_->on_blocked({.pod = {"ns", "b", "u-b", ""}}, "the budget x");
  ASSERT_TRUE(soon([&] { return told().find("b Ev") != std::string::npos; }));
  EXPECT_EQ(told(),
            "a EvictionBlocked: Pod is to be evicted for ns/big, because of preempt, and cannot be: the budget x; "
            "a EvictionBlocked: Pod is to be evicted for ns/big, because of preempt, and cannot be: the budget y; "
            "b EvictionBlocked: Pod is to be evicted, and cannot be: the budget x; ");
}

TEST_F(CycleLoopTest, WhatHasGoneIsHandedOn) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  tell(kube::ChangeType::kDeleted, "a");
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return gone_ == std::vector<std::string>{"u-a"};
  }));
}

TEST_F(CycleLoopTest, LinesOfTheLogSayWhichCycleAndActionDecided) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  const auto cycle = "cycle=" + std::to_string(binds_[0].cycle);
  EXPECT_NE(cycle, "cycle=0");
  EXPECT_TRUE(has_logged("\"decided\" " + cycle + " binds=1 evictions=0"));
  EXPECT_TRUE(has_logged("\"a pod is to be bound\" " + cycle + " action=allocate pod=ns/a node=n1"));
  tell_refused(0, kube::WriteOutcome::kConflict);
  EXPECT_TRUE(soon([&] { return has_logged("\"a bind failed\" " + cycle + " action=allocate pod=ns/a"); }));
  auto evict = an_eviction("b");
  evict.cycle = 3;
  loop_->on_written({evict, {.outcome = kube::WriteOutcome::kForbidden, .retry_after = {}, .message = "no", .body = {}}});
  EXPECT_TRUE(soon([&] { return has_logged("\"an eviction failed\" cycle=3 action=preempt pod=ns/b"); }));
}

TEST_F(CycleLoopTest, ABindThatOthersCouldNotCarryOutIsHeldToo) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  const auto failed_at = clock_.now();
  {
    const std::scoped_lock lock(cluster_->mutex, mutex_);
    cluster_->failed.push_back({binds_[0], "no"});
  }
  answer_reading("7");
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  EXPECT_GE(clock_.now() - failed_at, kHold);
}

TEST_F(CycleLoopTest, AnObjectThatStaysInTheWayOfAnOrderHoldsThePod) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  tell_refused(0, kube::WriteOutcome::kAlreadyExists);
  answer_reading("7");
  ASSERT_TRUE(soon([&] { return binds() == 2; })) << "what was in the way may have gone";
  {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(events_.empty());
  }
  const auto refused_at = clock_.now();
  tell_refused(1, kube::WriteOutcome::kAlreadyExists);
  answer_reading("8");
  ASSERT_TRUE(soon([&] { return binds() == 3; }));
  EXPECT_GE(clock_.now() - refused_at, kHold);
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].reason, "Refused");
}

TEST_F(CycleLoopTest, ADeletionThatWasNotCarriedOutIsToldToWhoAskedForIt) {
  start();
  tell(kube::ChangeType::kSynced);
  const Delete deletion{{.api_version = "v1", .plural = "pods", .ns = "ns", .name = "a"}, "u"};
  for (const auto outcome : {kube::WriteOutcome::kDone, kube::WriteOutcome::kGone, kube::WriteOutcome::kForbidden})
    loop_->on_written({deletion, {.outcome = outcome, .retry_after = {}, .message = "no", .body = {}}});
  EXPECT_TRUE(soon([&] { return cluster_->not_deleted > 0; }));
  EXPECT_EQ(cluster_->not_deleted, 1);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(read_.empty());
}

TEST_F(CycleLoopTest, WhatWasNotCreatedOrWrittenIsToldToWhoAskedForIt) {
  start();
  tell(kube::ChangeType::kSynced);
  const Create creation{{.api_version = "v1", .plural = "queues"}, "default", "{}"};
  for (const auto outcome : {kube::WriteOutcome::kDone, kube::WriteOutcome::kAlreadyExists, kube::WriteOutcome::kServerFault,
                             kube::WriteOutcome::kGone, kube::WriteOutcome::kServerFault})
    loop_->on_written({creation, {.outcome = outcome, .retry_after = {}, .message = "no", .body = {}}});
  loop_->on_written({Patch{{.api_version = "v1", .plural = "pods", .ns = "ns", .name = "a"}, kube::PatchType::kMerge, "{}"},
                     {.outcome = kube::WriteOutcome::kUnknown, .retry_after = {}, .message = "no", .body = {}}});
  EXPECT_TRUE(soon([&] { return cluster_->not_written == 1; }));
  EXPECT_EQ(cluster_->not_created, 3);
}

TEST_F(CycleLoopTest, ABindWaitsForItsClaimsAndComesAgainWhenTheyFail) {
  start_with_a_claim();
  const auto selected = [&] {
    const std::lock_guard lock(cluster_->mutex);
    return cluster_->selected;
  };
  ASSERT_TRUE(soon([&] { return steps() == 1 && selected() == "n1"; }));
  a_few_cycles();
  EXPECT_EQ(binds(), 0u);
  const auto refused_at = clock_.now();
  answer(0, kube::WriteOutcome::kForbidden);
  answer_reading("7");
  EXPECT_EQ(selected(), "") << "it is not so";
  ASSERT_TRUE(soon([&] { return steps() == 2; })) << "it is decided about anew";
  EXPECT_GE(clock_.now() - refused_at, kHold);
  {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(events_.size(), 1u);
    EXPECT_EQ(events_[0].note, "cannot write persistentvolumeclaim \"c\": no");
  }
  answer(1, kube::WriteOutcome::kDone);
  a_few_cycles();
  EXPECT_EQ(binds(), 0u) << "the claim is not bound yet";
  clock_.skip(1min);
  tell_claim_is_bound();
  ASSERT_TRUE(soon([&] { return binds() == 1; }));
  const std::lock_guard lock(cluster_->mutex);
  ASSERT_EQ(cluster_->prepared.size(), 1u) << "the second time";
  EXPECT_GE(cluster_->prepared[0].second, 1min);
  EXPECT_LT(cluster_->prepared[0].second, 2min);
}

TEST_F(CycleLoopTest, ABindThatWaitsForItsClaimsIsOverWithTheTerm) {
  start_with_a_claim();
  ASSERT_TRUE(soon([&] { return steps() == 1; }));
  answer(0, kube::WriteOutcome::kDone);
  ++term_;  // lost, and ours again
  ASSERT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return read_.size() == 1;
  })) << "how is the pod now?";
  tell_claim_is_bound();
  a_few_cycles();
  EXPECT_EQ(binds(), 0u) << "somebody else may have filled the node";
  loop_->post([this](CycleLoop&) { cluster_->work.reset(); });
  answer_reading("7");
  EXPECT_TRUE(soon([&] { return binds() == 1; })) << "it is decided about anew";
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(terms_.back(), 1u);
}

// Bound, they would have to leave again, and so with every attempt.
TEST_F(CycleLoopTest, NobodyOfAGangIsSentWhenOneOfThemIsKnownToBeImpossible) {
  ClaimWork impossible, possible;
  impossible.obstacle = "no volume was found";
  possible.provisions.push_back(claim());
  cluster_->work_of["b"] = std::make_shared<const ClaimWork>(std::move(impossible));
  cluster_->work_of["c"] = std::make_shared<const ClaimWork>(std::move(possible));
  cluster_->group = "ns/g";
  cluster_->minimum = 3;
  start();
  for (const auto* name : {"a", "b", "c"}) tell(kube::ChangeType::kAdded, name);
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return read_.size() == 3;
  })) << "how are they now?";
  a_few_cycles();
  EXPECT_EQ(binds(), 0u);
  EXPECT_EQ(steps(), 0u);
  EXPECT_TRUE(has_logged("\"binds were not sent\""));
  EXPECT_TRUE(
      has_logged("gang=ns/g pods=2 why=\"another pod of its gang cannot be bound: the bind of ns/b to n1 could not be prepared: no "
                 "volume was found\""));
  EXPECT_EQ(
      not_bound(),
      "c not sent: another pod of its gang cannot be bound: the bind of ns/b to n1 could not be prepared: no volume was found; "
      "a not sent: another pod of its gang cannot be bound: the bind of ns/b to n1 could not be prepared: no volume was found; "
      "b not prepared: no volume was found; ");
  const std::lock_guard lock(cluster_->mutex);
  EXPECT_EQ(cluster_->selected, "") << "nor is anything set aside";
}

// What a needs is there in the moment in which what b needs is refused.
TEST_F(CycleLoopTest, ABindWhoseTurnComesTogetherWithARefusalInItsGangIsNotSent) {
  for (const auto* name : {"a", "b"}) {
    ClaimWork work;
    work.provisions.push_back(claim());
    if (std::string_view(name) == "b") work.provisions[0].meta.name = "d";
    cluster_->work_of[name] = std::make_shared<const ClaimWork>(std::move(work));
  }
  cluster_->group = "ns/g";
  start();
  for (const auto* name : {"a", "b"}) tell(kube::ChangeType::kAdded, name);
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return steps() == 2; }));
  loop_->post([this](CycleLoop&) {  // all of it is heard of after this, and together
    tell_claim_is_bound();
    answer(0, kube::WriteOutcome::kDone);
    answer(1, kube::WriteOutcome::kForbidden);
  });
  ASSERT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return read_.size() == 2;
  })) << "how are they now?";
  a_few_cycles();
  EXPECT_EQ(binds(), 0u);
  EXPECT_NE(not_bound().find("a not sent: another pod of its gang cannot be bound: the bind of ns/b"), std::string::npos);
}

// Who follows on has listed everything anew, and sees devices on a claim, but not that they are to go back.
TEST_F(CycleLoopTest, DevicesThatWereNotGivenBackAreLeftToTheNextLoop) {
  ResourceClaim devices;
  devices.meta.ns = "ns";
  devices.meta.name = "d";
  devices.allocation.emplace();
  ClaimWork work;
  work.devices.push_back({devices, R"({"a":1})"});
  cluster_->work = std::make_shared<const ClaimWork>(std::move(work));
  start();
  for (const auto* name : {"a", "b"}) tell(kube::ChangeType::kAdded, name);
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return steps() == 2; })) << "finalizers";
  for (const std::size_t step : {0, 1}) answer(step, kube::WriteOutcome::kDone);
  ASSERT_TRUE(soon([&] { return steps() == 4; })) << "devices";
  loop_->stop();
  thread_.join();
  auto left_over = loop_->leave();
  ASSERT_EQ(left_over.size(), 2u);
  EXPECT_EQ(left_over[0].kind, ClaimStep::Kind::kUnreserve);

  auto cluster = std::make_unique<EagerCluster>();
  cluster->gated["b"] = true;
  CycleLoop next(std::move(cluster), 1, {.period = kPeriod}, *links_);
  next.inherit(std::move(left_over));
  std::thread running([&] { next.run(); });
  tell(kube::ChangeType::kAdded, "a", "9", "n1");  // its bind was carried out
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return next.cycles() > 3; }));
  EXPECT_EQ(steps(), 4u) << "it is not known at once who uses them after all";
  clock_.skip(11s);
  EXPECT_TRUE(soon([&] { return steps() == 5; }));
  next.stop();
  running.join();
  ASSERT_EQ(steps_.size(), 5u);
  EXPECT_EQ(steps_[4].kind, ClaimStep::Kind::kUnreserve);
  EXPECT_EQ(steps_[4].pod.name, "b");
}

TEST_F(CycleLoopTest, WhoRunsWithoutTheImpossibleOneIsSent) {
  ClaimWork impossible;
  impossible.obstacle = "no volume was found";
  cluster_->work_of["b"] = std::make_shared<const ClaimWork>(std::move(impossible));
  cluster_->group = "ns/g";
  cluster_->minimum = 1;
  start();
  for (const auto* name : {"a", "b"}) tell(kube::ChangeType::kAdded, name);
  tell(kube::ChangeType::kSynced);
  EXPECT_TRUE(soon([&] { return binds() == 1; }));
}

TEST_F(CycleLoopTest, BindsOfAGangThatWereNotSentAreOneLineAndNoFailures) {
  cluster_->group = "ns/g";
  start();
  for (const auto* name : {"a", "b"}) tell(kube::ChangeType::kAdded, name);
  tell(kube::ChangeType::kSynced);
  ASSERT_TRUE(soon([&] { return binds() == 2; }));
  loop_->post([this](CycleLoop& loop) {
    const std::lock_guard lock(mutex_);
    for (const auto& bind : binds_)
      loop.on_written({bind,
                       {.outcome = kube::WriteOutcome::kUnknown,
                        .retry_after = {},
                        .message = "its gang was given up",
                        .body = {},
                        .was_sent = false}});
  });
  EXPECT_TRUE(soon([&] { return has_logged("gang=ns/g pods=2 why=\"its gang was given up\""); }));
  EXPECT_FALSE(has_logged("a bind failed"));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(read_.size(), 2u) << "they wait again, if nothing has happened to them";
}

// A kind that may not be listed, or no server: that may last for days.
TEST_F(CycleLoopTest, WhoWaitsForObjectsDoesNotSpin) {
  start();
  tell(kube::ChangeType::kAdded, "a");
  timespec before{}, after{};
  clockid_t cpu{};
  ASSERT_EQ(pthread_getcpuclockid(thread_.native_handle(), &cpu), 0);
  clock_gettime(cpu, &before);
  std::this_thread::sleep_for(300ms);
  clock_gettime(cpu, &after);
  const auto nanos = (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
  EXPECT_LT(nanos, 30'000'000);
}

TEST_F(CycleLoopTest, WhoDoesNotLeadLeavesFailedBindsToWhoDoes) {
  leads_ = false;
  start();
  tell(kube::ChangeType::kSynced);
  {
    const std::lock_guard lock(cluster_->mutex);
    cluster_->failed.push_back({{.pod = {"ns", "a", "u-a", ""}, .node = "n1"}, "no"});
  }
  ASSERT_TRUE(soon([&] { return cluster_->skipped > 2; }));
  {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(read_.empty());
  }
  leads_ = true;
  EXPECT_TRUE(soon([&] {
    const std::lock_guard lock(mutex_);
    return read_.size() == 1;
  }));
}

}  // namespace
}  // namespace muster::daemon
