// Requests and their answers, without sockets.

#include <gtest/gtest.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

TEST(Api, AnObjectFromItsCreationToItsEnd) {
  TestCluster cluster;
  const auto made = cluster.post(kConfigs, config_text("c"));
  ASSERT_EQ(made.status, 201) << made.body.text();
  EXPECT_FALSE(made.text_at("metadata.uid").empty());
  EXPECT_EQ(made.text_at("metadata.namespace"), "default");
  EXPECT_EQ(made.text_at("metadata.creationTimestamp"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(cluster.get(kConfigs + "/c").body, made.body);

  auto changed = made.body;
  changed["data"]["a"] = Tree("2");
  const auto put = cluster.put(kConfigs + "/c", changed.text());
  ASSERT_EQ(put.status, 200);
  EXPECT_NE(put.text_at("metadata.resourceVersion"), made.text_at("metadata.resourceVersion"));
  const auto late = cluster.put(kConfigs + "/c", changed.text());
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.message(),
            "Operation cannot be fulfilled on configmaps \"c\": the object has been modified; please apply your changes to the "
            "latest version "
            "and try again");
  EXPECT_EQ(cluster.merge(kConfigs + "/c", "{}").text_at("metadata.resourceVersion"), put.text_at("metadata.resourceVersion"))
      << "nothing changed";

  const auto gone = cluster.remove(kConfigs + "/c");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(gone.text_at("status"), "Success");
  const auto missing = cluster.get(kConfigs + "/c");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(
      missing.body.text(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \"c\" not found","reason":"NotFound",)"
      R"("details":{"name":"c","kind":"configmaps"},"code":404})");
}

TEST(Api, WhatIsRefused) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kConfigs, config_text("c")).status, 201);
  const struct {
    TestReply reply;
    int status;
    const char* reason;
  } cases[] = {
      {cluster.post(kConfigs, config_text("c")), 409, "AlreadyExists"},
      {cluster.post(kConfigs, config_text("Bad_Name")), 422, "Invalid"},
      {cluster.post(kConfigs, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})"), 422, "Invalid"},
      {cluster.post(kConfigs, pod_text("p")), 400, "BadRequest"},
      {cluster.post(kConfigs, "{"), 400, "BadRequest"},
      {cluster.post("/api/v1/namespaces/nowhere/configmaps", config_text("d")), 404, "NotFound"},
      {cluster.post(kConfigs, config_text("d", R"(,"namespace":"other")")), 400, "BadRequest"},
      {cluster.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[]}})"), 422, "Invalid"},
      {cluster.post(kPods, pod_text("p", R"(,"priorityClassName":"none")")), 403, "Forbidden"},
      {cluster.post("/api/v1/configmaps", config_text("d")), 405, "MethodNotAllowed"},
      {cluster.put(kConfigs + "/c", config_text("d")), 400, "BadRequest"},
      {cluster.put(kConfigs + "/d", config_text("d")), 404, "NotFound"},
      {cluster.get("/apis/none/v1/things"), 404, "NotFound"},
      {cluster.get("/api/v1/namespaces/default/nodes"), 404, "NotFound"},
      {cluster.get(kConfigs + "?labelSelector=a in"), 400, "BadRequest"},
      {cluster.get(kConfigs + "?resourceVersion=99999"), 504, "Timeout"},
      {cluster.get(kConfigs, "application/vnd.kubernetes.protobuf"), 406, "NotAcceptable"},
      {cluster.patch("cbor", kConfigs + "/c", "{}"), 415, "UnsupportedMediaType"},
      {cluster.ask(server::Method::kPost, kConfigs, "x", "application/vnd.kubernetes.protobuf"), 400, "BadRequest"},
      {cluster.ask(server::Method::kPost, kConfigs, "x", "application/cbor"), 415, "UnsupportedMediaType"},
      {cluster.get(kPods + "/p/log"), 501, "NotImplemented"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(one.reply.status, one.status) << one.reply.body.text();
    EXPECT_EQ(one.reply.reason(), one.reason) << one.reply.body.text();
    EXPECT_EQ(one.reply.text_at("kind"), "Status");
  }
}

