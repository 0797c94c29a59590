// The daemon against a server on the loopback that knows of leases, and of no pods.

#include "daemon/daemon.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <unistd.h>

#include "model/json.h"
#include "server/server.h"
#include "support/kubeconfig_text.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using server::Method;

// Wants no objects and decides nothing.
class NoCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return false; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override { return {}; }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }
};

Result<std::unique_ptr<LiveCluster>> no_cluster(const std::string&, const std::string&) { return std::make_unique<NoCluster>(); }

// Binds a pod, once.
class OneBind final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind& kind) const override { return kind.kind == "Pod"; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    if (!std::exchange(is_done, true)) outcome.effects.binds.push_back({{"ns", "a", "u", ""}, "n1"});
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override {
    return Reconfigured{.needs_new_cluster = true, .notes = {}};
  }

  bool is_done = false;
};

// Has devices taken back, and then is not what it should be: another one of these comes after it.
class TakesDevicesBack final : public LiveCluster {
 public:
  TakesDevicesBack(int number, const std::atomic<int>& asked) : number_(number), asked_(asked) {}
  bool wants(const kube::ResourceKind& kind) const override { return kind.kind == "Pod"; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    CycleOutcome outcome;
    if (number_ > 1 || std::exchange(is_done_, true)) return outcome;
    ClaimStep step;
    step.kind = ClaimStep::Kind::kUnreserve;
    step.pod = {"ns", "a", "u", ""};
    step.claim = "resourceclaims/ns/d";
    step.object = {
        .api_version = "resource.k8s.io/v1", .plural = "resourceclaims", .ns = "ns", .name = "d", .subresource = "status"};
    step.body = "{}";
    outcome.effects.steps.push_back(std::move(step));
    return outcome;
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  std::string broken_invariant() const override { return number_ == 1 && asked_ > 0 ? "so it is" : ""; }
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }

 private:
  const int number_;
  const std::atomic<int>& asked_;
  bool is_done_ = false;
};

// Wants nodes, everything that claims are about, and pods; counts its cycles.
class ManyKinds final : public LiveCluster {
 public:
  explicit ManyKinds(std::atomic<int>& cycles) : cycles_(cycles) {}
  bool wants(const kube::ResourceKind& kind) const override { return kFollowed.contains(kind.plural); }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override {
    ++cycles_;
    return {};
  }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string&, const std::string&) override { return Reconfigured(); }

  static inline const std::map<std::string, std::string, std::less<>> kFollowed = {
      // and where they are
      {"nodes", "/api/v1/nodes"},
      {"storageclasses", "/apis/storage.k8s.io/v1/storageclasses"},
      {"persistentvolumes", "/api/v1/persistentvolumes"},
      {"persistentvolumeclaims", "/api/v1/persistentvolumeclaims"},
      {"resourceclaims", "/apis/resource.k8s.io/v1/resourceclaims"},
      {"pods", "/api/v1/pods"}};

 private:
  std::atomic<int>& cycles_;
};

// Takes no configuration that has "bad" in it, and says in which line.
class PickyCluster final : public LiveCluster {
 public:
  bool wants(const kube::ResourceKind&) const override { return false; }
  void apply(Object) override {}
  void remove(const kube::ResourceKind&, const kube::Identity&) override {}
  void take_back(const kube::Identity&) override {}
  Effects settle() override { return {}; }
  CycleOutcome run_cycle(const Timestamp&) override { return {}; }
  void skip_cycle(const Timestamp&) override {}
  void on_bound(const Bind&, Effects&) override {}
  void on_refused(const Bind&, const std::string&, const Timestamp&, Effects&) override {}
  Result<Reconfigured> reconfigure(const std::string& text, const std::string&) override {
    const auto at = text.find("bad");
    if (at == std::string::npos) return Reconfigured();
    const auto line =
        static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    return fail(Error("bad", Location{"c.conf", line, 1}));
  }
};

