#include "policy/kai/sub_groups.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

KaiSubGroup a_part(std::string name, std::optional<std::string> parent, std::optional<std::int32_t> min_member,
                   std::optional<std::int32_t> min_sub_group = std::nullopt) {
  return {std::move(name), std::move(parent), min_member, min_sub_group, {}};
}

KaiPodGroup a_group(std::vector<KaiSubGroup> parts) {
  KaiPodGroup group;
  group.sub_groups = std::move(parts);
  return group;
}

TEST(SubGroups, AreOnePodSetWithoutParts) {
  KaiPodGroup group;
  EXPECT_EQ(SubGroups(group)[SubGroups(group).find_pod_set("")].minimum, 1);
  group.min_member = 0;
  EXPECT_EQ(SubGroups(group)[SubGroups(group).find_pod_set("")].minimum, 0);
}

TEST(SubGroups, ParentsAreSetsAndFoundInLowerCase) {
  const SubGroups groups(
      a_group({a_part("left", std::nullopt, std::nullopt, 1), a_part("l0", "Left", 2), a_part("l1", "left", 1)}));
  ASSERT_EQ(groups.pod_sets().size(), 2u);
  const auto& leaf = groups[groups.find_pod_set("l0")];
  EXPECT_EQ(leaf.minimum, 2);
  EXPECT_EQ(groups[leaf.parent].name, "left");
  EXPECT_EQ(groups[leaf.parent].minimum, 1);
  EXPECT_EQ(groups[groups.root()].minimum, 1);
  EXPECT_FALSE(groups.find_pod_set(""));
}

TEST(SubGroups, ThatMakeNoSenseCountAsNone) {
  for (const auto& parts : {std::vector{a_part("a", std::nullopt, 2), a_part("a", std::nullopt, 1)},
                            std::vector{a_part("a", "nobody", 2)}, std::vector{a_part("a", "b", 1), a_part("b", "a", 1)}}) {
    const SubGroups groups(a_group(parts));
    ASSERT_EQ(groups.pod_sets().size(), 1u);
    EXPECT_EQ(groups[groups.find_pod_set("")].minimum, 1);
  }
}

TEST(SubGroups, AreReadyAndSatisfiedByTheirMembers) {
  SubGroups groups(a_group({a_part("a", std::nullopt, 1), a_part("b", std::nullopt, 2)}));
  const auto a = groups.find_pod_set("a");
  const auto b = groups.find_pod_set("b");
  groups.add_pod(a, PodId(0), Status::kPending);
  groups.add_pod(b, PodId(1), Status::kPending);
  EXPECT_FALSE(groups.ready(groups.root()));
  groups.add_pod(b, PodId(2), Status::kGated);
  EXPECT_FALSE(groups.ready(groups.root()));
  groups.change(b, Status::kGated, Status::kPending);
  EXPECT_TRUE(groups.ready(groups.root()));
  EXPECT_FALSE(groups.satisfied(a));
  groups.change(a, Status::kPending, Status::kAllocated);
  EXPECT_TRUE(groups.satisfied(a));
  EXPECT_EQ(groups.satisfied_members(groups.root()), 1);
}

}  // namespace
}  // namespace muster::kai