// docs/embedded-cluster.md, "What is not served", of subresources.
TEST(Api, SubresourcesThatAreNotServedSayWhy) {
  TestCluster cluster;
  const struct {
    server::Method method;
    std::string target;
    std::string message;
  } cases[] = {
      {server::Method::kGet, kPods + "/p/log?follow=true",
       "pods/log is not served by the embedded cluster: its containers do not run"},
      {server::Method::kPost, kPods + "/p/exec?command=sh", "pods/exec"},
      {server::Method::kGet, kPods + "/p/exec?command=sh", "pods/exec"},
      {server::Method::kPost, kPods + "/p/attach", "pods/attach"},
      {server::Method::kPost, kPods + "/p/portforward", "pods/portforward"},
      {server::Method::kGet, kPods + "/p/proxy", "pods/proxy"},
      {server::Method::kGet, kPods + "/p:8080/proxy/metrics/cadvisor", "pods/proxy"},
      {server::Method::kGet, "/api/v1/nodes/n/proxy/stats/summary", "nodes/proxy"},
      {server::Method::kDelete, "/api/v1/namespaces/default/services/s/proxy/", "services/proxy"},
      {server::Method::kPatch, kPods + "/p/resize", "pods/resize"},
      {server::Method::kPatch, kPods + "/p/ephemeralcontainers", "pods/ephemeralcontainers"},
      {server::Method::kPost, "/api/v1/namespaces/default/serviceaccounts/a/token",
       "serviceaccounts/token is not served by the embedded cluster: it knows no users"},
  };
  for (const auto& one : cases) {
    const auto reply = cluster.ask(one.method, one.target, "{}");
    EXPECT_EQ(reply.status, 501) << one.target;
    EXPECT_EQ(reply.reason(), "NotImplemented");
    EXPECT_TRUE(reply.message().starts_with(one.message)) << reply.message();
  }
  EXPECT_EQ(cluster.get(kConfigs + "/c/log").message(), "the server could not find the requested resource");
  EXPECT_EQ(cluster.get("/apis/apps/v1/namespaces/default/deployments/d/log").status, 404);
  EXPECT_EQ(cluster.get(kPods + "/p/binding/more").status, 404);
}

TEST(Api, KindsThatAreNotServedSayWhy) {
  TestCluster cluster;
  const struct {
    std::string target;
    std::string message;
  } cases[] = {
      {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
       "customresourcedefinitions.apiextensions.k8s.io is not served by the embedded cluster: the custom resources of both "
       "dialects are "
       "built in, and there are no others"},
      {"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/queues.scheduling.volcano.sh/status", "customresourcedefinitions"},
      {"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "validatingwebhookconfigurations"},
      {"/apis/apiregistration.k8s.io/v1/apiservices/v1.apps", "apiservices"},
      {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
       "selfsubjectaccessreviews.authorization.k8s.io is not served by the embedded cluster: everybody who knows the address may "
       "do "
       "everything"},
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "selfsubjectreviews"},
      {"/apis/apps/v1/namespaces/default/controllerrevisions", "controllerrevisions.apps is not served"},
      {"/api/v1/namespaces/default/endpoints/e", "endpoints is not served"},
      {"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "endpointslices"},
      {"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "horizontalpodautoscalers"},
  };
  for (const auto& one : cases)
    for (const auto method : {server::Method::kGet, server::Method::kPost, server::Method::kDelete}) {
      const auto reply = cluster.ask(method, one.target, "{}");
      EXPECT_EQ(reply.status, 501) << one.target;
      EXPECT_TRUE(reply.message().starts_with(one.message)) << reply.message();
    }
  // Discovery does not name them, and what nobody knows is not found.
  for (const std::string path : {"/apis/apiextensions.k8s.io", "/apis/apiextensions.k8s.io/v1", "/apis/example.org/v1/things",
                                 "/apis/batch/v1beta1/cronjobs"})
    EXPECT_EQ(cluster.get(path).status, 404) << path;
  EXPECT_EQ(cluster.get("/apis").body.text().find("apiextensions"), std::string::npos);
}

// A real server does not look whether there is the object.
TEST(Api, CustomResourcesWithoutASubresourceAreNotFoundThere) {
  TestCluster cluster;
  const std::string groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
  for (const std::string name : {"status", "scale", "log", "nothing"}) {
    const auto reply = cluster.get(groups + "/g/" + name);
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.message(), "podgroups.scheduling.volcano.sh \"g\" not found");
    EXPECT_EQ(reply.text_at("details.name"), "g");
  }
}

TEST(Api, WhatIsNotServedInFormats) {
  TestCluster cluster;
  const std::string events = "/apis/events.k8s.io/v1/namespaces/default/events/e?fieldManager=m";
  EXPECT_EQ(cluster.patch("apply-patch+yaml", events, R"({"apiVersion":"events.k8s.io/v1","kind":"Event"})").status, 415);
  const std::string queue = "/apis/scheduling.volcano.sh/v1beta1/queues";
  EXPECT_EQ(cluster.ask(server::Method::kPost, queue, "k8s", "application/vnd.kubernetes.protobuf").status, 415);
  for (const std::string accept : {"application/vnd.kubernetes.protobuf", "application/cbor", "text/html"})
    EXPECT_EQ(cluster.get(queue, accept).status, 406) << accept;
  EXPECT_EQ(cluster.get(queue, "application/vnd.kubernetes.protobuf,application/json").status, 200);
}

TEST(Api, GeneratedNamesAndDryRuns) {
  TestCluster cluster;
  const char* text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"c-"}})";
  const auto first = cluster.post(kConfigs, text);
  const auto second = cluster.post(kConfigs, text);
  EXPECT_EQ(first.text_at("metadata.name").size(), 7U);
  EXPECT_NE(first.text_at("metadata.name"), second.text_at("metadata.name"));
  EXPECT_EQ(cluster.post(kConfigs + "?dryRun=All", config_text("dry")).status, 201);
  EXPECT_EQ(cluster.get(kConfigs + "/dry").status, 404);
  EXPECT_EQ(cluster.remove(kConfigs + "/" + first.text_at("metadata.name") + "?dryRun=All").status, 200);
  EXPECT_EQ(cluster.get(kConfigs + "/" + first.text_at("metadata.name")).status, 200);
}

