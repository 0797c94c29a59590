// The daemon against a server on the loopback that knows of leases, and of no pods.

#include "daemon/daemon.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
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
    router.on(Method::kGet, "/api/v1/pods", [this](const server::Request& request) { return pods(request); });
    router.on(Method::kPost, "/api/v1/namespaces/ns/pods/a/binding", [this](const server::Request&) -> server::Answer {
      const std::lock_guard lock(mutex_);
      bind_ = std::make_shared<server::Deferred>();  // no answer comes
      return bind_;
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
  server::Answer pods(const server::Request& request) {
    if (request.parameter("sendInitialEvents")) return server::error_response(422, "lists are not streamed");
    if (!request.parameter("watch")) return server::json_response(R"({"metadata":{"resourceVersion":"1"},"items":[]})");
    const std::lock_guard lock(mutex_);
    watches_.push_back(std::make_shared<server::Stream>(
        server::Stream::Settings{.content_type = "application/json", .most_bytes = 1 << 20, .heartbeat = ""}));
    return watches_.back();
  }
  bool is_asked_to_bind() {
    const std::lock_guard lock(mutex_);
    return bind_ != nullptr;
  }
  bool is_said(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return lines_.find(text) != std::string::npos;
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
  std::shared_ptr<server::Deferred> bind_;
  std::vector<std::shared_ptr<server::Stream>> watches_;
  int version_ = 0;
  std::unique_ptr<server::Server> server_;
  std::filesystem::path kubeconfig_;
};

TEST_F(DaemonTest, StoppingGivesTheLeaseBack) {
  Daemon daemon(
      options(),
      [](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> { return std::make_unique<NoCluster>(); },
      log_);
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

TEST_F(DaemonTest, ABadConfigurationIsSaidBeforeAnythingIsAsked) {
  Daemon daemon(
      options(), [](const std::string&, const std::string&) -> Result<std::unique_ptr<LiveCluster>> { return fail("no good"); },
      log_);
  EXPECT_FALSE(daemon.run());
  EXPECT_EQ(holder(), "nobody ever");
}

}  // namespace
}  // namespace muster::daemon
