#include "base/result.h"

#include <gtest/gtest.h>

#include "base/assert.h"

namespace muster {
namespace {

TEST(Error, TextLeavesOutWhatIsUnknown) {
  Error error("no such queue");
  EXPECT_EQ(error.text(), "no such queue");
  error.location = {"case.yaml", 3, 0};
  EXPECT_EQ(error.text(), "case.yaml:3: no such queue");
  error.location.column = 7;
  EXPECT_EQ(error.text(), "case.yaml:3:7: no such queue");
  error.object = "PodGroup default/train";
  error.field = "spec.queue";
  EXPECT_EQ(error.text(), "case.yaml:3:7: PodGroup default/train: spec.queue: no such queue");
}

TEST(Error, NamesFromOutsideStayOnTheirLine) {
  Error error("is there twice");
  error.object = "Node a\nmuster: all is well";
  EXPECT_EQ(error.text(), "Node a?muster: all is well: is there twice");
}

TEST(Result, IsAValueOrAnError) {
  const auto halve = [](int n) -> Result<int> {
    if (n % 2 != 0) return fail("odd");
    return n / 2;
  };
  EXPECT_EQ(halve(4).value(), 2);
  EXPECT_EQ(halve(3).error().message, "odd");
}

TEST(Assertions, ExpectationsAreCountedAndTheCallerGoesOn) {
  const auto before = failed_expectations();
  EXPECT_TRUE(MUSTER_EXPECT(1 + 1 == 2));
  EXPECT_EQ(failed_expectations(), before);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(MUSTER_EXPECT(i > 5));
  EXPECT_EQ(failed_expectations(), before + 2);
}

TEST(AssertionsDeathTest, AFailedAssertionEndsTheProcess) { EXPECT_DEATH(MUSTER_ASSERT(1 + 1 == 3), "1 \\+ 1 == 3"); }

}  // namespace
}  // namespace muster