TEST(Api, PagesShowOneMoment) {
  TestCluster cluster;
  for (const char* name : {"a", "b", "c", "d", "e"}) cluster.post(kConfigs, config_text(name));
  const auto first = cluster.get(kConfigs + "?limit=2");
  EXPECT_EQ(first.body.at("items")->as_list()->size(), 2U);
  EXPECT_EQ(first.body.integer_at("metadata.remainingItemCount"), 3);
  cluster.remove(kConfigs + "/d");
  cluster.post(kConfigs, config_text("c2"));
  cluster.merge(kConfigs + "/e", R"({"data":{"a":"9"}})");
  std::string names;
  auto page = cluster.get(kConfigs + "?limit=2&continue=" + first.text_at("metadata.continue"));
  EXPECT_EQ(page.text_at("metadata.resourceVersion"), first.text_at("metadata.resourceVersion"));
  for (const auto& item : *page.body.at("items")->as_list()) names += item.text_at("metadata.name");
  page = cluster.get(kConfigs + "?limit=2&continue=" + page.text_at("metadata.continue"));
  for (const auto& item : *page.body.at("items")->as_list())
    names += std::string(item.text_at("metadata.name")) + std::string(item.text_at("data.a"));
  EXPECT_EQ(names, "cde1");
  EXPECT_EQ(page.text_at("metadata.continue"), "");
  EXPECT_EQ(cluster.get(kConfigs + "?continue=nonsense").status, 400);
}

TEST(Api, OldPagesExpire) {
  TestCluster cluster(ClusterSettings{.changes_kept = 4});
  for (const char* name : {"a", "b", "c"}) cluster.post(kConfigs, config_text(name));
  const auto first = cluster.get(kConfigs + "?limit=1");
  for (int i = 0; i < 6; ++i) cluster.merge(kConfigs + "/a", R"({"data":{"a":")" + std::to_string(i + 5) + "\"}}");
  const auto late = cluster.get(kConfigs + "?limit=1&continue=" + first.text_at("metadata.continue"));
  EXPECT_EQ(late.status, 410);
  EXPECT_EQ(late.reason(), "Expired");
}

