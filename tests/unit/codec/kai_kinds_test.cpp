#include <gtest/gtest.h>

#include "codec/object_reader.h"

namespace muster {
namespace {

template <class T>
T read(std::string_view text) {
  std::optional<T> object;
  const auto stats = read_objects_text(text, "f.json", [&](Object&& any, const Location&) -> Result<void> {
    object = std::get<T>(std::move(any));
    return {};
  });
  EXPECT_TRUE(stats) << stats.error().text();
  return object.value();
}

TEST(KaiKinds, AConditionHasWhatEachReasonSaysAndItsTime) {
  const auto group = read<KaiPodGroup>(R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup",
    "metadata":{"name":"g","namespace":"ns"},"spec":{"queue":"q"},"status":{"schedulingConditions":[
      {"type":"UnschedulableOnNodePool","nodePool":"default","reason":"Unschedulable","message":"m","status":"True","transitionID":"4",
       "lastTransitionTime":"2026-01-01T00:00:00Z","reasons":[{"reason":"OverLimit","message":"too much","details":{}}]},
      {"type":"UnschedulableOnNodePool","nodePool":"blue"}]}})");
  ASSERT_EQ(group.conditions.size(), 2u);
  const auto& condition = group.conditions[0];
  EXPECT_EQ(condition.transition_id, "4");
  EXPECT_EQ(condition.last_transition, (Timestamp{1'767'225'600, 0}));
  EXPECT_EQ(condition.reasons, (std::vector<KaiSchedulingCondition::Reason>{{"OverLimit", "too much"}}));
  EXPECT_FALSE(group.conditions[1].last_transition);
}

TEST(KaiKinds, ABindRequestHasFailedWhenNobodyWillTryAgain) {
  struct Case {
    const char* spec;
    const char* status;
    bool failed;
  };
  const Case cases[] = {
      {"", "", false},
      {"", R"("phase":"Pending")", false},
      {"", R"("phase":"Failed","reason":"why")", true},
      {R"(,"backoffLimit":2)", R"("phase":"Failed","failedAttempts":1)", false},
      {R"(,"backoffLimit":2)", R"("phase":"Failed","failedAttempts":2)", true},
  };
  for (const auto& one : cases) {
    const auto request = read<BindRequest>(std::string(R"({"apiVersion":"scheduling.run.ai/v1alpha2","kind":"BindRequest",
      "metadata":{"name":"p","namespace":"ns"},"spec":{"podName":"p","selectedNode":"n")") +
                                           one.spec + R"(},"status":{)" + one.status + "}}");
    EXPECT_EQ(request.has_failed(), one.failed) << one.spec << one.status;
  }
}

}  // namespace
}  // namespace muster
