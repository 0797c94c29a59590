// Devices by claims in whole cycles.

#include "policy/kai/plugins/dynamicresources.h"

#include <gtest/gtest.h>

#include "support/kai_yaml_cycles.h"

namespace muster::kai {
namespace {

using Names = std::vector<std::string>;

std::string a_device_class(const std::string& name, const std::string& more = "") {
  return "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " + name + "}\nspec: {" + more + "}\n---\n";
}

std::string a_slice(const std::string& node, const std::string& devices) {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " + node +
         "-gpus}\nspec: {driver: gpu.x, nodeName: " + node + ", pool: {name: " + node +
         ", generation: 1, resourceSliceCount: 1}, devices: " + devices + "}\n---\n";
}

std::string a_claim(const std::string& name, int count, const std::string& labels = "kai.scheduler/queue: q",
                    const std::string& status = "") {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name + ", namespace: ns, uid: " + name +
         ", labels: {" + labels +
         "}}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: " +
         std::to_string(count) + "}}]}}\n" + (status.empty() ? "" : "status: " + status + "\n") + "---\n";
}

std::string has(const std::string& node, const std::string& device, const std::string& pod) {
  return "{allocation: {devices: {results: [{request: r, driver: gpu.x, pool: " + node + ", device: " + device +
         "}]}}, reservedFor: [{resource: pods, name: " + pod + ", uid: " + pod + "}]}";
}

std::string a_job(const std::string& name, const std::string& claim, int created = 0, const std::string& node = "") {
  return yaml_group(name, created) + yaml_pod(name, node, "resourceClaims: [{name: c, resourceClaimName: " + claim + "}]");
}

TEST(DynamicResources, EachGetsItsOwnDevice) {
  KaiYamlCycles cycles(yaml_node("n1") + a_device_class("gpu") + a_slice("n1", "[{name: d0}, {name: d1}]") + a_claim("c1", 1) +
                       a_claim("c2", 1) + a_claim("c3", 1) + a_job("a", "c1", 1) + a_job("b", "c2", 2) + a_job("c", "c3", 3));
  EXPECT_EQ(cycles.run(), "bind a-0@n1, bind b-0@n1");
  EXPECT_EQ(cycles.devices_of("a-0"), Names{"gpu.x/n1/d0"});
  EXPECT_EQ(cycles.devices_of("b-0"), Names{"gpu.x/n1/d1"});
}

// The claims do not say so yet: the BindRequests do.
TEST(DynamicResources, WhatWasGivenStaysGiven) {
  KaiYamlCycles cycles(yaml_node("n1") + a_device_class("gpu") + a_slice("n1", "[{name: d0}, {name: d1}]") + a_claim("c1", 1) +
                       a_job("a", "c1", 1));
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
  EXPECT_FALSE(cycles.cluster().claims().find("ns/c1")->allocation);
  EXPECT_EQ(cycles.run(), "");
  cycles.cluster().pod_runs(cycles.pod("a-0"));
  EXPECT_TRUE(cycles.cluster().claims().find("ns/c1")->allocation);
  EXPECT_EQ(cycles.run(), "");
  cycles.cluster().remove_pod(cycles.pod("a-0"));
  EXPECT_FALSE(cycles.cluster().claims().find("ns/c1")->allocation);
}

TEST(DynamicResources, ClaimsThatCannotBeUsed) {
  struct Row {
    std::string claim;
    const char* outcome;
  };
  const Row rows[] = {
      {a_claim("c1", 1), "bind a-0@n1"},
      {a_claim("c1", 1, ""), ""},  // shared GPUs need the queue's label
      {a_claim("c1", 1, "kai.scheduler/queue: other"), ""},
      {a_claim("c1", 3), ""},  // there are not so many
      {a_claim("c1", 2147483647), ""},
      {a_claim("other", 1), ""},  // it does not exist
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    KaiYamlCycles cycles(yaml_node("n1") + a_device_class("gpu") + a_slice("n1", "[{name: d0}, {name: d1}]") + rows[i].claim +
                         a_job("a", "c1"));
    EXPECT_EQ(cycles.run(), rows[i].outcome) << i;
  }
}

TEST(DynamicResources, AClassMustExist) {
  KaiYamlCycles cycles(yaml_node("n1") + a_slice("n1", "[{name: d0}]") + a_claim("c1", 1) + a_job("a", "c1"));
  EXPECT_EQ(cycles.run(), "");
}

// One device, two pods: the second comes to it although no GPU is idle.
TEST(DynamicResources, SharedDevicesCountOnce) {
  KaiYamlCycles cycles(yaml_node("n1") + a_device_class("gpu") + a_slice("n1", "[{name: d0}]") +
                       a_claim("c1", 1, "kai.scheduler/queue: q", has("n1", "d0", "a-0")) + a_job("a", "c1", 1, "n1") +
                       a_job("b", "c1", 2));
  EXPECT_EQ(cycles.run(), "bind b-0@n1");
  EXPECT_EQ(cycles.devices_of("b-0"), Names{"gpu.x/n1/d0"});
}

TEST(DynamicResources, ResourcesOfContainersMayBeDevices) {
  const auto pod =
      yaml_group("a") +
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a-0, namespace: ns, uid: a-0, annotations: {pod-group-name: a}}\n"
      "spec: {schedulerName: kai-scheduler, containers: [{name: main, resources: {requests: {cpu: 1, x.com/gpu: 1}}}]}\n"
      "status: {phase: Pending}\n---\n";
  KaiYamlCycles cycles(yaml_node("n1") + a_device_class("gpu", "extendedResourceName: x.com/gpu") + a_slice("n1", "[{name: d0}]") +
                       pod);
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
  EXPECT_EQ(cycles.devices_of("a-0"), Names{"gpu.x/n1/d0"});
  cycles.cluster().pod_runs(cycles.pod("a-0"));
  EXPECT_EQ(cycles.run(), "");
  EXPECT_EQ(cycles.cluster().task(cycles.pod("a-0")).gpu.quota(), 1);  // counted once, though there is a claim for it
  cycles.cluster().remove_pod(cycles.pod("a-0"));
  EXPECT_TRUE(cycles.cluster().devices().claims().empty());
}

}  // namespace
}  // namespace muster::kai
