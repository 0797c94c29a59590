// What is accepted and nothing acts on is told.

#include "sim/unheeded.h"

#include <gtest/gtest.h>

#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

TEST(Unheeded, IsToldAtTheCall) {
  const std::string pod_template = R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{)"
                                   R"("containers":[{"name":"c","image":"i"}]}})";
  struct Call {
    std::string path;
    std::string body;
    std::vector<std::string> warnings;
  };
  const auto object = [](const std::string& version, const std::string& kind, const std::string& spec) {
    return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","metadata":{"name":"x"},"spec":{)" + spec + "}}";
  };
  const std::string here = " in the embedded cluster\"";
  const std::vector<Call> calls{
      {"/apis/apps/v1/namespaces/default/daemonsets",
       object("apps/v1", "DaemonSet", pod_template),
       {"299 - \"DaemonSets make no pods" + here}},
      {"/api/v1/namespaces/default/resourcequotas",
       object("v1", "ResourceQuota", ""),
       {"299 - \"ResourceQuotas have no effect" + here}},
      {"/apis/apps/v1/namespaces/default/deployments",
       object("apps/v1", "Deployment", R"("minReadySeconds":0,)" + pod_template),
       {}},
      {"/apis/apps/v1/namespaces/default/deployments",
       object("apps/v1", "Deployment", R"("minReadySeconds":5,)" + pod_template),
       {"299 - \"spec.minReadySeconds has no effect" + here}},
      {kJobs,
       job_text(R"("podFailurePolicy":{"rules":[]},"successPolicy":{"rules":[]},)"),
       {"299 - \"spec.podFailurePolicy has no effect" + here, "299 - \"spec.successPolicy has no effect" + here}},
      {kJobs, job_text(R"("parallelism":2,)"), {}},
      {kVolcanoJobs,
       object("batch.volcano.sh/v1alpha1", "Job",
              R"("plugins":{"svc":[]},"policies":[{"event":"PodFailed","action":"RestartJob"}],)"
              R"("tasks":[{"name":"a"},{"name":"b","policies":[{"event":"PodPending","timeout":"5m"}]}])"),
       {"299 - \"spec.plugins has no effect" + here,
        "299 - \"spec.tasks[1].policies: policies with a timeout have no effect" + here}},
      {kPods, pod_text("x"), {}},
  };
  ControlledCluster cluster;
  for (const auto& call : calls) {
    const auto reply = cluster.post(call.path + "?dryRun=All", call.body);
    EXPECT_EQ(reply.status, 201) << reply.message();
    EXPECT_EQ(reply.warnings, call.warnings);
  }
  TestCluster without;
  EXPECT_EQ(without.post(calls[0].path, calls[0].body).warnings.size(), 0U) << "who wants no controllers knows";
  EXPECT_EQ(without.merge("/apis/apps/v1/namespaces/default/daemonsets/x/status", "{}").warnings.size(), 0U);
}

}  // namespace
}  // namespace muster::sim
