// Which PodGroup a pod belongs to, by the rules of KAI's podgrouper.

#include "grouping/kai.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/grouping/made_up_cluster.h"

namespace muster::grouping {
namespace {

const KaiSettings kSettings;

KaiGroup group_of(const Object& pod, const View& view, const KaiSettings& settings = kSettings) {
  const auto out = kai_group(pod, view, settings);
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message);
  EXPECT_TRUE(out && *out);
  return out && *out ? **out : KaiGroup();
}

std::string error_of(const Object& pod, const View& view) {
  const auto out = kai_group(pod, view, kSettings);
  return out ? "none" : out.error().message;
}

// "minMember | name:min(parent)[topology/required/preferred] ... | subgroup of the pod".
std::string shape_of(const KaiGroup& group) {
  auto out = group.min_sub_group ? fmt::format("sub {}", *group.min_sub_group) : fmt::format("{}", group.min_member);
  out += " |";
  for (const auto& one : group.sub_groups) {
    out += fmt::format(" {}:{}", one.name,
                       one.min_sub_group ? fmt::format("sub{}", *one.min_sub_group) : std::to_string(one.min_member));
    if (!one.parent.empty()) out += "(" + one.parent + ")";
    if (one.topology) out += fmt::format("[{}/{}/{}]", one.topology->topology, one.topology->required, one.topology->preferred);
  }
  return out + " | " + group.pod_sub_group;
}

// --- kinds ------------------------------------------------------------------------------------------------------------

struct KindCase {
  std::string what;
  std::string api_version;
  std::string kind;
  std::string owner_metadata;
  std::string owner_rest;
  std::string pod_metadata;
  std::string pod_spec;
  std::string shape;
  std::string priority = "train";
  std::string name = "pg-top-u-top";
};
void PrintTo(const KindCase& one, std::ostream* out) { *out << one.what; }

class KaiKinds : public testing::TestWithParam<KindCase> {};

TEST_P(KaiKinds, AreGroupedAsKaiGroupsThem) {
  const auto& one = GetParam();
  MadeUpCluster cluster;
  cluster.with(one.api_version, one.kind, owner_text(one.owner_metadata, one.owner_rest));
  const auto group = group_of(pod_of(one.api_version, one.kind, one.pod_metadata, one.pod_spec), cluster);
  EXPECT_EQ(shape_of(group), one.shape);
  EXPECT_EQ(group.priority_class, one.priority);
  EXPECT_EQ(group.name, one.name);
}

std::string annotated(const std::string& key, const std::string& value) {
  return R"(,"annotations":{")" + key + R"(":")" + value + R"("})";
}
std::string labelled(const std::string& pairs) { return R"(,"labels":{)" + pairs + "}"; }
std::string replica(const std::string& type, int index) {
  return labelled(
      fmt::format(R"("training.kubeflow.org/replica-type":"{}","training.kubeflow.org/replica-index":"{}")", type, index));
}
std::string worker_of_set(int index, int group = 3) {
  return labelled(fmt::format(R"("leaderworkerset.sigs.k8s.io/worker-index":"{}","leaderworkerset.sigs.k8s.io/group-index":"{}")",
                              index, group));
}
std::string lws(const std::string& more) { return R"(,"spec":{"leaderWorkerTemplate":{)" + more + "}}"; }

const std::string kPyTorch = R"(,"spec":{"pytorchReplicaSpecs":{"Master":{"replicas":1},"Worker":{"replicas":5}}})";
const std::string kSegmented =
    R"(,"spec":{"pytorchReplicaSpecs":{"Master":{"replicas":1},"Worker":{"replicas":5,"template":{"metadata":{"annotations":{)"
    R"("kai.scheduler/segment-size":"2","kai.scheduler/topology":"t","kai.scheduler/segment-topology-required-placement":"rack"}}}}}})";
const std::string kJobSet =
    R"("replicatedJobs":[{"name":"driver","template":{"spec":{}}},{"name":"w","replicas":2,"template":{"spec":{"parallelism":4}}}])";
const std::string kWorkersPod = labelled(R"("jobset.sigs.k8s.io/replicatedjob-name":"w","jobset.sigs.k8s.io/job-index":"1")");
const std::string kJobSetGroups = "driver:sub1 driver-replica-0:1(driver) w:sub2 w-replica-0:4(w) w-replica-1:4(w)";
const std::string kGroup3 = "pg-top-u-top-group-3";

INSTANTIATE_TEST_SUITE_P(
    Workloads, KaiKinds,
    testing::Values(
        KindCase{"an unknown kind", "example.org/v7", "Thing", "", "", "", "", "1 | | "},
        KindCase{"ReplicaSet", "apps/v1", "ReplicaSet", "", "", "", "", "1 | | "},
        KindCase{"StatefulSet", "apps/v1", "StatefulSet", "", "", "", "", "1 | | "},
        KindCase{"Deployment", "apps/v1", "Deployment", "", "", "", "", "1 | | ", "inference", "pg-p-u-p"},
        KindCase{"Job", "batch/v1", "Job", "", R"(,"spec":{"parallelism":4})", "", "", "1 | | "},
        KindCase{"Job with a gang", "batch/v1", "Job", annotated("kai.scheduler/batch-min-member", "4"), "", "", "", "4 | | "},
        KindCase{"TFJob", "kubeflow.org/v1", "TFJob", "",
                 R"(,"spec":{"tfReplicaSpecs":{"PS":{"replicas":2},"Worker":{"replicas":4}}})", "", "", "6 | | "},
        KindCase{"TFJob with a minimum", "kubeflow.org/v1", "TFJob", "",
                 R"(,"spec":{"runPolicy":{"schedulingPolicy":{"minAvailable":3}},"tfReplicaSpecs":{"Worker":{"replicas":4}}})", "",
                 "", "3 | | "},
        KindCase{"XGBoostJob", "kubeflow.org/v1", "XGBoostJob", "",
                 R"(,"spec":{"xgbReplicaSpecs":{"Master":{"replicas":1},"Worker":{"replicas":2}}})", "", "", "3 | | "},
        KindCase{"JAXJob", "kubeflow.org/v1", "JAXJob", "", R"(,"spec":{"jaxReplicaSpecs":{"Worker":{"replicas":2}}})", "", "",
                 "2 | | "},
        KindCase{"MPIJob", "kubeflow.org/v2beta1", "MPIJob", "",
                 R"(,"spec":{"mpiReplicaSpecs":{"Launcher":{"replicas":1},"Worker":{"replicas":2}}})", "", "", "3 | | "},
        KindCase{"MPIJob with a late launcher", "kubeflow.org/v1", "MPIJob", "",
                 R"(,"spec":{"launcherCreationPolicy":"WaitForWorkersReady",)"
                 R"("mpiReplicaSpecs":{"Launcher":{"replicas":1},"Worker":{"replicas":2}}})",
                 "", "", "2 | | "},
        KindCase{"Notebook", "kubeflow.org/v1beta1", "Notebook", "", "", "", "", "1 | | ", "build"},
        KindCase{"SPOTRequest", "egx.nvidia.io/v1", "SPOTRequest", "", "", "", "", "1 | | ", "inference"},
        KindCase{"PyTorchJob, its master", "kubeflow.org/v1", "PyTorchJob", "", kPyTorch, replica("master", 0), "",
                 "6 | master:1 worker:5 | master"},
        KindCase{"PyTorchJob, a worker", "kubeflow.org/v1", "PyTorchJob", "", kPyTorch, replica("worker", 3), "",
                 "6 | master:1 worker:5 | worker"},
        KindCase{"PyTorchJob, elastic", "kubeflow.org/v1", "PyTorchJob", "",
                 R"(,"spec":{"elasticPolicy":{"minReplicas":3},"pytorchReplicaSpecs":{"Worker":{"replicas":5}}})",
                 replica("worker", 0), "", "3 | worker:3 | worker"},
        KindCase{"PyTorchJob in segments", "kubeflow.org/v1", "PyTorchJob", "", kSegmented, replica("worker", 4), "",
                 "6 | master:1 worker:sub3 worker-0:2(worker)[t/rack/] worker-1:2(worker)[t/rack/] worker-2:1(worker)[t/rack/]"
                 " | worker-2"},
        KindCase{"PyTorchJob in segments, some of them later", "kubeflow.org/v1", "PyTorchJob", "",
                 R"(,"spec":{"elasticPolicy":{"minReplicas":3},"pytorchReplicaSpecs":{"Worker":{"replicas":6}}})",
                 R"(,"labels":{"training.kubeflow.org/replica-type":"worker","training.kubeflow.org/replica-index":"1"})"
                 R"(,"annotations":{"kai.scheduler/segment-size":"2"})",
                 "", "3 | worker:sub3 worker-0:2(worker) worker-1:2(worker) worker-2:0(worker) | worker-0"},
        KindCase{
            "RayCluster", "ray.io/v1", "RayCluster", "",
            R"(,"spec":{"headGroupSpec":{},"workerGroupSpecs":[{"groupName":"gpu","replicas":3,"minReplicas":2,"numOfHosts":2},)"
            R"({"groupName":"off","replicas":4,"suspended":true},{"replicas":1},{"groupName":"none","replicas":0}]})",
            labelled(R"("ray.io/group":"gpu")"), "", "6 | headgroup:1 gpu:4 worker-group-2:1 | gpu"},
        KindCase{"RayCluster with a priority", "ray.io/v1alpha1", "RayCluster", labelled(R"("ray.io/priority-class-name":"high")"),
                 "", labelled(R"("ray.io/group":"headgroup")"), "", "1 | headgroup:1 | headgroup", "high"},
        KindCase{"JobSet", "jobset.x-k8s.io/v1alpha2", "JobSet", "", R"(,"spec":{)" + kJobSet + "}", kWorkersPod, "",
                 "sub 2 | " + kJobSetGroups + " | w-replica-1"},
        KindCase{"JobSet in order", "jobset.x-k8s.io/v1alpha2", "JobSet", "",
                 R"(,"spec":{"startupPolicy":{"startupPolicyOrder":"InOrder"},)" + kJobSet + "}", kWorkersPod, "",
                 "sub 1 | " + kJobSetGroups + " | w-replica-1"},
        KindCase{"JobSet with a minimum that is too large", "jobset.x-k8s.io/v1alpha2", "JobSet",
                 annotated("kai.scheduler/batch-min-member", "9"), R"(,"spec":{)" + kJobSet + "}", kWorkersPod, "",
                 "sub 2 | " + kJobSetGroups + " | w-replica-1"},
        KindCase{"LeaderWorkerSet, its leader", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "", lws(R"("size":4)"),
                 worker_of_set(0), "", "4 | leader:1 workers:3 | leader", "train", kGroup3},
        KindCase{"LeaderWorkerSet, a leader that others wait for", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
                 R"(,"spec":{"startupPolicy":"LeaderReady","leaderWorkerTemplate":{"size":4}})", worker_of_set(0), "",
                 "1 | leader:1 | leader", "train", kGroup3},
        KindCase{"LeaderWorkerSet, when the leader has its node", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
                 R"(,"spec":{"startupPolicy":"LeaderReady","leaderWorkerTemplate":{"size":4}})", worker_of_set(0),
                 R"(,"nodeName":"n")", "4 | leader:1 workers:3 | leader", "train", kGroup3},
        KindCase{"LeaderWorkerSet in segments with the leader in the first", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
                 lws(R"("size":5,"subGroupPolicy":{"subGroupSize":2})"), worker_of_set(2), "",
                 "5 | segment-0:sub2 segment-1:2 leader:1(segment-0) workers:2(segment-0) | workers", "train", kGroup3},
        KindCase{"LeaderWorkerSet in segments that are not full", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
                 lws(R"("size":6,"subGroupPolicy":{"subGroupSize":4})"), worker_of_set(5), "",
                 "6 | segment-0:sub2 segment-1:2 leader:1(segment-0) workers:3(segment-0) | segment-1", "train", kGroup3},
        KindCase{"LeaderWorkerSet in segments without the leader", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
                 lws(R"("size":5,"subGroupPolicy":{"subGroupSize":2,"subGroupPolicyType":"LeaderExcluded"})"), worker_of_set(3), "",
                 "5 | leader:1 segment-0:2 segment-1:2 | segment-1", "train", kGroup3}));

// --- what cannot be grouped -------------------------------------------------------------------------------------------

TEST(KaiGrouping, WhatIsWrongWithTheOwnerIsSaid) {
  struct Case {
    std::string api_version, kind, metadata, rest, pod, message;
  };
  const Case cases[] = {
      {"kubeflow.org/v1", "TFJob", "", R"(,"spec":{"tfReplicaSpecs":{"Worker":{"replicas":0}}})", "", "has no replicas"},
      {"kubeflow.org/v1", "XGBoostJob", "", R"(,"spec":{"xgbReplicaSpecs":{"Worker":{"replicas":1}}})", "", "has no Master"},
      {"batch/v1", "Job", annotated("kai.scheduler/batch-min-member", "many"), "", "", "is \"many\", which is no number"},
      {"ray.io/v1", "RayCluster", "", R"(,"spec":{"workerGroupSpecs":[{"replicas":1,"minReplicas":2}]})", "",
       "1 replicas and asks for 2"},
      {"ray.io/v1", "RayJob", "", "", "", "has no RayCluster yet"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet", "", "", "", "has no jobs"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet", "", R"(,"spec":{)" + kJobSet + "}", "", "has no label"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "", "", "", "has no size"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "",
       lws(R"("size":6,"subGroupPolicy":{"subGroupSize":2,"subGroupPolicyType":"LeaderExcluded"})"), worker_of_set(1),
       "LeaderExcluded"},
      {"kubeflow.org/v1", "PyTorchJob", "", kSegmented, labelled(R"("training.kubeflow.org/replica-type":"worker")"),
       "replica-index"},
  };
  for (const auto& one : cases) {
    MadeUpCluster cluster;
    cluster.with(one.api_version, one.kind, owner_text(one.metadata, one.rest));
    EXPECT_NE(error_of(pod_of(one.api_version, one.kind, one.pod), cluster).find(one.message), std::string::npos)
        << one.kind << ": " << error_of(pod_of(one.api_version, one.kind, one.pod), cluster);
  }
}

TEST(KaiGrouping, OwnersAreFollowedToTheTop) {
  MadeUpCluster cluster;
  cluster.with("apps/v1", "Deployment", owner_text("", ""));
  cluster.with("apps/v1", "ReplicaSet",
               R"({"metadata":{"name":"rs","namespace":"ns","uid":"u-rs","ownerReferences":[)"
               R"({"apiVersion":"apps/v1","kind":"Deployment","name":"top","uid":"u-top"}]}})");
  const auto pod = object("v1", "Pod",
                          R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p","ownerReferences":[)"
                          R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u-rs"}]},)"
                          R"("spec":{"schedulerName":"kai-scheduler"}})");
  EXPECT_EQ(group_of(pod, cluster).name, "pg-p-u-p");
  EXPECT_EQ(group_of(pod, cluster).owner.name, "p");
  cluster.forbidding("Deployment");
  EXPECT_EQ(group_of(pod, cluster).name, "pg-rs-u-rs");
  cluster.forbidding("ReplicaSet");
  EXPECT_EQ(group_of(pod, cluster).name, "pg-p-u-p");
}

TEST(KaiGrouping, AnOwnerMustBeThereAndTheOneThatIsMeant) {
  MadeUpCluster cluster;
  EXPECT_NE(error_of(pod_of("batch/v1", "Job"), cluster).find("was not found"), std::string::npos);
  cluster.with("batch/v1", "Job", R"({"metadata":{"name":"top","namespace":"ns","uid":"another"}})");
  EXPECT_NE(error_of(pod_of("batch/v1", "Job"), cluster).find("was replaced"), std::string::npos);
  const auto gone = kai_group(pod_of("batch/v1", "Job", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"), cluster, kSettings);
  ASSERT_TRUE(gone.has_value());
  EXPECT_FALSE(gone->has_value());
}

TEST(KaiGrouping, SomePodsAreLeftAlone) {
  const auto is_left = [](const Object& pod, const MadeUpCluster& cluster) {
    const auto out = kai_group(pod, cluster, kSettings);
    return out && !*out;
  };
  MadeUpCluster cluster;
  cluster.with("batch/v1", "Job", owner_text("", ""));
  EXPECT_TRUE(is_left(pod_of("batch/v1", "Job", "", "", "default-scheduler"), cluster));
  EXPECT_TRUE(is_left(pod_of("batch/v1", "Job", annotated("kai.scheduler/skip-podgrouper", "true")), cluster));
  EXPECT_TRUE(is_left(object("v1", "Pod",
                             R"({"metadata":{"name":"p","namespace":"ns","annotations":{"pod-group-name":"mine"}},)"
                             R"("spec":{"schedulerName":"kai-scheduler"}})"),
                      cluster));
  MadeUpCluster skipping;
  skipping.with("batch/v1", "Job", owner_text(annotated("kai.scheduler/skip-podgrouper", "true"), ""));
  EXPECT_TRUE(is_left(pod_of("batch/v1", "Job"), skipping));
}

// --- single pods, and owners that are passed over ---------------------------------------------------------------------

TEST(KaiGrouping, PodsOfSparkShareAGroup) {
  const auto pod = object("v1", "Pod",
                          R"({"metadata":{"name":"exec-1","namespace":"ns","uid":"u","labels":{"spark-app-name":"pi",)"
                          R"("spark-app-selector":"spark-abc"}},"spec":{"schedulerName":"kai-scheduler"}})");
  EXPECT_EQ(group_of(pod, MadeUpCluster()).name, "spark-abc");
  const auto alone =
      object("v1", "Pod", R"({"metadata":{"name":"a","namespace":"ns","uid":"u"},"spec":{"schedulerName":"kai-scheduler"}})");
  EXPECT_EQ(group_of(alone, MadeUpCluster()).name, "pg-a-u");
}

TEST(KaiGrouping, ACronJobsPodsBelongToTheirRun) {
  MadeUpCluster cluster;
  cluster.with("batch/v1", "CronJob", R"({"metadata":{"name":"cron","namespace":"ns","uid":"u-cron"}})");
  cluster.with("batch/v1", "Job",
               owner_text(R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"cron","uid":"u-cron"}])", ""));
  EXPECT_EQ(group_of(pod_of("batch/v1", "Job"), cluster).name, "pg-top-u-top");
}

TEST(KaiGrouping, AnOwnerThatIsPassedOverLendsItsLabels) {
  MadeUpCluster cluster;
  cluster.with(
      "trainer.kubeflow.org/v1alpha1", "TrainJob",
      R"({"metadata":{"name":"train","namespace":"ns","uid":"u-train","labels":{"kai.scheduler/queue":"q","user":"eve"}}})");
  cluster.with("jobset.x-k8s.io/v1alpha2", "JobSet",
               owner_text(R"(,"labels":{"user":"bob"},"ownerReferences":[{"apiVersion":"trainer.kubeflow.org/v1alpha1",)"
                          R"("kind":"TrainJob","name":"train","uid":"u-train"}])",
                          R"(,"spec":{)" + kJobSet + "}"));
  const auto group = group_of(pod_of("jobset.x-k8s.io/v1alpha2", "JobSet", kWorkersPod), cluster);
  EXPECT_EQ(group.name, "pg-top-u-top");
  EXPECT_EQ(group.queue, "q");
  EXPECT_EQ(group.labels.at("user"), "bob");
  EXPECT_EQ(group.pod_sub_group, "w-replica-1");
}

TEST(KaiGrouping, RayJobsNameTheirClusterInTheStatus) {
  MadeUpCluster cluster;
  cluster.with("ray.io/v1", "RayJob", owner_text("", R"(,"status":{"rayClusterName":"rc"})"));
  cluster.with("ray.io/v1", "RayCluster",
               R"({"metadata":{"name":"rc","namespace":"ns"},"spec":{"workerGroupSpecs":[{"groupName":"w","replicas":2}]}})");
  EXPECT_EQ(shape_of(group_of(pod_of("ray.io/v1", "RayJob"), cluster)), "3 | headgroup:1 w:2 | ");
  cluster.with("scheduling.run.ai/v2alpha2", "PodGroup", R"({"metadata":{"name":"pg-top-u-top","namespace":"ns"},"spec":{}})");
  EXPECT_EQ(shape_of(group_of(pod_of("ray.io/v1", "RayJob"), cluster)), "3 | | ") << "a group from before stays flat";
}

TEST(KaiGrouping, GroupsOfEarlierVersionsAreUsed) {
  MadeUpCluster cluster;
  cluster.with("batch/v1", "Job", owner_text(annotated("kai.scheduler/batch-min-member", "4"), ""));
  cluster.with("scheduling.run.ai/v2alpha2", "PodGroup", R"({"metadata":{"name":"pg-p-u-top","namespace":"ns"}})");
  EXPECT_EQ(group_of(pod_of("batch/v1", "Job"), cluster).name, "pg-p-u-top");
  EXPECT_EQ(group_of(pod_of("batch/v1", "Job"), cluster).min_member, 1);
  KaiSettings without;
  without.search_legacy_groups = false;
  EXPECT_EQ(group_of(pod_of("batch/v1", "Job"), cluster, without).name, "pg-top-u-top");
}

TEST(KaiGrouping, AnMpiJobCountsTheLauncherOnceItIsThere) {
  MadeUpCluster cluster;
  cluster.with("kubeflow.org/v1", "MPIJob",
               owner_text("", R"(,"spec":{"launcherCreationPolicy":"WaitForWorkersReady",)"
                              R"("mpiReplicaSpecs":{"Launcher":{"replicas":1},"Worker":{"replicas":2}}})"));
  cluster.with("v1", "Pod",
               R"({"metadata":{"name":"l","namespace":"ns","labels":{"training.kubeflow.org/job-name":"top",)"
               R"("training.kubeflow.org/job-role":"launcher"}}})");
  EXPECT_EQ(group_of(pod_of("kubeflow.org/v1", "MPIJob"), cluster).min_member, 3);
}

}  // namespace
}  // namespace muster::grouping
