#include "daemon/cycle_news.h"

#include <gtest/gtest.h>
#include <thread>

#include "daemon/cycle_loop.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

class StandingClock final : public kube::Clock {
 public:
  kube::Instant now() const override { return instant; }
  Timestamp wall() const override { return {1'767'225'600, 0}; }
  kube::Instant instant{std::chrono::hours(1)};
};

class CycleNewsTest : public testing::Test {
 protected:
  void tell(std::uint64_t cycle, std::size_t binds = 0, std::size_t evictions = 0) {
    news_.tell({.cycle = cycle, .time = clock_.wall(), .binds = binds, .evictions = evictions});
  }
  void let_pass(kube::Duration time) {
    clock_.instant += time;
    if (work_ && clock_.instant >= due_) std::exchange(work_, {})();
  }

  StandingClock clock_;
  kube::Instant due_{};
  std::function<void()> work_;
  CycleNews news_{clock_, [this](kube::Duration wait, std::function<void()> work) {
                    EXPECT_FALSE(work_) << "once is enough";
                    due_ = clock_.instant + wait;
                    work_ = std::move(work);
                  }};
};

TEST_F(CycleNewsTest, TheFirstAreToldAtOnceAndTheNextTogetherASecondLater) {
  const auto stream = news_.listen();
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->take().bytes, ": alive\n\n");
  tell(7, 3, 1);
  EXPECT_EQ(stream->take().bytes,
            "event: cycle\ndata: {\"cycle\":7,\"time\":\"2026-01-01T00:00:00Z\",\"binds\":3,\"evictions\":1}\n\n");
  let_pass(300ms);
  tell(8, 1);
  let_pass(300ms);
  tell(9, 2, 5);
  EXPECT_EQ(stream->take().bytes, "");
  let_pass(399ms);
  EXPECT_EQ(stream->take().bytes, "");
  let_pass(1ms);
  EXPECT_EQ(stream->take().bytes,
            "event: cycle\ndata: {\"cycle\":9,\"time\":\"2026-01-01T00:00:00Z\",\"binds\":3,\"evictions\":5}\n\n");
  let_pass(5s);
  EXPECT_EQ(stream->take().bytes, "") << "nothing has happened";
  tell(20);
  EXPECT_NE(stream->take().bytes.find("\"cycle\":20,"), std::string::npos);
}

TEST_F(CycleNewsTest, EverybodyHearsTheSame) {
  const auto first = news_.listen();
  const auto second = news_.listen();
  first->take(), second->take();
  tell(1);
  EXPECT_EQ(first->take().bytes, second->take().bytes);
}

TEST_F(CycleNewsTest, WithoutListenersNothingIsDone) {
  tell(1);
  const auto stream = news_.listen();
  stream->take();
  EXPECT_EQ(stream->take().bytes, "");
  tell(2, 1);
  EXPECT_NE(stream->take().bytes.find("\"cycle\":2,"), std::string::npos) << "nobody was told of the first, so there is no wait";
}

TEST_F(CycleNewsTest, ThereIsABoundAndWhoLeavesMakesRoom) {
  std::vector<std::shared_ptr<server::Stream>> streams;
  while (auto stream = news_.listen()) {
    streams.push_back(std::move(stream));
    ASSERT_LT(streams.size(), 1000u);
  }
  EXPECT_EQ(streams.size(), 64u);
  streams.back()->detach();
  EXPECT_TRUE(news_.listen());
}

// Decides when it is told to.
class CalmCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return true; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    if (decides.exchange(false)) outcome.effects.binds.push_back({.pod = {"ns", "p", "u", ""}, .node = "n1"});
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }

  std::atomic<bool> decides = false;
};

TEST(CycleLoopNews, LookingIsNoneButWhatHappenedIs) {
  kube::EventQueue changes(100);
  const kube::SystemClock clock;
  Log log({}, clock, [](std::string_view) {});
  std::mutex mutex;
  std::string told;  // "+" a cycle with news, "-" one without
  CycleLoop* running = nullptr;
  CycleLoop::Links links{.changes = changes,
                         .clock = clock,
                         .log = log,
                         .may_decide = [] { return true; },
                         .carry_out = [](Effects) {},
                         .read_pod = [](const kube::Identity&) {},
                         .on_cycle =
                             [&](const CycleOutcome&) {
                               const std::lock_guard lock(mutex);
                               told += running->has_news() ? "+" : "-";
                             }};
  auto cluster = std::make_unique<CalmCluster>();
  auto& decides = cluster->decides;
  CycleLoop loop(std::move(cluster), 1, CycleSettings{.period = 1h}, std::move(links));
  running = &loop;
  std::thread thread([&] { loop.run(); });
  const auto comes_to = [&](const std::string& all) {
    return soon([&] {
      const std::lock_guard lock(mutex);
      return told == all;
    });
  };
  const auto look = [&] { loop.post([](CycleLoop& here) { here.add_sight({.tell = [](const Result<std::string>&) {}}); }); };
  const auto& nodes = *std::find_if(kube::resource_kinds().begin(), kube::resource_kinds().end(),
                                    [](const auto& kind) { return kind.kind == "Node"; });

  changes.push({&nodes, kube::ChangeType::kSynced, {}, {}});
  EXPECT_TRUE(comes_to("+"));
  look();
  EXPECT_TRUE(comes_to("+-"));
  look();
  EXPECT_TRUE(comes_to("+--"));
  changes.push({&nodes, kube::ChangeType::kDeleted, {"", "n1", "u", "1"}, {}});
  EXPECT_TRUE(comes_to("+--+"));
  decides = true;
  look();
  EXPECT_TRUE(comes_to("+--++"));
  look();
  EXPECT_TRUE(comes_to("+--+++")) << "what was decided has been carried out";
  look();
  EXPECT_TRUE(comes_to("+--+++-"));
  loop.stop();
  thread.join();
}

}  // namespace
}  // namespace muster::daemon
