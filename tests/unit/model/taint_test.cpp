#include "model/taint.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using enum TaintEffect;

TEST(Toleration, DecidesAsKubernetesDoes) {
  struct Row {
    Toleration toleration;
    Taint taint;
    bool tolerates = false;
  };
  const Row rows[] = {
      {{"k", TolerationOp::kEqual, "v", {}}, {"k", "v", kNoSchedule}, true},
      {{"k", TolerationOp::kEqual, "v", {}}, {"k", "w", kNoSchedule}, false},
      {{"k", TolerationOp::kEqual, "v", {}}, {"j", "v", kNoSchedule}, false},
      {{"k", TolerationOp::kEqual, "v", kNoSchedule}, {"k", "v", kNoSchedule}, true},
      {{"k", TolerationOp::kEqual, "v", kNoExecute}, {"k", "v", kNoSchedule}, false},
      {{"k", TolerationOp::kExists, "", {}}, {"k", "anything", kPreferNoSchedule}, true},
      {{"", TolerationOp::kExists, "", {}}, {"k", "v", kNoExecute}, true},
      {{"", TolerationOp::kExists, "", kNoSchedule}, {"k", "v", kNoExecute}, false},
      {{"", TolerationOp::kEqual, "", {}}, {"k", "", kNoSchedule}, true},
      {{"k", TolerationOp::kGt, "750", {}}, {"k", "800", kNoSchedule}, true},
      {{"k", TolerationOp::kGt, "750", {}}, {"k", "750", kNoSchedule}, false},
      {{"k", TolerationOp::kLt, "750", {}}, {"k", "700", kNoSchedule}, true},
      {{"k", TolerationOp::kLt, "750", {}}, {"k", "800", kNoSchedule}, false},
      {{"k", TolerationOp::kLt, "-1", {}}, {"k", "-2", kNoSchedule}, true},
      {{"k", TolerationOp::kLt, "0", {}}, {"k", "x", kNoSchedule}, false},
      {{"k", TolerationOp::kLt, "x", {}}, {"k", "1", kNoSchedule}, false},
      {{"k", TolerationOp::kGt, "0", {}}, {"k", "007", kNoSchedule}, false},
      {{"k", TolerationOp::kGt, "-0", {}}, {"k", "7", kNoSchedule}, false},
      {{"k", TolerationOp::kGt, "0", {}}, {"k", "", kNoSchedule}, false},
  };
  for (const auto& [toleration, taint, tolerates] : rows)
    EXPECT_EQ(toleration.tolerates(taint), tolerates)
        << toleration.key << "=" << toleration.value << " of " << taint.key << "=" << taint.value;
}

TEST(Toleration, OneOfManyIsEnough) {
  const Taint taint{"k", "v", kNoSchedule};
  EXPECT_FALSE(tolerated(taint, {}));
  EXPECT_FALSE(tolerated(taint, {{"x", TolerationOp::kExists, "", {}}}));
  EXPECT_TRUE(tolerated(taint, {{"x", TolerationOp::kExists, "", {}}, {"k", TolerationOp::kExists, "", {}}}));
}

}  // namespace
}  // namespace muster
