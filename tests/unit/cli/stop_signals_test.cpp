#include "cli/stop_signals.h"

#include <gtest/gtest.h>
#include <semaphore>
#include <unistd.h>
#include <vector>

namespace muster::cli {
namespace {

// They are blocked in this thread from then on, and not those of tests that come after.
class StopSignalsTest : public testing::Test {
 protected:
  void SetUp() override { pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  void TearDown() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  sigset_t before_{};
};

TEST_F(StopSignalsTest, DumpsAsOftenAsAskedAndStopsOnce) {
  std::vector<int> dumps;
  std::binary_semaphore dumped{0};
  std::binary_semaphore stopped{0};
  StopSignals signals;
  signals.listen([&] { stopped.release(); },
                 [&](int signal) {
                   dumps.push_back(signal);
                   dumped.release();
                 });
  for (const int signal : {SIGUSR1, SIGUSR2, SIGUSR1}) {
    kill(getpid(), signal);
    ASSERT_TRUE(dumped.try_acquire_for(std::chrono::seconds(10)));
  }
  kill(getpid(), SIGTERM);
  ASSERT_TRUE(stopped.try_acquire_for(std::chrono::seconds(10)));
  signals.end();
  EXPECT_EQ(dumps, (std::vector<int>{SIGUSR1, SIGUSR2, SIGUSR1}));
}

TEST_F(StopSignalsTest, AClosedTerminalAsksToStop) {
  std::binary_semaphore stopped{0};
  StopSignals signals;
  signals.listen([&] { stopped.release(); });
  kill(getpid(), SIGHUP);
  EXPECT_TRUE(stopped.try_acquire_for(std::chrono::seconds(10)));
}

TEST_F(StopSignalsTest, WhoWasStartedWithNohupGoesOn) {
  auto* const before = std::signal(SIGHUP, SIG_IGN);
  {
    std::binary_semaphore dumped{0};
    bool is_stopped = false;
    StopSignals signals;
    signals.listen([&] { is_stopped = true; }, [&](int) { dumped.release(); });
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGUSR1);
    EXPECT_TRUE(dumped.try_acquire_for(std::chrono::seconds(10)));
    signals.end();
    EXPECT_FALSE(is_stopped);
  }
  std::signal(SIGHUP, before);
}

TEST_F(StopSignalsTest, NobodyIsCalledWhenItHasEnded) {
  int calls = 0;
  StopSignals signals;
  signals.listen([&] { ++calls; }, [&](int) { ++calls; });
  signals.end();
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace muster::cli