class DaemonTest : public testing::Test {
 protected:
  void SetUp() override {
    server::Router router;
    const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
    const auto keep = [this](const server::Request& request) -> server::Answer {
      const std::lock_guard lock(mutex_);
      lease_ = request.body;
      lease_.insert(lease_.find("\"metadata\":{") + 12, "\"resourceVersion\":\"" + std::to_string(++version_) + "\",");
      if (const auto second = lease_.find(",\"resourceVersion\""); second != std::string::npos)
        lease_.erase(second, lease_.find('}', second) - second);
      return server::json_response(lease_);
    };
    router.on(Method::kGet, leases + "/muster", [this](const server::Request&) -> server::Answer {
      const std::lock_guard lock(mutex_);
      return lease_.empty() ? server::error_response(404, "no such lease") : server::json_response(lease_);
    });
    router.on(Method::kPost, leases, keep).on(Method::kPut, leases + "/muster", keep);
    for (const auto& [plural, path] : ManyKinds::kFollowed)
      router.on(Method::kGet, path, [this, plural](const server::Request& request) { return objects(plural, request); });
    router.on(Method::kPost, "/api/v1/namespaces/ns/pods/a/binding", [this](const server::Request&) -> server::Answer {
      const std::lock_guard lock(mutex_);
      bind_ = std::make_shared<server::Deferred>();  // no answer comes
      return bind_;
    });
    router.on(Method::kPatch, "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/d/status",
              [this](const server::Request&) -> server::Answer {
                return ++taken_back_ == 1 ? server::error_response(500, "not now") : server::json_response("{}");
              });
    router.on(Method::kPost, "/apis/events.k8s.io/v1/namespaces/ns/events", [this](const server::Request& request) {
      const std::lock_guard lock(mutex_);
      events_.push_back(request.body);
      return server::json_response("{}", 201);
    });
    server::Settings settings;
    settings.listen = "127.0.0.1:0";
    server_ = std::make_unique<server::Server>(std::move(settings), std::move(router));
    ASSERT_TRUE(server_->start());
    kubeconfig_ = std::filesystem::temp_directory_path() / ("muster-daemon-test-" + std::to_string(getpid()));
    std::ofstream(kubeconfig_) << kubeconfig_for(server_->port());
  }
  void TearDown() override { std::filesystem::remove(kubeconfig_); }

  DaemonOptions options() const {
    DaemonOptions out;
    out.access.kubeconfig = kubeconfig_.string();
    out.election = {.ns = "ns", .name = "muster", .identity = "me"};
    return out;
  }
  server::Answer objects(const std::string& plural, const server::Request& request) {
    if (request.parameter("sendInitialEvents")) return server::error_response(422, "lists are not streamed");
    const std::lock_guard lock(mutex_);
    if (!request.parameter("watch")) {
      if (++lists_[plural] == 1 || plural != slow_) return nothing();
      unanswered_ = std::make_shared<server::Deferred>();
      return unanswered_;
    }
    watches_.push_back(std::make_shared<server::Stream>(
        server::Stream::Settings{.content_type = "application/json", .most_bytes = 1 << 20, .heartbeat = ""}));
    return watches_.back();
  }
  static server::Response nothing() { return server::json_response(R"({"metadata":{"resourceVersion":"1"},"items":[]})"); }
  bool is_asked_to_bind() {
    const std::lock_guard lock(mutex_);
    return bind_ != nullptr;
  }
  bool is_said(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return lines_.find(text) != std::string::npos;
  }
  std::vector<std::string> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::string holder() {
    const std::lock_guard lock(mutex_);
    const auto record = kube::read_lease(lease_);
    return record ? record->holder : "nobody ever";
  }

  kube::SystemClock clock_;
  Log log_{{}, clock_, [this](std::string_view line) {
             const std::lock_guard lock(mutex_);
             lines_ += line;
           }};
  std::mutex mutex_;
  std::string lines_;  // of the log
  std::string lease_;
  std::vector<std::string> events_;
  std::shared_ptr<server::Deferred> bind_;
  std::map<std::string, int> lists_;              // how often each was asked for
  std::string slow_;                              // its second list is not answered
  std::shared_ptr<server::Deferred> unanswered_;  // this one
  std::vector<std::shared_ptr<server::Stream>> watches_;
  int version_ = 0;
  std::atomic<int> taken_back_ = 0;  // devices, as far as was asked; it succeeds at the second time
  std::unique_ptr<server::Server> server_;
  std::filesystem::path kubeconfig_;
};

