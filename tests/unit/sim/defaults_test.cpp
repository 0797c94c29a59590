// What the server writes into new and changed objects of built-in kinds, pods excepted.

#include <gtest/gtest.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

const std::string kServices = "/api/v1/namespaces/default/services";

// The spec that a server makes of one.
std::string service_spec(const std::string& spec) {
  TestCluster cluster;
  const auto made =
      cluster.post(kServices, R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{)" + spec + "}}");
  EXPECT_EQ(made.status, 201) << made.message();
  const auto* out = made.body.find("spec");
  return out == nullptr ? "" : out->text();
}

// As a server of v1.36 that knows IPv4 alone.
TEST(Defaults, OfServices) {
  const struct {
    const char* given;
    const char* made;
  } cases[] = {
      {R"("ports":[{"port":80},{"port":53,"protocol":"UDP","targetPort":"dns"}],"selector":{"a":"b"})",
       R"({"ports":[{"port":80,"protocol":"TCP","targetPort":80},{"port":53,"protocol":"UDP","targetPort":"dns"}],)"
       R"("selector":{"a":"b"},"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",)"
       R"("ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"]})"},
      {R"("clusterIP":"None","selector":{"a":"b"})",
       R"({"clusterIP":"None","selector":{"a":"b"},"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",)"
       R"("clusterIPs":["None"],"ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"]})"},
      {R"("clusterIP":"None")",
       R"({"clusterIP":"None","type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",)"
       R"("clusterIPs":["None"],"ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv4","IPv6"]})"},
      {R"("clusterIPs":["10.0.0.1"],"sessionAffinity":"ClientIP")",
       R"({"clusterIPs":["10.0.0.1"],"sessionAffinity":"ClientIP","type":"ClusterIP",)"
       R"("sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"internalTrafficPolicy":"Cluster","clusterIP":"10.0.0.1",)"
       R"("ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4"]})"},
      {R"("type":"LoadBalancer","clusterIP":"fd00::1","sessionAffinityConfig":{})",
       R"({"type":"LoadBalancer","clusterIP":"fd00::1","sessionAffinity":"None","externalTrafficPolicy":"Cluster",)"
       R"("allocateLoadBalancerNodePorts":true,"internalTrafficPolicy":"Cluster","clusterIPs":["fd00::1"],)"
       R"("ipFamilyPolicy":"SingleStack","ipFamilies":["IPv6"]})"},
      {R"("type":"ExternalName","externalName":"e.example")",
       R"({"type":"ExternalName","externalName":"e.example","sessionAffinity":"None"})"},
      {R"("ports":["odd",{"name":"none"}],"type":"ExternalName")",
       R"({"ports":["odd",{"name":"none","protocol":"TCP"}],"type":"ExternalName","sessionAffinity":"None"})"},
  };
  for (const auto& one : cases) EXPECT_EQ(json(service_spec(one.given)), json(one.made)) << service_spec(one.given);
}

TEST(Defaults, AJobWithoutLabelsHasThoseOfItsPods) {
  TestCluster cluster;
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  const auto job = [&](const std::string& name, const std::string& metadata, const std::string& spec) {
    const auto made = cluster.post(
        jobs,
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name + "\"" + metadata + R"(},"spec":{)" + spec +
            R"("template":{"metadata":{"labels":{"app":"a"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
    EXPECT_EQ(made.status, 201) << made.message();
    return made;
  };
  const auto plain = job("plain", "", "");
  EXPECT_EQ(plain.text_at("metadata.labels.app"), "a");
  EXPECT_EQ(plain.body.at("metadata.labels")->find("batch.kubernetes.io/controller-uid")->scalar_text(),
            plain.text_at("metadata.uid"));
  EXPECT_EQ(plain.body.at("spec.manualSelector")->text(), "false");
  const auto labelled = job("labelled", R"(,"labels":{"own":"yes"})", "");
  EXPECT_EQ(labelled.body.at("metadata.labels")->text(), R"({"own":"yes"})");
  const auto manual = job("manual", "", R"("manualSelector":true,"selector":{"matchLabels":{"app":"a"}},)");
  EXPECT_EQ(manual.body.at("metadata.labels")->text(), R"({"app":"a"})");
  EXPECT_EQ(manual.body.at("spec.selector")->text(), R"({"matchLabels":{"app":"a"}})");
}

TEST(Defaults, ThePodsAddressStandsInBothFields) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kPods, pod_text("p")).status, 201);
  const auto status = [&](const std::string& patch) {
    const auto answer = cluster.merge(kPods + "/p/status", R"({"status":)" + patch + "}");
    EXPECT_EQ(answer.status, 200) << answer.message();
    const auto* all = answer.body.at("status.podIPs");
    return answer.text_at("status.podIP") + " " + (all == nullptr ? "" : all->text());
  };
  EXPECT_EQ(status(R"({"podIP":"10.0.0.7"})"), R"(10.0.0.7 [{"ip":"10.0.0.7"}])");
  EXPECT_EQ(status(R"({"podIP":"10.0.0.8"})"), R"(10.0.0.8 [{"ip":"10.0.0.8"}])") << "podIP counts";
  EXPECT_EQ(status(R"({"podIP":null,"podIPs":[{"ip":"10.0.0.9"},{"ip":"fd00::9"}]})"),
            R"(10.0.0.9 [{"ip":"10.0.0.9"},{"ip":"fd00::9"}])");
}

}  // namespace
}  // namespace muster::sim
