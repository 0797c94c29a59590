#include "daemon/kai_usage_follower.h"

#include <atomic>
#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

kai::UsageParams params() {
  auto params = kai::default_usage_params();
  params.fetch_interval = std::chrono::nanoseconds(2ms).count();
  params.wait_timeout = std::chrono::nanoseconds(60s).count();
  return params;
}

template <class F>
bool soon(F holds) {
  for (int i = 0; i < 5000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(KaiUsageFollower, WhatWasToldLastCountsWhileNothingIsAnswered) {
  const kube::SystemClock clock;
  std::atomic<int> asked = 0;
  KaiUsageFollower follower(
      params(),
      [&](Timestamp, const std::stop_token&) {
        if (++asked > 1) return KaiUsageAnswer{std::nullopt, "nobody is there", true};
        return KaiUsageAnswer{kai::QueueUsage{{"team", kai::Quantities{}}}, "", false};
      },
      clock);
  follower.start();
  ASSERT_TRUE(soon([&] { return asked > 2; }));
  std::vector<std::string> notes;
  EXPECT_TRUE(follower.usage(notes).contains("team"));
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes[0].find("nobody is there"), std::string::npos);
}

TEST(KaiUsageFollower, TheFirstAnswerIsAwaitedForAWhile) {
  const kube::SystemClock clock;
  std::atomic<bool> may_answer = false;
  const auto ask = [&](Timestamp, const std::stop_token&) {
    while (!may_answer) std::this_thread::sleep_for(1ms);
    return KaiUsageAnswer{std::nullopt, "no", false};
  };
  {
    KaiUsageFollower patient(params(), ask, clock);
    patient.start();
    EXPECT_TRUE(patient.is_awaited());
    auto impatience = params();
    impatience.wait_timeout = 0;
    KaiUsageFollower impatient(impatience, ask, clock);
    impatient.start();
    EXPECT_FALSE(impatient.is_awaited());
    may_answer = true;
    EXPECT_TRUE(soon([&] { return !patient.is_awaited(); })) << "also when it is no answer";
  }
}

TEST(KaiUsageFollower, AnEndDoesNotWaitForAnAnswer) {
  const kube::SystemClock clock;
  std::atomic<bool> asked = false;
  const auto begin = clock.now();
  {
    KaiUsageFollower follower(
        params(),
        [&](Timestamp, const std::stop_token& stop) {
          asked = true;
          while (!stop.stop_requested() && clock.now() - begin < 20s) std::this_thread::sleep_for(1ms);
          return KaiUsageAnswer{std::nullopt, "stopped", true};
        },
        clock);
    follower.start();
    ASSERT_TRUE(soon([&] { return asked.load(); }));
  }
  EXPECT_LT(clock.now() - begin, 15s);
}

TEST(KaiUsageFollower, NobodyIsAskedWithoutNeed) {
  const kube::SystemClock clock;
  std::vector<std::string> notes;
  EXPECT_EQ(kai_usage_follower(std::nullopt, kai::Behaviour::safe(), clock, notes), nullptr);
  EXPECT_TRUE(notes.empty());
  auto elsewhere = params();
  elsewhere.client = "fake";
  EXPECT_EQ(kai_usage_follower(elsewhere, kai::Behaviour::safe(), clock, notes), nullptr);
  EXPECT_EQ(notes.size(), 1u);
  auto tumbling = params();
  tumbling.client = "prometheus";
  tumbling.address = "http://127.0.0.1:1";
  tumbling.window = kai::UsageWindow::kTumbling;
  EXPECT_EQ(kai_usage_follower(tumbling, kai::Behaviour::exact(), clock, notes), nullptr);
  EXPECT_NE(kai_usage_follower(tumbling, kai::Behaviour::safe(), clock, notes), nullptr);
}

}  // namespace
}  // namespace muster::daemon
