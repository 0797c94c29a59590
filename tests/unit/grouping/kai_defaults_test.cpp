// What a PodGroup of KAI takes from the workload and the pod, and how it is written.

#include <gtest/gtest.h>

#include "grouping/duration_text.h"
#include "grouping/kai.h"
#include "unit/grouping/made_up_cluster.h"

namespace muster::grouping {
namespace {

KaiGroup job_group(const std::string& owner, const std::string& pod, MadeUpCluster cluster = {}, const KaiSettings& settings = {}) {
  cluster.with("example.org/v1", "Thing", owner_text(owner, ""));
  const auto out = kai_group(pod_of("example.org/v1", "Thing", pod), cluster, settings);
  EXPECT_TRUE(out && *out) << (out ? "" : out.error().message);
  return out && *out ? **out : KaiGroup();
}

TEST(KaiDefaults, TheQueueIsNamedByTheOwnerThenThePodThenTheProject) {
  EXPECT_EQ(job_group("", "").queue, "default-queue");
  EXPECT_EQ(job_group("", R"(,"labels":{"project":"a"})").queue, "a");
  EXPECT_EQ(job_group("", R"(,"labels":{"project":"a","kai.scheduler/node-pool":"x"})").queue, "a-x");
  EXPECT_EQ(job_group(R"(,"labels":{"project":"b"})", R"(,"labels":{"project":"a"})").queue, "b");
  EXPECT_EQ(job_group(R"(,"labels":{"project":"b"})", R"(,"labels":{"kai.scheduler/queue":"q"})").queue, "q");
  EXPECT_EQ(job_group(R"(,"labels":{"kai.scheduler/queue":"o"})", R"(,"labels":{"kai.scheduler/queue":"q"})").queue, "o");
}

TEST(KaiDefaults, APriorityClassCountsOnlyIfThereIsOne) {
  const std::string owner = R"(,"labels":{"priorityClassName":"build"})";
  EXPECT_EQ(job_group(owner, "").priority_class, "train");
  EXPECT_EQ(job_group(owner, "", MadeUpCluster().with_class("build")).priority_class, "build");
  EXPECT_EQ(job_group("", R"(,"labels":{"priorityClassName":"x"})", MadeUpCluster().with_class("x")).priority_class, "x");
}

TEST(KaiDefaults, AConfigMapHasDefaultsByKind) {
  KaiSettings settings;
  settings.defaults_namespace = "kai";
  settings.defaults_name = "defaults";
  MadeUpCluster cluster;
  cluster.with_class("high").with_class("higher");
  cluster.with("v1", "ConfigMap",
               R"({"metadata":{"name":"defaults","namespace":"kai"},"data":{"types":)"
               R"("[{\"typeName\":\"Thing\",\"priorityName\":\"high\",\"preemptibility\":\"Non-Preemptible\"},)"
               R"({\"typeName\":\"Thing\",\"group\":\"example.org\",\"priorityName\":\"higher\"}]"}})");
  const auto group = job_group("", "", cluster, settings);
  EXPECT_EQ(group.priority_class, "higher");
  EXPECT_EQ(group.preemptibility, "");
  EXPECT_EQ(job_group(R"(,"labels":{"kai.scheduler/preemptibility":"preemptible"})", "", cluster, settings).preemptibility,
            "preemptible");
}

TEST(KaiDefaults, DurationsThatAreNoneArePassedOver) {
  const auto group =
      job_group(R"(,"annotations":{"kai.scheduler/preemption-delay":"-5s","kai.scheduler/staleness-grace-period":"-1s"})",
                R"(,"annotations":{"kai.scheduler/preemption-delay":"90s"})");
  EXPECT_EQ(group.preemption_delay, "1m30s");
  EXPECT_EQ(group.staleness_grace, "-1s");
}

TEST(KaiDefaults, DurationsAreWrittenAsGoDoes) {
  EXPECT_EQ(go_duration_text(0), "0s");
  EXPECT_EQ(go_duration_text(1), "1ns");
  EXPECT_EQ(go_duration_text(1'500'000), "1.5ms");
  EXPECT_EQ(go_duration_text(3'600'000'000'000), "1h0m0s");
  EXPECT_EQ(go_duration_text(-61'250'000'000), "-1m1.25s");
}

TEST(KaiDefaults, LabelsAndAnnotationsAreTheOwners) {
  const auto group = job_group(R"(,"labels":{"team":"a"},"annotations":{"note":"b"})",
                               R"(,"labels":{"user":"eve","kai.scheduler/node-pool":"x"},"annotations":{"user":"eve"})");
  EXPECT_EQ(group.labels, (Texts{{"team", "a"}, {"user", "eve"}, {"kai.scheduler/node-pool", "x"}}));
  EXPECT_EQ(group.annotations.at("note"), "b");
  EXPECT_EQ(group.annotations.at("user"), "eve");
  EXPECT_EQ(group.annotations.at("kai.scheduler/top-owner-metadata"),
            "name: top\nuid: u-top\ngroup: example.org\nversion: v1\nkind: Thing\n");
}

TEST(KaiDefaults, AnObjectSaysWhatTheGroupIs) {
  const auto group =
      job_group(R"(,"annotations":{"kai.scheduler/topology":"t","kai.scheduler/topology-required-placement":"rack"})", "");
  const auto made = object("scheduling.run.ai/v2alpha2", "PodGroup", group.body());
  EXPECT_EQ(made.name, "pg-top-u-top");
  EXPECT_EQ(made.owners, std::vector{group.owner});
  EXPECT_EQ(made.integer_at("spec.minMember"), 1);
  EXPECT_EQ(made.text_at("spec.queue"), "default-queue");
  EXPECT_EQ(made.text_at("spec.topologyConstraint.requiredTopologyLevel"), "rack");
  EXPECT_EQ(group.patch(made, {}), "");
}

TEST(KaiDefaults, AnExistingGroupKeepsWhatOthersDecide) {
  const auto existing = object(
      "scheduling.run.ai/v2alpha2", "PodGroup",
      R"({"metadata":{"name":"pg-top-u-top","namespace":"ns","uid":"u-pg","labels":{"kai.scheduler/queue":"moved","kai.scheduler/node-pool":"y"},)"
      R"("ownerReferences":[{"apiVersion":"example.org/v1","kind":"Thing","name":"top","uid":"u-top"}]},)"
      R"("spec":{"minMember":7,"queue":"moved","markUnschedulable":false,"schedulingBackoff":1,"preemptibility":"preemptible",)"
      R"("topologyConstraint":{"topology":"t","requiredTopologyLevel":"rack"}}})");
  auto group = job_group(R"(,"labels":{"kai.scheduler/queue":"q","kai.scheduler/node-pool":"x","team":"a"})", "");
  group.annotations.clear();
  EXPECT_EQ(
      group.patch(existing, {}),
      R"({"metadata":{"uid":"u-pg","labels":{"team":"a"}},"spec":{"minMember":1,"priorityClassName":"train","preemptibility":null}})");
}

TEST(KaiDefaults, APodIsPatchedOnce) {
  KaiGroup group;
  group.name = "g";
  group.pod_sub_group = "workers";
  const auto pod = [](const std::string& metadata) {
    return object("v1", "Pod", R"({"metadata":{"name":"p","uid":"u-p")" + metadata + "}}");
  };
  EXPECT_EQ(
      kai_pod_patch(pod(""), group),
      R"({"metadata":{"uid":"u-p","annotations":{"pod-group-name":"g"},"labels":{"kai.scheduler/subgroup-name":"workers"}}})");
  EXPECT_EQ(
      kai_pod_patch(pod(R"(,"annotations":{"pod-group-name":"g"},"labels":{"kai.scheduler/subgroup-name":"workers"})"), group), "");
  group.pod_sub_group = "";
  EXPECT_EQ(kai_pod_patch(pod(""), group), R"({"metadata":{"uid":"u-p","annotations":{"pod-group-name":"g"}}})");
}

}  // namespace
}  // namespace muster::grouping
