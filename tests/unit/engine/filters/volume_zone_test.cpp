#include "engine/filters/volume_zone.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"
#include "support/volume_builder.h"

namespace muster {
namespace {

constexpr auto kElsewhere = "unresolvable: node(s) had no available volume zone";
constexpr auto kZone = "topology.kubernetes.io/zone";
constexpr auto kOldZone = "failure-domain.beta.kubernetes.io/zone";

struct VolumeZone : testing::Test {
  TestCluster cluster;
  NodeId zoned = cluster.add(a_node("zoned").label(kZone, "z1"));
  NodeId old = cluster.add(a_node("old").label(kOldZone, "z1"));
  NodeId bare = cluster.add(a_node("bare"));
  VolumeCatalog catalog;
  VolumeZoneFilter filter{cluster.books, cluster.fits, catalog};

  std::vector<std::string> answers(std::initializer_list<const char*> claims) {
    auto builder = a_pod("p");
    for (const auto* claim : claims) builder.claim(claim);
    const auto pod = cluster.add(builder);
    return {ask(cluster.fits, filter, pod, zoned), ask(cluster.fits, filter, pod, old), ask(cluster.fits, filter, pod, bare)};
  }
  using Answers = std::vector<std::string>;
};

TEST_F(VolumeZone, KeepsPodsInTheZonesOfTheirVolumes) {
  struct Row {
    VolumeBuilder volume;
    Answers answers;
  };
  const Row rows[] = {
      {a_volume("v"), {"skip", "skip", "skip"}},
      {a_volume("v").label(kZone, "z1"), {"", kElsewhere, ""}},
      {a_volume("v").label(kZone, "z2"), {kElsewhere, kElsewhere, ""}},
      {a_volume("v").label(kZone, "z0__z1"), {"", kElsewhere, ""}},
      {a_volume("v").label(kOldZone, "z1"), {"", "", ""}},
      {a_volume("v").label(kZone, "z0__"), {"skip", "skip", "skip"}},
      {a_volume("v").label(kOldZone, "z1").label("topology.kubernetes.io/region", "r"), {kElsewhere, kElsewhere, ""}},
  };
  catalog.set(a_claim("data").bound_to("v"));
  for (const auto& row : rows) {
    catalog.set(row.volume);
    EXPECT_EQ(answers({"data"}), row.answers);
  }
}

TEST_F(VolumeZone, RefusesClaimsWithoutAVolumeUnlessTheyWait) {
  catalog.set(a_storage_class("now"));
  catalog.set(a_storage_class("wait").waits());
  catalog.set(a_storage_class("broken").mode(""));
  catalog.set(a_claim("unbound").of_class("now"));
  catalog.set(a_claim("waiting").of_class("wait"));
  catalog.set(a_claim("classless"));
  catalog.set(a_claim("unknown").of_class("none"));
  catalog.set(a_claim("broken").of_class("broken"));
  catalog.set(a_claim("orphan").wants("gone"));
  struct Row {
    const char* claim;
    std::string answer;
  };
  const Row rows[] = {
      {"waiting", "skip"},
      {"unbound", "everywhere unresolvable: PersistentVolume had no name"},
      {"classless", "everywhere unresolvable: PersistentVolumeClaim had no pv name and storageClass name"},
      {"unknown", "everywhere unresolvable: storageclass.storage.k8s.io \"none\" not found"},
      {"broken", "everywhere unresolvable: VolumeBindingMode not set for StorageClass \"broken\""},
      {"orphan", "everywhere unresolvable: persistentvolume \"gone\" not found"},
      {"absent", "everywhere unresolvable: persistentvolumeclaim \"absent\" not found"},
  };
  for (const auto& [claim, answer] : rows) EXPECT_EQ(answers({claim}), (Answers{answer, answer, answer}));
  EXPECT_EQ(answers({}), (Answers{"skip", "skip", "skip"}));
}

}  // namespace
}  // namespace muster