TEST(Api, DefaultsOfPods) {
  TestCluster cluster;
  ASSERT_EQ(cluster
                .post("/apis/scheduling.k8s.io/v1/priorityclasses",
                      R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":1000})")
                .status,
            201);
  const auto pod = cluster.post(
      kPods,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Running"},"spec":{"priorityClassName":"high",)"
      R"("containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}})");
  ASSERT_EQ(pod.status, 201) << pod.message();
  EXPECT_EQ(pod.text_at("status.phase"), "Pending");
  EXPECT_EQ(pod.text_at("status.qosClass"), "Guaranteed");
  EXPECT_EQ(pod.body.integer_at("spec.priority"), 1000);
  EXPECT_EQ(pod.text_at("spec.schedulerName"), "default-scheduler");
  EXPECT_EQ(pod.body.at("spec.containers")->as_list()->front().text_at("resources.requests.cpu"), "1");
  const auto refused = cluster.merge(kPods + "/p", R"({"spec":{"nodeName":"n"}})");
  EXPECT_EQ(refused.status, 422) << "only a binding names the node";
  EXPECT_EQ(cluster.merge(kPods + "/p", R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
}

TEST(Api, StatusIsAPartOfItsOwn) {
  TestCluster cluster;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  const auto made = cluster.post(queues, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},)"
                                         R"("spec":{"weight":1},"status":{"state":"Open"}})");
  ASSERT_EQ(made.status, 201);
  EXPECT_EQ(made.body.find("status"), nullptr);
  EXPECT_EQ(made.body.integer_at("metadata.generation"), 1);
  const auto status = cluster.merge(queues + "/q/status", R"({"spec":{"weight":7},"status":{"state":"Open"}})");
  EXPECT_EQ(status.body.integer_at("spec.weight"), 1);
  EXPECT_EQ(status.text_at("status.state"), "Open");
  EXPECT_EQ(status.body.integer_at("metadata.generation"), 1);
  const auto spec = cluster.merge(queues + "/q", R"({"spec":{"weight":7},"status":{"state":"Closed"}})");
  EXPECT_EQ(spec.body.integer_at("spec.weight"), 7);
  EXPECT_EQ(spec.text_at("status.state"), "Open");
  EXPECT_EQ(spec.body.integer_at("metadata.generation"), 2);
  EXPECT_EQ(cluster.patch("strategic-merge-patch+json", queues + "/q", "{}").status, 415);
  EXPECT_EQ(
      cluster.put(queues + "/q", R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"}})").status,
      422);
  EXPECT_EQ(cluster.merge(queues + "/q/status", R"({"metadata":{"resourceVersion":"1"},"status":{}})").status, 409);
  const auto of_another = cluster.merge(queues + "/q", R"({"metadata":{"uid":"other"},"spec":{"weight":8}})");
  EXPECT_EQ(of_another.status, 422);
  EXPECT_EQ(of_another.text_at("message"),
            "Queue.scheduling.volcano.sh \"q\" is invalid: metadata.uid: Invalid value: \"other\": field is immutable");
  EXPECT_EQ(cluster.merge(queues + "/q", R"({"metadata":{"uid":"other","resourceVersion":"1"},"spec":{"weight":8}})").status, 409);
}

TEST(Api, Applies) {
  TestCluster cluster;
  const std::string body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: 'yes'\n";
  EXPECT_EQ(cluster.patch("apply-patch+yaml", kConfigs + "/c", body).status, 422) << "who?";
  const auto made = cluster.patch("apply-patch+yaml", kConfigs + "/c?fieldManager=m", body);
  ASSERT_EQ(made.status, 201) << made.message();
  const auto same = cluster.patch("apply-patch+yaml", kConfigs + "/c?fieldManager=m", body);
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(same.text_at("metadata.resourceVersion"), made.text_at("metadata.resourceVersion"));
  const auto other =
      cluster.patch("apply-patch+yaml", kConfigs + "/c?fieldManager=n", "{apiVersion: v1, kind: ConfigMap, data: {a: 'no'}}");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(cluster
                .patch("apply-patch+yaml", kConfigs + "/c?fieldManager=n&force=true",
                       "{apiVersion: v1, kind: ConfigMap, data: {a: 'no'}}")
                .text_at("data.a"),
            "no");
  EXPECT_EQ(
      cluster.patch("apply-patch+yaml", kPods + "/none/status?fieldManager=m", "{apiVersion: v1, kind: Pod, status: {}}").status,
      404);
}

// Manifests that were read from a cluster still have one.
TEST(Api, AppliesOfTheRestDoNotOwnTheStatus) {
  TestCluster cluster;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  const std::string body =
      "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 1}, status: {state: Open}}";
  for (const auto status : {201, 200}) {
    const auto answer = cluster.patch("apply-patch+yaml", queues + "/q?fieldManager=m", body);
    ASSERT_EQ(answer.status, status) << answer.message();
    EXPECT_EQ(answer.text_at("status.state"), "");
    EXPECT_EQ(answer.body.at("metadata.managedFields")->text().find("f:status"), std::string::npos);
  }
  const auto written = cluster.patch("apply-patch+yaml", queues + "/q/status?fieldManager=other",
                                     "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, status: {state: Closed}}");
  EXPECT_EQ(written.text_at("status.state"), "Closed") << written.message();
  const auto again = cluster.patch("apply-patch+yaml", queues + "/q?fieldManager=m", body);
  EXPECT_EQ(again.text_at("status.state"), "Closed") << again.message();
  const auto node = cluster.patch("apply-patch+yaml", "/api/v1/nodes/n?fieldManager=m",
                                  "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: '4'}}}");
  EXPECT_EQ(node.text_at("status.capacity.cpu"), "4") << "a new node says what it has";
}

