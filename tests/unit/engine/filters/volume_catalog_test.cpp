#include "engine/filters/volume_catalog.h"

#include <gtest/gtest.h>

#include "support/volume_builder.h"

namespace muster {
namespace {

TEST(VolumeCatalog, ListsVolumesOfAClassInTheOrderOfTheirComing) {
  VolumeCatalog catalog;
  catalog.set(a_volume("v2").of_class("fast"));
  catalog.set(a_volume("v1").of_class("fast"));
  catalog.set(a_volume("v3").of_class("slow"));
  const auto names = [&](const char* of_class) {
    std::vector<std::string> list;
    for (const auto* volume : catalog.volumes_of_class(of_class)) list.push_back(volume->meta.name);
    return list;
  };
  EXPECT_EQ(names("fast"), (std::vector<std::string>{"v2", "v1"}));
  catalog.set(a_volume("v2").of_class("fast").gib(5));
  EXPECT_EQ(names("fast"), (std::vector<std::string>{"v2", "v1"})) << "an update keeps its place";
  catalog.set(a_volume("v2").of_class("slow"));
  EXPECT_EQ(names("fast"), (std::vector<std::string>{"v1"}));
  EXPECT_EQ(names("slow"), (std::vector<std::string>{"v3", "v2"}));
  catalog.remove_volume("v3");
  EXPECT_EQ(names("slow"), (std::vector<std::string>{"v2"}));
  EXPECT_EQ(catalog.volume("v3"), nullptr);
  EXPECT_TRUE(catalog.volumes_of_class("none").empty());
}

TEST(VolumeCatalog, KnowsWhoseAVolumeIs) {
  using enum VolumeCatalog::Holder;
  VolumeCatalog catalog;
  const PersistentVolumeClaim mine = a_claim("data").uid("u1");
  const PersistentVolumeClaim other = a_claim("other");
  const PersistentVolume free = a_volume("v");
  EXPECT_EQ(catalog.holder(free, mine), kNobody);
  EXPECT_EQ(catalog.holder(a_volume("v").held_by("data"), mine), kThisClaim);
  EXPECT_EQ(catalog.holder(a_volume("v").held_by("data", "u1"), mine), kThisClaim);
  EXPECT_EQ(catalog.holder(a_volume("v").held_by("data", "u2"), mine), kAnother);
  EXPECT_EQ(catalog.holder(a_volume("v").held_by("data"), other), kAnother);
  catalog.promise_volume("v", "default/data");
  EXPECT_EQ(catalog.holder(free, mine), kThisClaim);
  EXPECT_EQ(catalog.holder(free, other), kAnother);
  catalog.withdraw_volume("v");
  EXPECT_EQ(catalog.holder(free, other), kNobody);
}

TEST(VolumeCatalog, PromisesEndWhenTheObjectSaysTheSame) {
  VolumeCatalog catalog;
  catalog.set(a_claim("data"));
  catalog.promise_node("default/data", "n1");
  EXPECT_EQ(catalog.selected_node(*catalog.claim("default/data")), "n1");
  catalog.set(a_claim("data").gib(2));
  EXPECT_EQ(catalog.selected_node(*catalog.claim("default/data")), "n1");
  catalog.set(a_claim("data").annotation("volume.kubernetes.io/selected-node", "n2"));
  EXPECT_EQ(catalog.selected_node(*catalog.claim("default/data")), "n2");
}

TEST(VolumeCatalog, AnOldAnnotationNamesTheClassFirst) {
  EXPECT_EQ(class_of(PersistentVolumeClaim(a_claim("c"))), "");
  EXPECT_EQ(class_of(PersistentVolumeClaim(a_claim("c").of_class("new"))), "new");
  EXPECT_EQ(
      class_of(PersistentVolumeClaim(a_claim("c").of_class("new").annotation("volume.beta.kubernetes.io/storage-class", "old"))),
      "old");
}

}  // namespace
}  // namespace muster
