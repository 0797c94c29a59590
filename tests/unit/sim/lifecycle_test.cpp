// What deletions wait for, owners and their dependents, namespaces, bindings, evictions and scales.

#include <gtest/gtest.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

std::string bind_text(const std::string& node, const std::string& meta = {}) {
  return R"({"apiVersion":"v1","kind":"Binding","metadata":{)" + meta + R"(},"target":{"kind":"Node","name":")" + node + "\"}}";
}

void run_pod(TestCluster& cluster, const std::string& name) {
  ASSERT_EQ(cluster.post(kPods + "/" + name + "/binding", bind_text("n")).status, 201);
  ASSERT_EQ(cluster
                .merge(kPods + "/" + name + "/status",
                       R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})")
                .status,
            200);
}

TEST(Deleting, PodsThatRunHaveTime) {
  TestCluster cluster;
  cluster.post(kPods, pod_text("waits"));
  EXPECT_EQ(cluster.remove(kPods + "/waits").status, 200);
  EXPECT_EQ(cluster.get(kPods + "/waits").status, 404) << "it ran nowhere";

  cluster.post(kPods, pod_text("runs"));
  run_pod(cluster, "runs");
  const auto asked = cluster.remove(kPods + "/runs");
  EXPECT_EQ(asked.body.integer_at("metadata.deletionGracePeriodSeconds"), 30);
  EXPECT_EQ(asked.text_at("metadata.deletionTimestamp"), "2023-11-14T22:13:50Z");
  EXPECT_EQ(cluster.get(kPods + "/runs").status, 200);
  EXPECT_EQ(cluster.remove(kPods + "/runs", R"({"gracePeriodSeconds":5})").body.integer_at("metadata.deletionGracePeriodSeconds"),
            5);
  EXPECT_EQ(cluster.remove(kPods + "/runs?gracePeriodSeconds=0").status, 200);
  EXPECT_EQ(cluster.get(kPods + "/runs").status, 404);
}

TEST(Deleting, Preconditions) {
  TestCluster cluster;
  const auto made = cluster.post(kConfigs, config_text("c"));
  EXPECT_EQ(cluster.remove(kConfigs + "/c", R"({"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(cluster.remove(kConfigs + "/c", R"({"preconditions":{"resourceVersion":"1"}})").status, 409);
  EXPECT_EQ(cluster.remove(kConfigs + "/c", R"({"preconditions":{"uid":")" + made.text_at("metadata.uid") + "\"}}").status, 200);
}

TEST(Deleting, FinalizersHoldAnObject) {
  TestCluster cluster;
  cluster.post(kConfigs, config_text("c", R"(,"finalizers":["a/b"])"));
  const auto asked = cluster.remove(kConfigs + "/c");
  EXPECT_FALSE(asked.text_at("metadata.deletionTimestamp").empty());
  EXPECT_EQ(cluster.get(kConfigs + "/c").status, 200);
  EXPECT_EQ(cluster.patch("json-patch+json", kConfigs + "/c", R"([{"op":"remove","path":"/metadata/finalizers"}])").status, 200);
  EXPECT_EQ(cluster.get(kConfigs + "/c").status, 404);
}

TEST(Deleting, ManyBySelector) {
  TestCluster cluster;
  for (const char* name : {"a", "b", "c"})
    cluster.post(kConfigs, config_text(name, name == std::string("b") ? "" : R"(,"labels":{"x":"1"})"));
  EXPECT_EQ(cluster.remove(kConfigs + "?labelSelector=x=1").status, 200);
  EXPECT_EQ(cluster.get(kConfigs).body.at("items")->as_list()->size(), 1U);
}

std::string owned(const TestReply& owner) {
  return R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","blockOwnerDeletion":true,"uid":")" +
         owner.text_at("metadata.uid") + R"("}])";
}

TEST(Garbage, FollowsItsOwner) {
  TestCluster cluster;
  const auto owner = cluster.post(kConfigs, config_text("o"));
  const auto child = cluster.post(kConfigs, config_text("child", owned(owner)));
  cluster.post(kConfigs, config_text("grandchild", owned(child)));
  cluster.remove(kConfigs + "/o");
  EXPECT_TRUE(cluster.get(kConfigs).body.at("items")->as_list()->empty());
}

