#include "engine/filters/csi_limits.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"
#include "support/volume_builder.h"

namespace muster {
namespace {

constexpr auto kFull = "unschedulable: node(s) exceed max volume count";

struct CsiLimits : testing::Test {
  TestCluster cluster;
  NodeId node = cluster.add(a_node("n"));
  VolumeCatalog catalog;
  CsiLimitsFilter filter{cluster.books, cluster.fits, catalog};

  void SetUp() override {
    catalog.set(a_storage_class("wait").waits().provisioner("disk"));
    for (const auto* name : {"1", "2", "3"}) {
      catalog.set(a_volume(std::string("v") + name).driver("disk"));
      catalog.set(a_claim(std::string("c") + name).bound_to(std::string("v") + name));
    }
    catalog.set(a_volume("plain"));
    catalog.set(a_claim("plain").bound_to("plain"));
    catalog.set(a_claim("waiting").of_class("wait"));
  }
  std::string answer(std::initializer_list<const char*> claims) {
    auto builder = a_pod("p");
    for (const auto* claim : claims) builder.claim(claim);
    return ask(cluster.fits, filter, cluster.add(builder), node);
  }
};

TEST_F(CsiLimits, CountsTheVolumesOfPresentPods) {
  catalog.set(a_csi_node("n", "disk", 2));
  EXPECT_EQ(answer({}), "skip");
  EXPECT_EQ(answer({"c1", "c2"}), "");
  EXPECT_EQ(answer({"c1", "c2", "c3"}), kFull);
  cluster.place(a_pod("there").claim("c1"), node);
  EXPECT_EQ(answer({"c2"}), "");
  EXPECT_EQ(answer({"c2", "c3"}), kFull);
  EXPECT_EQ(answer({"c1", "c2"}), "") << "a volume that is attached already counts once";
  EXPECT_EQ(answer({"waiting", "c2"}), kFull) << "a volume that would be made counts for its driver";
  EXPECT_EQ(answer({"plain", "c2"}), "") << "a volume without a driver does not count";
}

TEST_F(CsiLimits, WithoutALimitAnythingGoes) {
  EXPECT_EQ(answer({"c1", "c2", "c3"}), "") << "nothing is known of the node";
  catalog.set(a_csi_node("n", "disk", std::nullopt));
  EXPECT_EQ(answer({"c1", "c2", "c3"}), "");
  catalog.set(a_csi_node("n", "other", 1));
  EXPECT_EQ(answer({"c1", "c2", "c3"}), "");
}

TEST_F(CsiLimits, ANodeOverItsLimitStillTakesPodsThatAddNothing) {
  catalog.set(a_csi_node("n", "disk", 1));
  cluster.place(a_pod("there").claim("c1").claim("c2"), node);
  EXPECT_EQ(answer({"c1"}), "");
  EXPECT_EQ(answer({"c3"}), kFull);
}

TEST_F(CsiLimits, AMissingClaimIsToldNodeByNode) {
  EXPECT_EQ(answer({"absent"}), "unresolvable: looking up PVC default/absent: persistentvolumeclaim \"absent\" not found");
}

}  // namespace
}  // namespace muster
