#include "engine/filters/volume_binding.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"
#include "support/volume_builder.h"

namespace muster {
namespace {

constexpr auto kAffinity = "unresolvable: node(s) didn't match PersistentVolume's node affinity";
constexpr auto kNoVolume = "unresolvable: node(s) didn't find available persistent volumes to bind";

struct VolumeBinding : testing::Test {
  TestCluster cluster;
  NodeId a = cluster.add(a_node("a").label("zone", "a"));
  NodeId b = cluster.add(a_node("b").label("zone", "b"));
  VolumeCatalog catalog;
  VolumeBindingFilter filter{cluster.books, cluster.fits, catalog};

  void SetUp() override {
    catalog.set(a_storage_class("now").provisioner("disk"));
    catalog.set(a_storage_class("wait").waits().provisioner("kubernetes.io/no-provisioner"));
    catalog.set(a_storage_class("make").waits().provisioner("disk").only_on("zone", "b"));
    catalog.set(a_storage_class("broken").mode(""));
  }
  PodId pod(std::initializer_list<const char*> claims) {
    auto builder = a_pod("p");
    for (const auto* claim : claims) builder.claim(claim);
    return cluster.add(builder);
  }
  std::pair<std::string, std::string> answers(PodId id) {
    return {ask(cluster.fits, filter, id, a), ask(cluster.fits, filter, id, b)};
  }
  using Answers = std::pair<std::string, std::string>;
};

TEST_F(VolumeBinding, HasNothingToSayAboutPodsWithoutClaims) {
  EXPECT_EQ(answers(pod({})), (Answers{"skip", "skip"}));
  EXPECT_EQ(filter.dependence(pod({})), Dependence::kNothing);
  EXPECT_EQ(filter.dependence(pod({"data"})), Dependence::kOthers);
}

TEST_F(VolumeBinding, RefusesClaimsThatNoNodeCanMeet) {
  catalog.set(a_claim("lost").wants("gone").lost());
  catalog.set(a_claim("deleted").of_class("wait").deleted());
  catalog.set(a_claim("unbound").of_class("now"));
  catalog.set(a_claim("classless"));
  catalog.set(a_claim("unknown-class").of_class("none"));
  catalog.set(a_claim("prebound").of_class("wait").wants("v"));
  catalog.set(a_claim("broken").of_class("broken"));
  catalog.set(a_claim("fine").of_class("make"));
  struct Row {
    std::initializer_list<const char*> claims;
    std::string answer;
  };
  const std::string immediate = "unresolvable: pod has unbound immediate PersistentVolumeClaims";
  const Row rows[] = {
      {{"absent"}, "unresolvable: persistentvolumeclaim \"absent\" not found"},
      {{"fine", "absent"}, "unresolvable: persistentvolumeclaim \"absent\" not found"},
      {{"lost"}, "unresolvable: persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"gone\""},
      {{"deleted"}, "unresolvable: persistentvolumeclaim \"deleted\" is being deleted"},
      {{"unbound"}, immediate},
      {{"fine", "unbound"}, immediate},
      {{"classless"}, immediate},
      {{"unknown-class"}, immediate},
      {{"prebound"}, immediate},
      {{"broken"}, "error: VolumeBindingMode not set for StorageClass \"broken\""},
  };
  for (const auto& [claims, answer] : rows)
    EXPECT_EQ(answers(pod(claims)), (Answers{"everywhere " + answer, "everywhere " + answer})) << answer;
}

TEST_F(VolumeBinding, BoundClaimsGoWhereTheirVolumeIs) {
  catalog.set(a_volume("va").only_on("zone", "a"));
  catalog.set(a_volume("anywhere"));
  catalog.set(a_claim("in-a").bound_to("va"));
  catalog.set(a_claim("free").bound_to("anywhere"));
  catalog.set(a_claim("orphan").bound_to("gone"));
  EXPECT_EQ(answers(pod({"in-a"})), (Answers{"", kAffinity}));
  EXPECT_EQ(answers(pod({"free"})), (Answers{"", ""}));
  EXPECT_EQ(answers(pod({"free", "in-a"})), (Answers{"", kAffinity}));
  const auto lost = "unresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  EXPECT_EQ(answers(pod({"orphan"})), (Answers{lost, lost}));
}

TEST_F(VolumeBinding, WaitingClaimsTakeAFreeVolumeThatFits) {
  catalog.set(a_claim("data").of_class("wait").gib(5));
  struct Row {
    const char* what;
    VolumeBuilder volume;
    Answers answers;
  };
  const auto volume = [] { return a_volume("v").of_class("wait").gib(5).only_on("zone", "a"); };
  const Row rows[] = {
      {"fits in a", volume(), {"", kNoVolume}},
      {"larger", volume().gib(9), {"", kNoVolume}},
      {"too small", volume().gib(4), {kNoVolume, kNoVolume}},
      {"another class", volume().of_class("now"), {kNoVolume, kNoVolume}},
      {"taken", volume().held_by("other"), {kNoVolume, kNoVolume}},
      {"kept for this claim", volume().held_by("data").phase("Bound"), {"", kNoVolume}},
      {"not available", volume().phase("Released"), {kNoVolume, kNoVolume}},
  };
  for (const auto& row : rows) {
    catalog.set(row.volume);
    EXPECT_EQ(answers(pod({"data"})), row.answers) << row.what;
  }
  catalog.set(a_claim("shared").of_class("wait").mode("ReadWriteMany"));
  catalog.set(volume());
  EXPECT_EQ(answers(pod({"shared"})), (Answers{kNoVolume, kNoVolume})) << "another access mode";
}

TEST_F(VolumeBinding, OrIsProvisionedWhereTheClassAllows) {
  catalog.set(a_claim("data").of_class("make"));
  EXPECT_EQ(answers(pod({"data"})), (Answers{kNoVolume, ""}));
  catalog.set(a_volume("v").of_class("make").only_on("zone", "a"));
  EXPECT_EQ(answers(pod({"data"})), (Answers{"", ""}));
  catalog.set(a_claim("chosen").of_class("make").annotation("volume.kubernetes.io/selected-node", "a"));
  EXPECT_EQ(answers(pod({"chosen"})), (Answers{kNoVolume, kNoVolume})) << "a may not have it, and b was not chosen";
}

TEST_F(VolumeBinding, EveryClaimNeedsItsOwnVolume) {
  catalog.set(a_claim("large").of_class("wait").gib(5));
  catalog.set(a_claim("small").of_class("wait").gib(1));
  catalog.set(a_volume("v5").of_class("wait").gib(5));
  EXPECT_EQ(answers(pod({"large", "small"})), (Answers{kNoVolume, kNoVolume}));
  catalog.set(a_volume("v9").of_class("wait").gib(9));
  EXPECT_EQ(answers(pod({"large", "small"})), (Answers{"", ""})) << "the small claim takes v5, the large one v9";
}

TEST_F(VolumeBinding, TellsSeveralReasonsTogether) {
  catalog.set(a_volume("va").only_on("zone", "a"));
  catalog.set(a_claim("in-a").bound_to("va"));
  catalog.set(a_claim("data").of_class("wait"));
  EXPECT_EQ(answers(pod({"in-a", "data"})),
            (Answers{kNoVolume, std::string(kAffinity) + ", node(s) didn't find available persistent volumes to bind"}));
}

TEST_F(VolumeBinding, AReservedVolumeIsTakenUntilReleased) {
  catalog.set(a_volume("v2").of_class("wait").gib(2));
  catalog.set(a_volume("v1").of_class("wait").gib(1));
  catalog.set(a_claim("one").of_class("wait"));
  catalog.set(a_claim("two").of_class("wait"));
  catalog.set(a_claim("three").of_class("wait"));
  const auto first = pod({"one"}), second = pod({"two"}), third = pod({"three"});
  filter.reserve(first, a);
  EXPECT_EQ(catalog.holder(*catalog.volume("v1"), *catalog.claim("default/one")), VolumeCatalog::Holder::kThisClaim)
      << "the smallest";
  filter.reserve(second, b);
  EXPECT_EQ(answers(third), (Answers{kNoVolume, kNoVolume}));
  EXPECT_EQ(answers(first), (Answers{"", ""})) << "its own volume still does";
  filter.release(first);
  filter.release(first);
  EXPECT_EQ(answers(third), (Answers{"", ""}));
}

TEST_F(VolumeBinding, AClaimReservedForANodeIsProvisionedThere) {
  catalog.set(a_storage_class("anywhere").waits().provisioner("disk"));
  catalog.set(a_claim("shared").of_class("anywhere"));
  const auto first = pod({"shared"});
  const auto second = cluster.add(a_pod("q").claim("shared"));
  EXPECT_EQ(answers(second), (Answers{"", ""}));
  filter.reserve(first, b);
  EXPECT_EQ(answers(second), (Answers{kNoVolume, ""}));
  filter.release(first);
  EXPECT_EQ(answers(second), (Answers{"", ""}));
}

}  // namespace
}  // namespace muster