TEST(Garbage, OrphansStay) {
  TestCluster cluster;
  const auto owner = cluster.post(kConfigs, config_text("o"));
  cluster.post(kConfigs, config_text("child", owned(owner)));
  cluster.remove(kConfigs + "/o?propagationPolicy=Orphan");
  EXPECT_EQ(cluster.get(kConfigs + "/o").status, 404);
  const auto child = cluster.get(kConfigs + "/child");
  ASSERT_EQ(child.status, 200);
  EXPECT_TRUE(child.body.at("metadata.ownerReferences")->as_list()->empty());
}

TEST(Garbage, ForegroundWaitsForDependents) {
  TestCluster cluster;
  const auto owner = cluster.post(kConfigs, config_text("o"));
  cluster.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p")" + owned(owner) +
                          R"(},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  run_pod(cluster, "p");
  cluster.remove(kConfigs + "/o?propagationPolicy=Foreground");
  EXPECT_EQ(cluster.get(kConfigs + "/o").status, 200);
  EXPECT_FALSE(cluster.get(kPods + "/p").text_at("metadata.deletionTimestamp").empty());
  cluster.remove(kPods + "/p?gracePeriodSeconds=0");
  EXPECT_EQ(cluster.get(kConfigs + "/o").status, 404);
  EXPECT_EQ(cluster.remove(kConfigs + "/x?propagationPolicy=Sideways").status, 422);
}

TEST(Garbage, ForegroundLeavesWhatOthersNeed) {
  TestCluster cluster;
  const auto a = cluster.post(kConfigs, config_text("a"));
  const auto b = cluster.post(kConfigs, config_text("b"));
  const auto reference = [](const TestReply& owner, const char* blocks) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + owner.text_at("metadata.name") + R"(","uid":")" +
           owner.text_at("metadata.uid") + R"(","blockOwnerDeletion":)" + blocks + "}";
  };
  const auto child = [&](const std::string& name, const std::string& owners) {
    ASSERT_EQ(cluster.post(kConfigs, config_text(name, R"(,"ownerReferences":[)" + owners + "]")).status, 201);
  };
  child("both", reference(a, "true") + "," + reference(b, "true"));
  child("own", reference(a, "true"));
  ASSERT_EQ(
      cluster.post(kConfigs, config_text("free", R"(,"finalizers":["x/y"],"ownerReferences":[)" + reference(a, "false") + "]"))
          .status,
      201);
  cluster.remove(kConfigs + "/a?propagationPolicy=Foreground");
  EXPECT_EQ(cluster.get(kConfigs + "/a").status, 404) << "it waits for nobody that does not block it";
  EXPECT_EQ(cluster.get(kConfigs + "/own").status, 404);
  const auto both = cluster.get(kConfigs + "/both");
  ASSERT_EQ(both.status, 200);
  EXPECT_EQ(both.body.at("metadata.ownerReferences")->as_list()->size(), 1);
  EXPECT_FALSE(cluster.get(kConfigs + "/free").text_at("metadata.deletionTimestamp").empty());
}

TEST(Namespaces, AreHeldByTheirFinalizers) {
  TestCluster cluster;
  const std::string home = "/api/v1/namespaces/n";
  ASSERT_EQ(
      cluster.post("/api/v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","finalizers":["x/y"]}})")
          .status,
      201);
  cluster.post(home + "/configmaps", config_text("held", R"(,"finalizers":["a/b"])"));
  cluster.remove(home);
  EXPECT_EQ(cluster.merge(home, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(cluster.get(home).status, 200) << "something is still in it";
  cluster.merge(home, R"({"metadata":{"finalizers":["x/y"]}})");
  cluster.merge(home + "/configmaps/held", R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(cluster.get(home + "/configmaps/held").status, 404);
  EXPECT_EQ(cluster.get(home).status, 200) << "it is empty, but held";
  cluster.merge(home, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(cluster.get(home).status, 404);
  ASSERT_EQ(cluster.post("/api/v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"m"}})").status, 201);
  cluster.remove("/api/v1/namespaces/m?propagationPolicy=Foreground");
  EXPECT_EQ(cluster.get("/api/v1/namespaces/m").status, 404);
}

TEST(Names, OfServicesAreLabels) {
  TestCluster cluster;
  const auto refused =
      cluster.post("/api/v1/namespaces/default/services", R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a.b"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.message().find("RFC 1123 label"), std::string::npos) << refused.message();
}

TEST(Events, AreKeptForAnHourAfterTheLast) {
  TestCluster cluster;
  const std::string events = "/api/v1/namespaces/default/events";
  for (const std::string name : {"old", "new"})
    ASSERT_EQ(cluster
                  .post(events, R"({"apiVersion":"v1","kind":"Event","metadata":{"name":")" + name +
                                    R"("},"involvedObject":{"kind":"Pod","namespace":"default","name":"p"}})")
                  .status,
              201);
  cluster.pass(3000);
  cluster.merge(events + "/new", R"({"count":2,"lastTimestamp":"2023-11-14T23:00:00Z"})");
  cluster.pass(1000);
  EXPECT_EQ(cluster.get(events + "/old").status, 404);
  EXPECT_EQ(cluster.get(events + "/new").status, 200);
  cluster.pass(3600);
  EXPECT_EQ(cluster.get(events + "/new").status, 404);
}

TEST(Garbage, WithoutAnOwnerThatLives) {
  TestCluster cluster;
  cluster.post(kConfigs,
               config_text("child", R"(,"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"never"}])"));
  EXPECT_EQ(cluster.get(kConfigs + "/child").status, 404);
}

