#include "daemon/volcano_cluster.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "daemon/claim_work.h"
#include "support/device_builder.h"
#include "support/volcano_builders.h"
#include "support/volume_builder.h"

namespace muster::daemon {
namespace {

// A node and a pod of a group of its own.
class VolcanoClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.apply(Object(volcano::a_volcano_node("n1").cpu("4").memory("8Gi").object()));
    cluster_.apply(Object(volcano::a_volcano_queue("default").object()));
    cluster_.apply(Object(volcano::a_pod_group("g").object()));
    pod_ = volcano::a_volcano_pod("p").group("g").cpu("1").object();
    pod_.spec.scheduler_name = "volcano";
  }
  Effects run() {
    cluster_.apply(Object(pod_));
    cluster_.settle();
    return cluster_.run_cycle({1'767'225'600, 0}).effects;
  }

  // No volume has to be attached: there are no CSINodes here that would say of how many a node is capable.
  static volcano::ClusterOptions options() {
    volcano::ClusterOptions options;
    options.ignored_provisioners = {"example.com/disks", "kubernetes.io/no-provisioner"};
    return options;
  }
  VolcanoCluster cluster_{{.config = volcano::default_config(), .behaviour = {}, .options = options(), .share_names = "s-"}};
  Pod pod_;
};

TEST_F(VolcanoClusterTest, APodWithoutClaimsNeedsNothingElse) {
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  EXPECT_EQ(effects.binds[0].claims, nullptr);
}

TEST_F(VolcanoClusterTest, AWaitingClaimIsToldTheNodeOrGetsAVolume) {
  cluster_.apply(Object(StorageClass(a_storage_class("made").waits().provisioner("example.com/disks"))));
  cluster_.apply(Object(StorageClass(a_storage_class("local").waits().provisioner("kubernetes.io/no-provisioner"))));
  PersistentVolumeClaim made = a_claim("made").of_class("made");
  PersistentVolumeClaim local = a_claim("local").of_class("local");
  made.meta.ns = local.meta.ns = pod_.meta.ns;
  cluster_.apply(Object(made));
  cluster_.apply(Object(local));
  cluster_.apply(Object(PersistentVolume(a_volume("v1").of_class("local"))));
  for (const std::string name : {"made", "local"})
    pod_.spec.volumes.push_back({.name = name, .claim = name, .ephemeral = false, .image = {}});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_NE(effects.binds[0].claims, nullptr);
  const auto& work = *effects.binds[0].claims;
  ASSERT_EQ(work.provisions.size(), 1u);
  EXPECT_EQ(work.provisions[0].meta.name, "made");
  ASSERT_EQ(work.bindings.size(), 1u);
  EXPECT_EQ(work.bindings[0].volume.meta.name, "v1");
  EXPECT_EQ(work.longest_wait, std::chrono::minutes(10));
  EXPECT_EQ(work.obstacle, "");
}

TEST_F(VolcanoClusterTest, DevicesThatWereFoundAreGiven) {
  cluster_.apply(Object(DeviceClass(a_device_class("gpus"))));
  cluster_.apply(Object(ResourceSlice(a_slice("n1", 1).on("n1"))));
  ResourceClaim claim = a_device_claim("c").asks(a_request("r", "gpus"));
  claim.meta.ns = pod_.meta.ns;
  cluster_.apply(Object(claim));
  pod_.spec.resource_claims.push_back({.name = "gpu", .claim = "c", .templ = {}, .resolved = {}});
  const auto effects = run();
  ASSERT_EQ(effects.binds.size(), 1u);
  ASSERT_NE(effects.binds[0].claims, nullptr);
  const auto& work = *effects.binds[0].claims;
  ASSERT_EQ(work.devices.size(), 1u);
  EXPECT_EQ(work.obstacle, "");
  EXPECT_NE(work.devices[0].allocation.find(R"("driver":"gpu","pool":"n1","device":"d0")"), std::string::npos)
      << work.devices[0].allocation;
}

TEST_F(VolcanoClusterTest, WhatCouldNotBePreparedIsTold) {
  Effects effects;
  cluster_.on_unprepared({{"ns", "p", "u", ""}, "n1", {}, {}}, "no disk", {1'767'225'600, 0}, effects);
  ASSERT_EQ(effects.patches.size(), 1u);
  EXPECT_NE(effects.patches[0].body.find(R"("reason":"SchedulerError")"), std::string::npos);
  EXPECT_NE(effects.patches[0].body.find("execute preBind for pod ns/p failed: no disk, resync the task"), std::string::npos);
  EXPECT_EQ(effects.events.size(), 1u);
}

}  // namespace
}  // namespace muster::daemon
