// Storage of CSI drivers in whole cycles, with --schedule-csi-storage.

#include "policy/kai/storage_book.h"

#include <gtest/gtest.h>

#include "support/kai_yaml_cycles.h"

namespace muster::kai {
namespace {

ClusterOptions with_storage() {
  ClusterOptions options;
  options.csi_storage = true;
  return options;
}

std::string a_driver() {
  return "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: csi}\nspec: {storageCapacity: true}\n---\n";
}

std::string a_class(const std::string& name, const std::string& mode = "WaitForFirstConsumer", const std::string& driver = "csi") {
  return "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " + name + "}\nprovisioner: " + driver +
         "\nvolumeBindingMode: " + mode + "\n---\n";
}

std::string a_capacity(const std::string& name, const std::string& storage_class, const std::string& amount,
                       const std::string& host) {
  return "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: " + name +
         ", namespace: csi}\nstorageClassName: " + storage_class + (amount.empty() ? "" : "\ncapacity: " + amount) +
         "\nnodeTopology: {matchLabels: {host: " + host + "}}\n---\n";
}

std::string a_claim(const std::string& name, const std::string& storage_class, const std::string& size,
                    const std::string& owner = "") {
  return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name + ", namespace: ns" +
         (owner.empty() ? "" : ", ownerReferences: [{apiVersion: v1, kind: Pod, name: " + owner + ", uid: " + owner + "}]") +
         "}\nspec: {accessModes: [ReadWriteOnce]" + (storage_class.empty() ? "" : ", storageClassName: " + storage_class) +
         ", resources: {requests: {storage: " + size + "}}}\nstatus: {phase: Pending}\n---\n";
}

// A job of one pod that uses a claim.
std::string a_job(const std::string& name, const std::string& claim, int created = 0, const std::string& node = "") {
  return yaml_group(name, created) +
         yaml_pod(name, node, "volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim + "}}]");
}

TEST(StorageBook, ThePodGoesWhereThereIsRoomForItsClaim) {
  KaiYamlCycles cycles(yaml_node("n1") + yaml_node("n2") + a_driver() + a_class("fast") + a_capacity("c1", "fast", "5Gi", "n1") +
                           a_capacity("c2", "fast", "50Gi", "n2") + a_claim("data", "fast", "20Gi") + a_job("a", "data"),
                       with_storage());
  EXPECT_EQ(cycles.run(), "bind a-0@n2");
}

TEST(StorageBook, WithoutTheFlagNobodyCounts) {
  KaiYamlCycles cycles(yaml_node("n1") + a_driver() + a_class("fast") + a_capacity("c1", "fast", "5Gi", "n1") +
                       a_claim("data", "fast", "20Gi") + a_job("a", "data"));
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
}

TEST(StorageBook, WhatIsTakenInACycleIsTaken) {
  KaiYamlCycles cycles(yaml_node("n1") + a_driver() + a_class("fast") + a_capacity("c1", "fast", "30Gi", "n1") +
                           a_claim("d1", "fast", "20Gi") + a_claim("d2", "fast", "20Gi") + a_claim("d3", "fast", "10Gi") +
                           a_job("a", "d1", 1) + a_job("b", "d2", 2) + a_job("c", "d3", 3),
                       with_storage());
  EXPECT_EQ(cycles.run(), "bind a-0@n1, bind c-0@n1");
}

TEST(StorageBook, ClassesThatCount) {
  struct Row {
    std::string objects;
    const char* outcome;
  };
  const Row rows[] = {
      {a_driver() + a_class("fast"), ""},                                      // no capacity is within reach
      {a_class("fast"), "bind a-0@n1"},                                        // no such driver
      {a_driver() + a_class("fast") + a_capacity("c", "fast", "", "n1"), ""},  // none that it would tell
      {a_driver() + a_class("fast") + a_capacity("c", "fast", "5Gi", "n1") + a_capacity("d", "fast", "5Gi", "n1"), ""},
      {a_driver() + a_class("fast") + a_class("bulk") + a_capacity("c", "fast", "5Gi", "n1") +
           a_capacity("d", "bulk", "5Gi", "n1") + a_capacity("e", "bulk", "5Gi", "n1"),
       ""},  // two of another class spoil it, too
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    KaiYamlCycles cycles(yaml_node("n1") + rows[i].objects + a_claim("data", "fast", "1Gi") + a_job("a", "data"), with_storage());
    EXPECT_EQ(cycles.run(), rows[i].outcome) << i;
  }
}

// The original dies of it.
TEST(StorageBook, AClaimWithoutAClassIsOfNoConcern) {
  KaiYamlCycles cycles(yaml_node("n1") + a_driver() + a_class("fast") + a_capacity("c", "fast", "5Gi", "n1") +
                           a_claim("none", "", "1Gi") + a_claim("data", "fast", "1Gi") + a_job("a", "data"),
                       with_storage());
  EXPECT_EQ(cycles.run(), "bind a-0@n1");
}

TEST(StorageBook, ClaimsOfPodsThatAreGoneAreWaitedFor) {
  const auto objects = yaml_node("n1") + a_driver() + a_class("fast") + a_capacity("c", "fast", "5Gi", "n1") + a_job("a", "data");
  KaiYamlCycles gone(objects + a_claim("data", "fast", "1Gi", "somebody"), with_storage());
  EXPECT_EQ(gone.run(), "wait a-0@n1");
  KaiYamlCycles own(objects + a_claim("data", "fast", "1Gi", "a-0"), with_storage());
  EXPECT_EQ(own.run(), "bind a-0@n1");
}

// Pods that are only about to be bound do not count when the next cycle opens, those that run do: as in the original.
TEST(StorageBook, OverSeveralCycles) {
  const auto objects = yaml_node("n1") + a_driver() + a_class("fast") + a_capacity("c", "fast", "25Gi", "n1") +
                       a_claim("d1", "fast", "20Gi") + a_claim("d2", "fast", "20Gi") + a_job("a", "d1", 1) + a_job("b", "d2", 2);
  KaiYamlCycles binding(objects, with_storage());
  EXPECT_EQ(binding.run(), "bind a-0@n1");
  EXPECT_EQ(binding.run(), "bind b-0@n1");
  KaiYamlCycles running(objects, with_storage());
  EXPECT_EQ(running.run(), "bind a-0@n1");
  running.cluster().pod_runs(running.pod("a-0"));
  EXPECT_EQ(running.run(), "");
  running.cluster().remove_pod(running.pod("a-0"));
  EXPECT_EQ(running.run(), "bind b-0@n1");
}

}  // namespace
}  // namespace muster::kai
