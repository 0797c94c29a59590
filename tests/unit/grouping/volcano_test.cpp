// PodGroups for pods that have none, by the rules of Volcano's podgroup controller.

#include "grouping/volcano.h"

#include <gtest/gtest.h>

#include "grouping/pod_usage.h"
#include "unit/grouping/made_up_cluster.h"

namespace muster::grouping {
namespace {

const VolcanoSettings kInherits;
constexpr const char* kContainer =
    R"(,"priorityClassName":"high","containers":[{"resources":{"requests":{"cpu":"2","memory":"1Gi","nvidia.com/gpu":"1"},)"
    R"("limits":{"cpu":"3","nvidia.com/gpu":"1"}}}])";

Object volcano_pod(const std::string& kind, const std::string& metadata = {}) {
  return pod_of(kind == "Job" ? "batch/v1" : "apps/v1", kind, metadata, kContainer, "volcano");
}

TEST(VolcanoGrouping, PodsOfOneOwnerShareAGroup) {
  MadeUpCluster cluster;
  cluster.with(
      "batch/v1", "Job",
      owner_text(R"(,"annotations":{"scheduling.volcano.sh/group-min-member":"3","volcano.sh/sla-waiting-time":"5m","other":"x"})",
                 ""));
  const auto pod = volcano_pod("Job", R"(,"annotations":{"scheduling.volcano.sh/queue-name":"q","volcano.sh/preemptable":"true"})");
  const auto group = volcano_group(pod, cluster, kInherits);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->name, "podgroup-u-top");
  EXPECT_EQ(group->min_member, 3);
  EXPECT_EQ(group->queue, "q");
  EXPECT_EQ(group->priority_class, "high");
  EXPECT_EQ(group->annotations, (Texts{{"volcano.sh/preemptable", "true"}, {"volcano.sh/sla-waiting-time", "5m"}}));
  EXPECT_EQ(group->owners.front().name, "top");
  const auto made = object("scheduling.volcano.sh/v1beta1", "PodGroup", group->body());
  EXPECT_EQ(made.text_at("status.phase"), "Pending");
  EXPECT_EQ(json_texts(made.at("spec.minResources")), (Texts{{"count/pods", "3"},
                                                             {"cpu", "6"},
                                                             {"limits.cpu", "9"},
                                                             {"memory", "3Gi"},
                                                             {"nvidia.com/gpu", "3"},
                                                             {"pods", "3"},
                                                             {"requests.cpu", "6"},
                                                             {"requests.memory", "3Gi"},
                                                             {"requests.nvidia.com/gpu", "3"}}));
  EXPECT_EQ(volcano_pod_patch(pod, *group),
            R"({"metadata":{"uid":"u-p","annotations":{"scheduling.k8s.io/group-name":"podgroup-u-top"}}})");
}

TEST(VolcanoGrouping, AnnotationsOfOwnersNeedNotBeInherited) {
  MadeUpCluster cluster;
  cluster.with("apps/v1", "ReplicaSet",
               owner_text(R"(,"annotations":{"scheduling.volcano.sh/group-min-member":"3","volcano.sh/x":"y"})", ""));
  VolcanoSettings settings;
  settings.inherit_owner_annotations = false;
  const auto group = volcano_group(volcano_pod("ReplicaSet"), cluster, settings);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->min_member, 1);
  EXPECT_TRUE(group->annotations.empty());
}

TEST(VolcanoGrouping, ASizeThatIsNoneIsOne) {
  for (const std::string text : {"many", "-2"}) {
    MadeUpCluster cluster;
    cluster.with("apps/v1", "StatefulSet",
                 owner_text(R"(,"annotations":{"scheduling.volcano.sh/group-min-member":")" + text + "\"}", ""));
    EXPECT_EQ(volcano_group(volcano_pod("StatefulSet"), cluster, kInherits)->min_member, 1);
  }
}

TEST(VolcanoGrouping, APodWithoutAControllerHasAGroupOfItsOwn) {
  const auto pod =
      object("v1", "Pod", R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p"},"spec":{"schedulerName":"volcano"}})");
  const auto group = volcano_group(pod, MadeUpCluster(), kInherits);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->name, "podgroup-u-p");
  EXPECT_EQ(references_json(group->owners),
            R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u-p","controller":true,"blockOwnerDeletion":true}])");
}

TEST(VolcanoGrouping, OthersAreLeftAlone) {
  EXPECT_FALSE(volcano_group(pod_of("batch/v1", "Job", "", "", "default-scheduler"), MadeUpCluster(), kInherits));
  EXPECT_FALSE(
      volcano_group(volcano_pod("Job", R"(,"annotations":{"scheduling.k8s.io/group-name":"g"})"), MadeUpCluster(), kInherits));
}

TEST(VolcanoGrouping, TopologyIsHardUnlessSaidOtherwise) {
  const auto topology = [](const std::string& annotations) {
    return volcano_group(volcano_pod("Job", R"(,"annotations":{)" + annotations + "}"), MadeUpCluster(), kInherits)->topology;
  };
  EXPECT_EQ(topology(R"("a":"b")"), std::nullopt);
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-highest-tier":"2")"), (NetworkTopology{"hard", 2}));
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-mode":"Soft")"), (NetworkTopology{"soft", std::nullopt}));
  EXPECT_EQ(topology(R"("volcano.sh/network-topology-mode":"odd","volcano.sh/network-topology-highest-tier":"x")"),
            (NetworkTopology{"hard", std::nullopt}));
}

TEST(VolcanoGrouping, AWorkloadWithoutReplicasNeedsNoGroup) {
  const auto scaled = [](const std::string& kind, const std::string& replicas) {
    return abandoned_volcano_group(object("apps/v1", kind, owner_text("", R"(,"spec":{"replicas":)" + replicas + "}")));
  };
  EXPECT_EQ(scaled("ReplicaSet", "0"), "podgroup-u-top");
  EXPECT_EQ(scaled("StatefulSet", "0"), "podgroup-u-top");
  EXPECT_EQ(scaled("ReplicaSet", "1"), std::nullopt);
  EXPECT_EQ(scaled("Deployment", "0"), std::nullopt);
}

TEST(PodUsage, InitContainersCountAtTheirPeakAndOverheadOnTop) {
  const std::string text =
      R"({"containers":[{"resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[)"
      R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"500m"}}},{"resources":{"requests":{"cpu":"3"}}}],)"
      R"("overhead":{"cpu":"100m"}})";
  const auto spec = read_json(text);
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(quota_usage(&*spec).at("cpu").text(), "3600m");
}

}  // namespace
}  // namespace muster::grouping
