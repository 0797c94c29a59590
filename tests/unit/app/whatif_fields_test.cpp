// Changes of a PodGroup in the words of whoever gave a workload.

#include "app/whatif_fields.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

const FieldPlaces kPlaces = {{"spec.containers[*]", "spec.template.spec.containers[*]"},
                             {"spec.minMember", "spec.minAvailable"},
                             {"spec.minResources", ""},
                             {"spec.minTaskMember.a", "spec.tasks[name=a].minAvailable"}};

TEST(WhatIfFields, AreThoseOfTheWorkloadWhereItHasThem) {
  EXPECT_EQ(told_field(kPlaces, "spec.minMember").text(), "spec.minAvailable");
  EXPECT_EQ(told_field(kPlaces, "spec.minTaskMember.a").text(), "spec.tasks[name=a].minAvailable");
  EXPECT_EQ(told_field(kPlaces, "spec.minTaskMember.b").text(), "its PodGroup's spec.minTaskMember.b");
  EXPECT_EQ(told_field(kPlaces, "spec.minMembers").text(), "its PodGroup's spec.minMembers");
  EXPECT_EQ(told_field(kPlaces, "spec.containers[*].resources.requests.nvidia.com/gpu").text(),
            "spec.template.spec.containers[*].resources.requests.nvidia.com/gpu");
  EXPECT_EQ(told_field(FieldPlaces(), "spec.minMember").text(), "its PodGroup's spec.minMember");
  EXPECT_EQ(told_field(std::nullopt, "spec.minMember").text(), "spec.minMember");
}

TEST(WhatIfFields, LeaveOutWhatControllersCompute) {
  const std::vector<FitsIf::Part> change = {{"spec.minMember", std::int64_t{3}, std::int64_t{2}},
                                            {"spec.minResources.nvidia.com/gpu", "3", "2"},
                                            {"spec.queue", "a", "b"}};
  const auto paths = [&](const std::optional<FieldPlaces>& places) {
    auto parts = change;
    tell_places(places, parts);
    std::vector<std::string> out;
    for (const auto& part : parts) out.push_back(part.path);
    return out;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths(kPlaces), (Paths{"spec.minAvailable", "spec.queue"}));
  EXPECT_EQ(paths(std::nullopt), (Paths{"spec.minMember", "spec.minResources.nvidia.com/gpu", "spec.queue"}));
}

}  // namespace
}  // namespace muster
