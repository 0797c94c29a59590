// Answers that come later, over sockets of the loopback.

#include "server/deferred.h"

#include <gtest/gtest.h>
#include <thread>

#include "server/server.h"
#include "unit/server/raw_client.h"

namespace muster::server {
namespace {

using std::chrono::milliseconds;

class DeferredTest : public testing::Test {
 protected:
  void start(Limits limits = {}) {
    Router router;
    router.on(Method::kGet, "/now", [](const Request&) { return Response{.body = "now"}; })
        .on(Method::kGet, "/later",
            [this](const Request&) {
              const std::lock_guard lock(mutex_);
              asked_.push_back(std::make_shared<Deferred>());
              return asked_.back();
            })
        .on(Method::kGet, "/given",
            [](const Request&) {
              auto deferred = std::make_shared<Deferred>();
              deferred->give({.status = 201, .body = "given"});
              deferred->give({.status = 500, .body = "the second one does not count"});
              return deferred;
            })
        .on(Method::kGet, "/none", [](const Request&) { return std::shared_ptr<Deferred>(); });
    server_ = std::make_unique<Server>(Settings{"127.0.0.1:0", limits, {}, {}}, std::move(router));
    ASSERT_TRUE(server_->start());
  }
  std::shared_ptr<Deferred> asked(std::size_t which) {
    for (int i = 0; i < 500; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (asked_.size() > which) return asked_[which];
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<Deferred>> asked_;
  std::unique_ptr<Server> server_;
};

TEST_F(DeferredTest, WhatIsStillToBeMadeIsMadeByTheServer) {
  start();
  RawClient client(server_->port(), 0);
  client.send(request_text("GET /later"));
  const auto later = asked(0);
  ASSERT_TRUE(later);
  std::thread::id made_by;
  later->give_made([&] {
    made_by = std::this_thread::get_id();
    return Response{.body = "made"};
  });
  later->give_made([] { return Response{.body = "the second one does not count"}; });
  EXPECT_EQ(body_of(client.read_answer()), "made");
  EXPECT_NE(made_by, std::this_thread::get_id());
}

TEST_F(DeferredTest, OthersAreAnsweredMeanwhile) {
  start();
  RawClient first(server_->port(), 0);
  first.send(request_text("GET /later"));
  const auto later = asked(0);
  ASSERT_TRUE(later);
  RawClient second(server_->port(), 0);
  second.send(request_text("GET /now"));
  EXPECT_EQ(body_of(second.read_answer()), "now");
  std::thread([&] { later->give({.status = 404, .body = "not there"}); }).join();
  const auto answer = first.read_answer();
  EXPECT_EQ(status_of(answer), "404");
  EXPECT_EQ(body_of(answer), "not there");
}

TEST_F(DeferredTest, AConnectionGoesOnAfterIt) {
  start();
  RawClient client(server_->port(), 0);
  client.send(request_text("GET /given") + request_text("GET /later") + request_text("GET /now"));
  EXPECT_EQ(status_of(client.read_answer()), "201");
  const auto later = asked(0);
  ASSERT_TRUE(later);
  later->give({.body = "later"});
  EXPECT_EQ(body_of(client.read_answer()), "later");
  EXPECT_EQ(body_of(client.read_answer()), "now");
}

TEST_F(DeferredTest, NobodyWaitsForEver) {
  Limits limits;
  limits.answer = milliseconds(50);
  start(limits);
  RawClient client(server_->port(), 0);
  client.send(request_text("GET /later"));
  EXPECT_EQ(status_of(client.read_answer()), "503");
  const auto late = asked(0);
  ASSERT_TRUE(late);
  late->give({.body = "too late"});
  client.send(request_text("GET /now"));
  EXPECT_EQ(body_of(client.read_answer()), "now") << "what comes too late is nobody's";
  EXPECT_EQ(status_of([&] {
              client.send(request_text("GET /none"));
              return client.read_answer();
            }()),
            "500");
}

TEST_F(DeferredTest, AClientThatHasGoneAndAServerThatStopsAreSurvived) {
  start();
  {
    RawClient client(server_->port(), 0);
    client.send(request_text("GET /later"));
    ASSERT_TRUE(asked(0));
  }
  asked(0)->give({.body = std::string(1 << 16, 'x')});
  RawClient client(server_->port(), 0);
  client.send(request_text("GET /later"));
  const auto later = asked(1);
  ASSERT_TRUE(later);
  server_->stop();
  later->give({.body = "nobody is there"});
}

}  // namespace
}  // namespace muster::server