TEST(Namespaces, EndWithEverythingInThem) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post("/api/v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})").status, 201);
  const std::string inside = "/api/v1/namespaces/n/configmaps";
  cluster.post(inside, config_text("held", R"(,"finalizers":["a/b"])"));
  cluster.post(inside, config_text("free"));
  const auto asked = cluster.remove("/api/v1/namespaces/n");
  EXPECT_EQ(asked.text_at("status.phase"), "Terminating");
  EXPECT_EQ(cluster.get(inside + "/free").status, 404);
  EXPECT_EQ(cluster.get("/api/v1/namespaces/n").status, 200) << "something in it is held";
  const auto late = cluster.post(inside, config_text("late"));
  EXPECT_EQ(late.status, 403);
  cluster.merge(inside + "/held", R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(cluster.get("/api/v1/namespaces/n").status, 404);
}

TEST(Binding, OnceAndWithPreconditions) {
  TestCluster cluster;
  const auto pod = cluster.post(kPods, pod_text("p"));
  const auto path = kPods + "/p/binding";
  EXPECT_EQ(cluster.post(kPods + "/none/binding", bind_text("n")).status, 404);
  EXPECT_EQ(cluster.post(path, bind_text("n", R"("uid":"other")")).status, 409);
  EXPECT_EQ(cluster.post(path, bind_text("n", R"("resourceVersion":"1")")).status, 409);
  EXPECT_EQ(cluster.post(path, bind_text("")).status, 422);
  EXPECT_EQ(cluster.post(path, bind_text("n", R"("annotations":{"a":"b"},"uid":")" + pod.text_at("metadata.uid") + "\"")).status,
            201);
  const auto bound = cluster.get(kPods + "/p");
  EXPECT_EQ(bound.text_at("spec.nodeName"), "n");
  EXPECT_EQ(bound.body.at("metadata.annotations")->text(), R"({"a":"b"})");
  EXPECT_EQ(bound.body.at("status.conditions")->as_list()->front().text_at("status"), "True");
  const auto again = cluster.post(path, bind_text("n"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.message(), "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"");
  cluster.post(kPods, pod_text("gated", R"(,"schedulingGates":[{"name":"g"}])"));
  EXPECT_EQ(cluster.post(kPods + "/gated/binding", bind_text("n")).status, 409);
  cluster.post(kPods, pod_text("q"));
  EXPECT_EQ(cluster.post("/api/v1/namespaces/default/bindings", bind_text("n", R"("name":"q")")).status, 201);
}

TEST(Eviction, BudgetsAreRespected) {
  TestCluster cluster;
  for (const char* name : {"a", "b", "c"}) {
    cluster.post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
                            R"(","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    if (name != std::string("c")) run_pod(cluster, name);
  }
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  cluster.post(budgets, R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},)"
                        R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})");
  EXPECT_EQ(cluster.get(budgets + "/b").body.integer_at("status.disruptionsAllowed"), 1);
  const std::string body = R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"NAME"}})";
  const auto evict = [&](std::string name, const std::string& more = {}) {
    auto text = body;
    text.replace(text.find("NAME"), 4, name);
    if (!more.empty()) text.insert(text.size() - 1, more);
    return cluster.post(kPods + "/" + name + "/eviction", text);
  };
  EXPECT_EQ(evict("a", R"(,"deleteOptions":{"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(evict("a", R"(,"deleteOptions":{"preconditions":{"resourceVersion":"1"}})").status, 409);
  EXPECT_EQ(cluster.get(budgets + "/b").body.integer_at("status.disruptionsAllowed"), 1) << "who is refused uses nothing up";
  EXPECT_EQ(evict("a").status, 201);
  EXPECT_FALSE(cluster.get(kPods + "/a").text_at("metadata.deletionTimestamp").empty());
  const auto refused = evict("b");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.body.at("details.causes")->as_list()->front().text_at("reason"), "DisruptionBudget");
  EXPECT_EQ(evict("c").status, 201) << "a pod that waits is evicted all the same";
  EXPECT_EQ(evict("none").status, 404);
  EXPECT_EQ(cluster.remove(kPods + "/b").status, 200) << "deleting asks no budget";
}