TEST_F(DaemonTest, StoppingGivesTheLeaseBack) {
  Daemon daemon(options(), no_cluster, log_);
  std::thread stopper([&] {
    EXPECT_TRUE(soon([&] { return holder() == "me"; }));
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  stopper.join();
  EXPECT_EQ(holder(), "");
}

// Whoever would lead then decides by lists without our bind, and the server may still carry it out.
TEST_F(DaemonTest, TheLeaseIsNotGivenBackWhileAWriteIsUnanswered) {
  auto with_patience = options();
  with_patience.longest_farewell = std::chrono::milliseconds(200);
  Daemon daemon(
      with_patience,
      [](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> { return std::make_unique<OneBind>(); },
      log_);
  std::thread stopper([&] {
    EXPECT_TRUE(soon([&] { return is_asked_to_bind(); }));
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  stopper.join();
  EXPECT_EQ(holder(), "me");
  EXPECT_TRUE(is_said("writes are still unanswered"));
}

// The grouping of pods, which has a connection of its own.
TEST_F(DaemonTest, TheLeaseIsGivenBackWhenOthersWhoWriteByItHaveEnded) {
  for (const bool end : {true, false}) {
    Daemon daemon(options(), no_cluster, log_);
    EXPECT_EQ(daemon.time_left(), kube::Duration(0));
    std::string holder_then;
    daemon.before_farewell([&](kube::Duration longest) {
      EXPECT_LE(longest, options().longest_farewell);
      EXPECT_GT(longest, options().longest_farewell / 2);
      holder_then = holder();
      return end;
    });
    std::thread stopper([&] {
      EXPECT_TRUE(soon([&] { return holder() == "me" && daemon.time_left() > kube::Duration(0); }));
      daemon.stop();
    });
    EXPECT_TRUE(daemon.run());
    stopper.join();
    EXPECT_EQ(holder_then, "me");
    EXPECT_EQ(holder(), end ? "" : "me");
    EXPECT_EQ(daemon.time_left(), kube::Duration(0));
  }
}

// Whoever ends it gives it so long, and then kills it.
TEST_F(DaemonTest, AllThatIsDoneBeforeLeavingHasOneDeadline) {
  using namespace std::chrono_literals;
  auto with_patience = options();
  with_patience.longest_farewell = 2s;
  Daemon daemon(
      with_patience,
      [](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> { return std::make_unique<OneBind>(); },
      log_);
  daemon.before_farewell([](kube::Duration) {
    std::this_thread::sleep_for(1500ms);
    return true;
  });
  kube::Instant told_to_stop;
  std::thread stopper([&] {
    EXPECT_TRUE(soon([&] { return is_asked_to_bind(); }));
    told_to_stop = clock_.now();
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  stopper.join();
  EXPECT_LT(clock_.now() - told_to_stop, 3s);
  EXPECT_EQ(holder(), "me");
}

TEST_F(DaemonTest, AFailureWhileLeadingGivesTheLeaseBack) {
  int made = 0;
  Daemon daemon(
      options(),
      [&](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> {
        if (++made == 1) return std::make_unique<NoCluster>();
        EXPECT_TRUE(soon([&] { return holder() == "me"; }));
        return fail("no good any more");
      },
      log_);
  const auto done = daemon.run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text(), "no good any more");
  EXPECT_EQ(holder(), "");
}

// Claims get their devices, and volumes theirs, before the pod is bound: a stale one would be given what somebody else has.
TEST_F(DaemonTest, WhoBeginsToLeadDecidesWhenAllThatLeadersWriteWasListedAgain) {
  lease_ = R"({"metadata":{"name":"muster","namespace":"ns","resourceVersion":"1"},)"
           R"("spec":{"holderIdentity":"other","leaseDurationSeconds":1}})";
  slow_ = "resourceclaims";
  std::atomic<int> cycles = 0;
  auto without_audit = options();  // which lists, too
  without_audit.audit.per_second = 0;
  Daemon daemon(
      without_audit,
      [&](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> {
        return std::make_unique<ManyKinds>(cycles);
      },
      log_);
  std::thread stopper([&] {
    EXPECT_TRUE(soon([&] { return is_said("all objects are known"); }));
    EXPECT_TRUE(soon([&] { return holder() == "me"; }));
    const auto is_listed_again = [&](const std::string& plural) {
      const std::lock_guard lock(mutex_);
      return lists_[plural] == 2;
    };
    for (const auto* plural : {"nodes", "persistentvolumes", "persistentvolumeclaims", "resourceclaims", "pods"})
      EXPECT_TRUE(soon([&] { return is_listed_again(plural); })) << plural;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(is_listed_again("storageclasses")) << "no leader writes them";
    EXPECT_EQ(cycles, 0);
    {
      const std::lock_guard lock(mutex_);
      unanswered_->give(nothing());
    }
    EXPECT_TRUE(soon([&] { return cycles > 0; }));
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  stopper.join();
}

// What is to take them back waits for its next attempt when everything is listed anew, which drops all that waits.
TEST_F(DaemonTest, DevicesAreTakenBackAlsoWhenEverythingIsListedAnewMeanwhile) {
  auto quick = options();
  quick.audit.per_second = 0;
  quick.trust.first = std::chrono::milliseconds(1);
  quick.cycles.check = std::chrono::milliseconds(1);
  quick.cycles.period = std::chrono::milliseconds(10);
  quick.cycles.take_back = std::chrono::milliseconds(20);
  quick.writes.backoff = {.first = std::chrono::hours(1), .most = std::chrono::hours(1), .jitter = 0};
  std::atomic<int> made = 0;
  Daemon daemon(
      quick,
      [&](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> {
        return std::make_unique<TakesDevicesBack>(made++, taken_back_);  // the first is only a trial
      },
      log_);
  std::thread stopper([&] {
    EXPECT_TRUE(soon([&] { return taken_back_ == 2; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(taken_back_, 2) << "that was it";
    EXPECT_EQ(made, 3);
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  stopper.join();
}

// What a configuration says while the daemon runs.
class DaemonConfigTest : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    write("good");
  }
  void TearDown() override {
    std::filesystem::remove(config_);
    DaemonTest::TearDown();
  }
  void write(const std::string& text) const {
    const auto next = config_.string() + ".next";
    std::ofstream(next, std::ios::binary) << text;
    std::filesystem::rename(next, config_);
  }
  // Runs while these configurations are written, each until the log says that it is refused.
  void run_with(DaemonOptions how, const std::vector<std::pair<std::string, std::string>>& texts) {
    how.config = config_.string();
    std::atomic<int> made = 0;  // one to try the configuration, and one to follow
    Daemon daemon(
        how,
        [&](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> {
          ++made;
          return std::make_unique<PickyCluster>();
        },
        log_);
    std::thread writer([&] {
      const bool leads = how.leader_elect && holder() != "other";
      EXPECT_TRUE(soon([&] { return made == 2 && (!leads || daemon.time_left() > kube::Duration(0)); }));
      for (const auto& [text, place] : texts) {
        write(text);
        EXPECT_TRUE(soon([&] { return is_said(place); })) << place;
      }
      if (leads) EXPECT_TRUE(soon([&] { return events().size() >= texts.size(); }));
      daemon.stop();
    });
    EXPECT_TRUE(daemon.run());
    writer.join();
  }

  const std::filesystem::path config_ =
      std::filesystem::temp_directory_path() / ("muster-daemon-config-" + std::to_string(getpid()));
};

TEST_F(DaemonConfigTest, EachRefusedOneIsAnEventOfTheLease) {
  lease_ = R"({"metadata":{"name":"muster","namespace":"ns","uid":"u-lease","resourceVersion":"1"},"spec":{}})";
  run_with(options(), {{"bad", "c.conf:1:1: bad"}, {"\nbad", "c.conf:2:1: bad"}});
  const auto events = this->events();
  ASSERT_EQ(events.size(), 2u);
  for (const auto* part :
       {R"("namespace":"ns")", R"("type":"Warning","reason":"InvalidConfiguration")", R"(stays: c.conf:1:1: bad")",
        R"("regarding":{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","namespace":"ns","name":"muster",)"
        R"("uid":"u-lease"})"})
    EXPECT_NE(events[0].find(part), std::string::npos) << part << " is not in " << events[0];
  EXPECT_NE(events[1].find("c.conf:2:1: bad"), std::string::npos) << events[1];
}

TEST_F(DaemonConfigTest, WhoDoesNotLeadTellsTheLogAlone) {
  lease_ = R"({"metadata":{"name":"muster","namespace":"ns","uid":"u-lease","resourceVersion":"1"},)"
           R"("spec":{"holderIdentity":"other","leaseDurationSeconds":3600}})";
  run_with(options(), {{"bad", "c.conf:1:1: bad"}});
  EXPECT_TRUE(events().empty());
}

TEST_F(DaemonConfigTest, WithoutALeaseThereIsNothingThatAnEventCouldBeAbout) {
  auto alone = options();
  alone.leader_elect = false;
  run_with(alone, {{"bad", "c.conf:1:1: bad"}});
  EXPECT_TRUE(events().empty());
}

TEST_F(DaemonTest, ABadConfigurationIsSaidBeforeAnythingIsAsked) {
  Daemon daemon(
      options(), [](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> { return fail("no good"); },
      log_);
  EXPECT_FALSE(daemon.run());
  EXPECT_EQ(holder(), "nobody ever");
}

}  // namespace
}  // namespace muster::daemon
