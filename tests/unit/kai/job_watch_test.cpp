// Which jobs a cycle looks at: those that wait and those that changed, until a cycle has closed.

#include "policy/kai/job_watch.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

class KaiJobWatch : public testing::Test {
 protected:
  KaiJobWatch() { watch.add_job(); }
  JobWatch watch;
  GroupId job{0};
};

TEST_F(KaiJobWatch, AJobOfWhichNothingChangedIsNotLookedAt) {
  EXPECT_FALSE(watch.is_due(job));
  EXPECT_FALSE(watch.was_due(job));
  EXPECT_FALSE(watch.may_be_stale(job));
}

TEST_F(KaiJobWatch, AChangeIsDueUntilACycleClosesAndForgottenInTheNext) {
  watch.note(job);
  EXPECT_TRUE(watch.is_due(job));
  watch.cycle_closed();
  EXPECT_FALSE(watch.is_due(job));
  EXPECT_TRUE(watch.was_due(job));
  watch.cycle_closed();
  EXPECT_FALSE(watch.was_due(job));
}

TEST_F(KaiJobWatch, AJobThatWaitsIsDueInEveryCycle) {
  watch.count_waiting(job, +2);
  watch.cycle_closed();
  watch.count_waiting(job, -1);
  EXPECT_TRUE(watch.waits(job));
  EXPECT_TRUE(watch.is_due(job));
  watch.count_waiting(job, -1);
  EXPECT_FALSE(watch.waits(job));
  EXPECT_FALSE(watch.is_due(job));
  EXPECT_TRUE(watch.was_due(job));
}

TEST_F(KaiJobWatch, MayBeStaleUntilItWasLookedAtWhateverCyclesClose) {
  watch.note(job);
  watch.cycle_closed();
  EXPECT_TRUE(watch.may_be_stale(job));
  watch.is_not_stale(job);
  EXPECT_FALSE(watch.may_be_stale(job));
  watch.note(job);
  EXPECT_TRUE(watch.may_be_stale(job));
}

}  // namespace
}  // namespace muster::kai
