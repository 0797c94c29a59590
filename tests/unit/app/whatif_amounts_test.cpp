// What the pods of a question ask for, in amounts that are no longer reasonable.

#include "app/whatif_amounts.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(WhatIfAmounts, MoreThanSixtyFourBitsHold) {
  const auto exa = *Quantity::parse("4Ei");
  WhatIfQuestion question;
  question.jobs.emplace_back().name = "ns/j";
  PodGroup group;
  group.meta.ns = "ns";
  group.meta.name = "j";
  group.min_resources = ResourceList{{"memory", exa}};
  question.objects.emplace_back(group);
  for (const std::string name : {"a", "b", "c", "d"}) {
    Pod pod;
    pod.meta.ns = "ns";
    pod.meta.name = name;
    pod.spec.containers.emplace_back();
    pod.spec.containers.back().requests["memory"] = exa;
    question.jobs[0].pods["ns/" + name] = "";
    question.objects.emplace_back(pod);
  }
  const auto parts = cap_amounts(question, 0, "memory", *Quantity::parse("2Ei"));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(std::get<PodGroup>(question.objects[0]).min_resources->at("memory"), *Quantity::parse("2Ei"))
      << "half of each is half of all";
}

TEST(WhatIfAmounts, NoWholeHasNoParts) {
  auto amount = *Quantity::parse("1Gi");
  scale_minimum("memory", amount, 0, 0);
  EXPECT_EQ(amount, *Quantity::parse("1Gi"));
}

}  // namespace
}  // namespace muster
