#include "model/workload.h"

#include <gtest/gtest.h>

#include "model/objects.h"

namespace muster {
namespace {

using Names = std::vector<std::string>;

Pod pod_owned_by(const std::string& name) {
  Pod pod;
  if (!name.empty()) pod.meta.owners.push_back({.kind = "ReplicaSet", .name = name});
  return pod;
}

// While it is replaced pods of both are there, and a PodGroup may be taken from its owner, or go while its pods stay.
TEST(Workload, OfAJobIsItsGroupsOrElseThatOfThePodSeenLast) {
  JobWorkload workload;
  EXPECT_EQ(workload.text(), "");
  workload.take_pod(pod_owned_by("web-1"));
  EXPECT_EQ(workload.text(), "ReplicaSet/web-1");
  workload.take_pod(pod_owned_by("web-2"));
  workload.take_pod(pod_owned_by(""));
  EXPECT_EQ(workload.text(), "ReplicaSet/web-2");
  workload.of_group = "Job/train";
  EXPECT_EQ(workload.text(), "Job/train");
}

// The status of a pod changes while it goes, when its successors are there.
TEST(Workload, OfAJobIsNotThatOfAPodThatLeavesOrHasEnded) {
  auto leaves = pod_owned_by("web-1"), has_succeeded = leaves, has_failed = leaves;
  leaves.meta.deleted = Timestamp{1, 0};
  has_succeeded.status.phase = "Succeeded";
  has_failed.status.phase = "Failed";
  for (const auto& old : {leaves, has_succeeded, has_failed}) {
    JobWorkload workload;
    workload.take_pod(old);
    EXPECT_EQ(workload.text(), "ReplicaSet/web-1") << "there is no other";
    workload.take_pod(pod_owned_by("web-2"));
    workload.take_pod(old);
    EXPECT_EQ(workload.text(), "ReplicaSet/web-2");
  }
}

TEST(Workload, IsWhoControlsAnObject) {
  ObjectMeta meta;
  EXPECT_EQ(workload_of(meta), "");
  meta.owners = {{"Cluster", "c", "u1", false}};
  EXPECT_EQ(workload_of(meta), "Cluster/c");
  meta.owners.push_back({"Job", "train", "u2", true});
  EXPECT_EQ(workload_of(meta), "Job/train");
}

TEST(Workload, NamesItsJobWithAndWithoutKindAndNamespace) {
  EXPECT_EQ(names_of_job("mine/pg-1", "Job/train"), (Names{"mine/pg-1", "mine/train", "job/train", "mine/job/train"}));
  EXPECT_EQ(names_of_job("mine/pg-1", ""), Names{"mine/pg-1"});
  EXPECT_EQ(names_of_job("Mine/PG", "Job/Train"), (Names{"mine/pg", "mine/train", "job/train", "mine/job/train"}));
}

TEST(Workload, IsCalledAfterWhatMadeIt) {
  const auto also = [](const std::string& workload) {
    const auto names = names_of_job("mine/pg-1", workload);
    return names.size() > 4 ? names[5] : "";
  };
  EXPECT_EQ(also("ReplicaSet/web-5d4f8c9b6d"), "deployment/web");
  EXPECT_EQ(also("Job/nightly-29012345"), "cronjob/nightly");
  for (const auto* workload : {"ReplicaSet/web-front", "ReplicaSet/web", "Job/train-2", "Job/train", "StatefulSet/web-5d4f8c9b6d"})
    EXPECT_EQ(also(workload), "") << workload;
}

// A PodGroup that a pod owns is that of a Deployment's pod, or of one that somebody made.
TEST(Workload, OfAPodIsCalledAfterItsDeployment) {
  struct Row {
    std::string workload;
    Names names;
  };
  const Row rows[] = {
      {"Pod/web-5d4f8c9b6d-x7k2p",
       {"m/pg", "m/web-5d4f8c9b6d-x7k2p", "pod/web-5d4f8c9b6d-x7k2p", "m/pod/web-5d4f8c9b6d-x7k2p", "m/web-5d4f8c9b6d",
        "replicaset/web-5d4f8c9b6d", "m/replicaset/web-5d4f8c9b6d", "m/web", "deployment/web", "m/deployment/web"}},
      {"Pod/train-x7k2p", {"m/pg", "m/train-x7k2p", "pod/train-x7k2p", "m/pod/train-x7k2p"}},
      {"Pod/web-5d4f8c9b6d-blue", {"m/pg", "m/web-5d4f8c9b6d-blue", "pod/web-5d4f8c9b6d-blue", "m/pod/web-5d4f8c9b6d-blue"}},
      {"Pod/x7k2p", {"m/pg", "m/x7k2p", "pod/x7k2p", "m/pod/x7k2p"}},
  };
  for (const auto& [workload, names] : rows) EXPECT_EQ(names_of_job("m/pg", workload), names) << workload;
}

TEST(Workload, StandsBesideAJobOfAnotherName) {
  EXPECT_EQ(with_workload("mine/podgroup-7f", "Job/train"), "mine/podgroup-7f (Job/train)");
  EXPECT_EQ(with_workload("mine/train", "Job/train"), "mine/train");
  EXPECT_EQ(with_workload("mine/train", ""), "mine/train");
}

}  // namespace
}  // namespace muster