class DisruptedPods : public testing::Test {
 protected:
  DisruptedPods() {
    cluster_.post(kBudgets, R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},)"
                            R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})");
    add_pod("a");
    add_pod("b");
  }
  void add_pod(const std::string& name) {
    ASSERT_EQ(cluster_
                  .post(kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                                   R"(","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}})")
                  .status,
              201);
    run_pod(cluster_, name);
  }
  // As an eviction whose deletion did not come about leaves it.
  void note(const std::string& name, const std::string& time) {
    EXPECT_EQ(
        cluster_.merge(kBudgets + "/b/status", R"({"status":{"disruptedPods":{")" + name + R"(":")" + time + R"("}}})").status,
        200);
  }
  auto allowed() { return cluster_.get(kBudgets + "/b").body.integer_at("status.disruptionsAllowed"); }
  bool has_notes() { return cluster_.get(kBudgets + "/b").body.at("status.disruptedPods") != nullptr; }

  inline static const std::string kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  TestCluster cluster_;
};

TEST_F(DisruptedPods, AreForgottenAfterTwoMinutes) {
  EXPECT_EQ(allowed(), 1);
  cluster_.pass(10);
  note("a", "2023-11-14T22:13:30Z");
  EXPECT_EQ(allowed(), 0);
  cluster_.pass(119);
  EXPECT_EQ(allowed(), 0);
  EXPECT_TRUE(has_notes());
  cluster_.pass(1);
  EXPECT_EQ(allowed(), 1) << "it is still there, and healthy";
  EXPECT_FALSE(has_notes());
}

TEST_F(DisruptedPods, ANewerOneOfTheNameIsAnother) {
  cluster_.pass(10);
  const auto evicted = cluster_.post(
      kPods + "/a/eviction",
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"},"deleteOptions":{"gracePeriodSeconds":0}})");
  EXPECT_EQ(evicted.status, 201);
  EXPECT_FALSE(has_notes()) << "the pod has gone";
  add_pod("a");
  EXPECT_EQ(allowed(), 1);
  note("a", "2023-11-14T22:13:30Z");
  EXPECT_EQ(allowed(), 1) << "made in the second of the note";
  EXPECT_FALSE(has_notes());
  note("b", "2023-11-14T22:13:30Z");
  EXPECT_EQ(allowed(), 0);
  note("b", "tomorrow");
  EXPECT_EQ(allowed(), 1) << "what says no time is no note";
}

TEST(Scale, OfAWorkload) {
  TestCluster cluster;
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  ASSERT_EQ(
      cluster
          .post(
              deployments,
              R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
              R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
          .status,
      201);
  const auto scale = cluster.get(deployments + "/d/scale");
  EXPECT_EQ(scale.body.integer_at("spec.replicas"), 1);
  EXPECT_EQ(scale.text_at("status.selector"), "a=b");
  EXPECT_EQ(cluster.merge(deployments + "/d/scale", R"({"spec":{"replicas":4}})").body.integer_at("spec.replicas"), 4);
  EXPECT_EQ(cluster.get(deployments + "/d").body.integer_at("spec.replicas"), 4);
  auto old = scale.body;
  old["spec"]["replicas"] = Tree(std::int64_t{9});
  EXPECT_EQ(cluster.put(deployments + "/d/scale", old.text()).status, 409);
  EXPECT_EQ(cluster.merge(deployments + "/d/scale", R"({"spec":{"replicas":-1}})").status, 422);
  EXPECT_EQ(cluster.merge(deployments + "/d", R"({"spec":{"selector":{"matchLabels":{"a":"c"}}}})").status, 422) << "immutable";
}

}  // namespace
}  // namespace muster::sim
