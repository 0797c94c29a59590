#include "daemon/pod_status.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

const kube::Identity kPod{"ns", "p", "u1", ""};

TEST(PodStatus, AChangeIsForThatPodAlone) {
  const auto patch = pod_status_patch(kPod, [](JsonWriter& json) { json.member("nominatedNodeName", "n1"); });
  EXPECT_EQ(patch.object.text(), "/api/v1/namespaces/ns/pods/p/status");
  EXPECT_EQ(patch.type, kube::PatchType::kStrategic);
  EXPECT_TRUE(patch.can_wait);
  EXPECT_EQ(patch.body, R"({"metadata":{"uid":"u1"},"status":{"nominatedNodeName":"n1"}})");
}

TEST(PodStatus, WhoIsToldIsToldAtOnce) {
  Effects effects;
  tell_unscheduled(kPod, {.condition = "BindingError", .event = "FailedBinding", .note = "no"}, {1'767'225'600, 0}, effects);
  ASSERT_EQ(effects.patches.size(), 1u);
  EXPECT_FALSE(effects.patches[0].can_wait);
  EXPECT_EQ(effects.patches[0].body,
            R"({"metadata":{"uid":"u1"},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"BindingError",)"
            R"("message":"no","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  ASSERT_EQ(effects.events.size(), 1u);
  EXPECT_EQ(effects.events[0].reason, "FailedBinding");
  EXPECT_EQ(effects.events[0].note, "no");
}

}  // namespace
}  // namespace muster::daemon