TEST(Api, AppliesOfTheStatusHaveOwners) {
  TestCluster cluster;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  ASSERT_EQ(cluster.post(queues, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"}})").status,
            201);
  const auto apply = [&](const std::string& query, const std::string& status) {
    return cluster.patch("apply-patch+yaml", queues + "/q/status?fieldManager=" + query,
                         "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, status: " + status + "}");
  };
  const auto first = apply("m", "{state: Open, running: 3}");
  ASSERT_EQ(first.status, 200) << first.message();
  const auto* managed = first.body.at("metadata.managedFields");
  ASSERT_NE(managed, nullptr);
  const auto& entry = managed->as_list()->front();
  EXPECT_EQ(entry.text_at("manager"), "m");
  EXPECT_EQ(entry.text_at("subresource"), "status");
  EXPECT_EQ(entry.find("fieldsV1")->text(), R"({"f:status":{"f:running":{},"f:state":{}}})");

  const auto refused = apply("n", "{state: Closed}");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.message(), "Apply failed with 1 conflict: conflict with \"m\" with subresource \"status\": .status.state");
  EXPECT_EQ(apply("n&force=true", "{state: Closed}").text_at("status.state"), "Closed");

  const auto less = apply("m", "{pending: 1}");
  ASSERT_EQ(less.status, 200) << less.message();
  EXPECT_EQ(less.body.at("status.running"), nullptr) << "m said it, and no longer does";
  EXPECT_EQ(less.text_at("status.state"), "Closed") << "n's";
  const auto nothing = apply("m", "{}");
  EXPECT_EQ(nothing.body.at("status.pending"), nullptr);
  EXPECT_EQ(apply("n", "{}").body.find("status")->text(), "{}");
  EXPECT_EQ(apply("other", "{state: Open}").status, 200) << "nobody's any more";
}

TEST(Api, PodsThatNameNoSchedulerGetTheUsualOne) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  const auto pod = [](std::string_view name, std::string_view scheduler) {
    return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"schedulerName":")" + std::string(scheduler) +
           R"(","containers":[{"name":"c","image":"i"}]}})";
  };
  TestCluster plain;
  EXPECT_EQ(plain.post(pods, pod("a", "")).text_at("spec.schedulerName"), "default-scheduler");
  ClusterSettings settings;
  settings.usual_scheduler = "volcano";
  TestCluster cluster(std::move(settings));
  EXPECT_EQ(cluster.post(pods, pod("a", "")).text_at("spec.schedulerName"), "volcano");
  EXPECT_EQ(cluster.post(pods, pod("b", "default-scheduler")).text_at("spec.schedulerName"), "volcano") << "as a template has it";
  EXPECT_EQ(cluster.post(pods, pod("c", "other")).text_at("spec.schedulerName"), "other");
}

TEST(Api, EventsHaveTwoForms) {
  TestCluster cluster;
  const std::string events = "/apis/events.k8s.io/v1/namespaces/default/events";
  EXPECT_EQ(cluster.post(events, R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"}})").status, 422);
  const auto made = cluster.post(
      events,
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},"eventTime":"2023-11-14T22:13:10.000000Z",)"
      R"("type":"Normal",)"
      R"("reason":"Scheduled","action":"Binding","note":"all well","reportingController":"s","reportingInstance":"s-1",)"
      R"("regarding":{"kind":"Pod","namespace":"default","name":"p"}})");
  ASSERT_EQ(made.status, 201) << made.message();
  EXPECT_EQ(made.text_at("note"), "all well");
  const auto core = cluster.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=p");
  ASSERT_EQ(core.body.at("items")->as_list()->size(), 1U);
  const auto& event = core.body.at("items")->as_list()->front();
  EXPECT_EQ(event.text_at("message"), "all well");
  EXPECT_EQ(event.text_at("apiVersion"), "v1");
  EXPECT_EQ(event.text_at("involvedObject.name"), "p");
  cluster.pass(4000);
  EXPECT_EQ(cluster.get(events + "/e").status, 404) << "events are kept for an hour";
}

}  // namespace
}  // namespace muster::sim
