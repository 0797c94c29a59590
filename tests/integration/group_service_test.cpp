// Pods that are put into groups beside a scheduler, which may lead or not, on a server that may take its time.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "grouper/service.h"
#include "server/server.h"
#include "support/kubeconfig_text.h"

namespace muster::grouper {
namespace {

using namespace std::chrono_literals;
using server::Method;

constexpr const char* kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups";
constexpr const char* kPod = "/api/v1/namespaces/ns/pods/a";

class GroupService : public testing::Test {
 protected:
  void SetUp() override {
    server::Router router;
    const auto serve = [&](const std::string& path, const std::string& text) {
      router.on(Method::kGet, path, [text](const server::Request&) -> server::Answer { return server::json_response(text); });
    };
    const std::string pod =
        R"({"metadata":{"name":"a","namespace":"ns","uid":"u-a","resourceVersion":"1"},"spec":{"schedulerName":"volcano"}})";
    serve("/api/v1", R"({"resources":[{"name":"pods","kind":"Pod","namespaced":true}]})");
    serve("/apis/scheduling.volcano.sh/v1beta1", R"({"resources":[{"name":"podgroups","kind":"PodGroup","namespaced":true}]})");
    serve(kPod, pod);
    router.on(Method::kGet, "/api/v1/pods", [this, pod](const server::Request& request) -> server::Answer {
      if (request.parameter("sendInitialEvents")) return server::error_response(422, "lists are not streamed");
      if (!request.parameter("watch"))
        return server::json_response(R"({"metadata":{"resourceVersion":"1"},"items":[)" + pod + "]}");
      is_followed_ = true;
      watches_.push_back(std::make_shared<server::Stream>(
          server::Stream::Settings{.content_type = "application/json", .most_bytes = 1 << 20, .heartbeat = ""}));
      return watches_.back();
    });
    const auto write = [this](const server::Request&) -> server::Answer {
      const std::lock_guard lock(mutex_);
      writes_.push_back(std::make_shared<server::Deferred>());
      return writes_.back();
    };
    router.on(Method::kPost, kGroups, write).on(Method::kPatch, kPod, write);
    server_ = std::make_unique<server::Server>(server::Settings{.listen = "127.0.0.1:0"}, std::move(router));
    ASSERT_TRUE(server_->start());
    kubeconfig_ = std::filesystem::temp_directory_path() / ("muster-group-service-" + std::to_string(getpid()));
    std::ofstream(kubeconfig_) << kubeconfig_for(server_->port());
    ServiceSettings settings;
    settings.access.kubeconfig = kubeconfig_.string();
    settings.time_left = [this] { return leads_ ? kube::Duration(10s) : kube::Duration(0); };
    service_ = std::make_unique<Service>(std::move(settings));
    ASSERT_TRUE(service_->start());
  }
  void TearDown() override {
    service_.reset();
    std::filesystem::remove(kubeconfig_);
  }

  std::size_t writes() {
    const std::lock_guard lock(mutex_);
    return writes_.size();
  }
  template <class F>
  static bool soon(F holds) {
    for (int i = 0; i < 5000 && !holds(); ++i) std::this_thread::sleep_for(1ms);
    return holds();
  }
  void answer_last_write() {
    const std::lock_guard lock(mutex_);
    writes_.back()->give(server::json_response("{}", 201));
  }

  std::atomic<bool> leads_ = false;
  std::atomic<bool> is_followed_ = false;
  std::mutex mutex_;
  std::vector<std::shared_ptr<server::Deferred>> writes_;
  std::vector<std::shared_ptr<server::Stream>> watches_;  // the server's thread's
  std::unique_ptr<server::Server> server_;
  std::filesystem::path kubeconfig_;
  std::unique_ptr<Service> service_;
};

TEST_F(GroupService, OnlyWhoLeadsGroups) {
  EXPECT_TRUE(soon([&] { return is_followed_.load(); }));
  std::this_thread::sleep_for(700ms);  // it has looked at what there is to do
  EXPECT_EQ(writes(), 0u);
  leads_ = true;
  EXPECT_TRUE(soon([&] { return writes() == 1; }));
  leads_ = false;
  answer_last_write();
  std::this_thread::sleep_for(700ms);
  EXPECT_EQ(writes(), 1u) << "what was begun is not gone on with";
  leads_ = true;
  EXPECT_TRUE(soon([&] { return writes() == 2; })) << "it is begun again";
}

// The server may still carry it out, and whoever leads then is not to be surprised.
TEST_F(GroupService, WhoLeavesWaitsForWhatIsBeingWritten) {
  leads_ = true;
  ASSERT_TRUE(soon([&] { return writes() == 1; }));
  auto ended = std::async(std::launch::async, [&] { return service_->stop(10s); });
  EXPECT_EQ(ended.wait_for(300ms), std::future_status::timeout);
  answer_last_write();
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(writes(), 1u) << "the pod is left to who leads next";
}

TEST_F(GroupService, WhatIsNotAnsweredInTimeIsSaid) {
  leads_ = true;
  ASSERT_TRUE(soon([&] { return writes() == 1; }));
  EXPECT_FALSE(service_->stop(200ms));
}

}  // namespace
}  // namespace muster::grouper
