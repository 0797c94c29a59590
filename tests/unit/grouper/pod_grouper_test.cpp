// Grouping pods by asking an API server, which the test is.

#include "grouper/pod_grouper.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace muster::grouper {
namespace {

// Answers what it was told to, and 404 otherwise; remembers what was written.
class MadeUpServer {
 public:
  MadeUpServer() {
    serve(
        "/api/v1",
        R"({"resources":[{"name":"pods","kind":"Pod","namespaced":true},{"name":"pods/status","kind":"Pod","namespaced":true}]})");
    serve("/apis/batch/v1", R"({"resources":[{"name":"jobs","kind":"Job","namespaced":true}]})");
    serve("/apis/scheduling.volcano.sh/v1beta1", R"({"resources":[{"name":"podgroups","kind":"PodGroup","namespaced":true}]})");
    serve("/apis/scheduling.run.ai/v2alpha2", R"({"resources":[{"name":"podgroups","kind":"PodGroup","namespaced":true}]})");
    serve("/apis/scheduling.k8s.io/v1", R"({"resources":[{"name":"priorityclasses","kind":"PriorityClass","namespaced":false}]})");
  }
  void serve(const std::string& path, std::string body, int status = 200) {
    answers_[path] = {.status = status, .body = std::move(body)};
  }

  Exchange exchange() {
    return [this](const kube::HttpRequest& request) -> kube::HttpAnswer {
      const auto known = answers_.find(request.path);
      if (request.method == kube::Method::kGet) {
        ++asked_[request.path];
        return known == answers_.end() ? kube::HttpAnswer{.status = 404} : known->second;
      }
      written.push_back((request.method == kube::Method::kPost ? "POST " : "PATCH ") + request.path);
      bodies.push_back(request.body);
      if (request.path == replaced)
        return {.status = 422,
                .body = R"({"kind":"Status","reason":"Invalid","message":"metadata.uid: Invalid value: \"u\": field is immutable",)"
                        R"("details":{"causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]}})"};
      if (write_status != 0) return {.status = write_status, .body = R"({"kind":"Status","message":"no"})"};
      return {.status = request.method == kube::Method::kPost ? 201 : 200};
    };
  }
  int asked(const std::string& path) { return asked_[path]; }

  std::vector<std::string> written;
  std::vector<std::string> bodies;
  int write_status = 0;
  std::string replaced;  // the path of an object that is another one by now

 private:
  std::map<std::string, kube::HttpAnswer> answers_;
  std::map<std::string, int> asked_;
};

std::string pod_text(const std::string& name, const std::string& scheduler) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name +
         R"(","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-j","controller":true}]},"spec":{"schedulerName":")" +
         scheduler + "\"}}";
}
const std::string kJob =
    R"({"metadata":{"name":"j","namespace":"ns","uid":"u-j","annotations":{"scheduling.volcano.sh/group-min-member":"2","kai.scheduler/batch-min-member":"2"}}})";
const std::string kKaiGroups = "/apis/scheduling.run.ai/v2alpha2/namespaces/ns/podgroups";

class PodGrouperTest : public testing::Test {
 protected:
  PodGrouperTest() {
    server_.serve("/api/v1/namespaces/ns/pods/a", pod_text("a", "volcano"));
    server_.serve("/api/v1/namespaces/ns/pods/b", pod_text("b", "kai-scheduler"));
    server_.serve("/api/v1/namespaces/ns/pods/c", pod_text("c", "kai-scheduler"));
    server_.serve("/apis/batch/v1/namespaces/ns/jobs/j", kJob);
  }
  MadeUpServer server_;
  PodGrouper volcano_{{.like = GroupedLike::kVolcano}, server_.exchange()};
  PodGrouper kai_{{.like = GroupedLike::kKai}, server_.exchange()};
};

TEST_F(PodGrouperTest, ThePodOfVolcanosSchedulerGetsItsGroup) {
  ASSERT_TRUE(volcano_.group("ns", "a").has_value());
  EXPECT_EQ(server_.written, (std::vector<std::string>{"POST /apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups",
                                                       "PATCH /api/v1/namespaces/ns/pods/a"}));
  EXPECT_NE(server_.bodies[0].find(R"("minMember":2)"), std::string::npos) << "as its owner says";
  EXPECT_EQ(server_.bodies[1], R"({"metadata":{"uid":"u-a","annotations":{"scheduling.k8s.io/group-name":"podgroup-u-j"}}})");
}

TEST_F(PodGrouperTest, PodsOfOneOwnerNeedItReadOnce) {
  ASSERT_TRUE(kai_.group("ns", "b").has_value());
  ASSERT_TRUE(kai_.group("ns", "c").has_value());
  EXPECT_EQ(server_.asked("/apis/batch/v1/namespaces/ns/jobs/j"), 1);
  kai_.forget();
  ASSERT_TRUE(kai_.group("ns", "c").has_value());
  EXPECT_EQ(server_.asked("/apis/batch/v1/namespaces/ns/jobs/j"), 2);
  EXPECT_EQ(server_.asked("/apis/batch/v1"), 1);
}

TEST_F(PodGrouperTest, AGroupThatIsThereIsChangedOnlyIfItMustBe) {
  server_.serve(kKaiGroups + "/pg-j-u-j", R"({"metadata":{"name":"pg-j-u-j","namespace":"ns"},"spec":{"minMember":7}})");
  ASSERT_TRUE(kai_.group("ns", "b").has_value());
  ASSERT_EQ(server_.written.size(), 2);
  EXPECT_EQ(server_.written[0], "PATCH " + kKaiGroups + "/pg-j-u-j");
  EXPECT_EQ(server_.written[1], "PATCH /api/v1/namespaces/ns/pods/b");
}

TEST_F(PodGrouperTest, SomebodyElseMayBeFaster) {
  server_.write_status = 409;
  EXPECT_FALSE(kai_.group("ns", "b").has_value()) << "the group is there, the pod could not be changed";
  EXPECT_EQ(server_.written.size(), 2);
}

// The later pod of that name is news, and grouped by itself.
TEST_F(PodGrouperTest, AnotherPodOfThatNameIsLeftAlone) {
  server_.replaced = "/api/v1/namespaces/ns/pods/a";
  const auto done = volcano_.group("ns", "a");
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(*done, Grouped::kNothingToDo);
  EXPECT_NE(server_.bodies.back().find(R"("uid":"u-a")"), std::string::npos);
}

TEST_F(PodGrouperTest, AGroupThatWasReplacedIsLookedAtAgain) {
  server_.serve(kKaiGroups + "/pg-j-u-j",
                R"({"metadata":{"name":"pg-j-u-j","namespace":"ns","uid":"u-pg"},"spec":{"minMember":7}})");
  server_.replaced = kKaiGroups + "/pg-j-u-j";
  EXPECT_FALSE(kai_.group("ns", "b").has_value());
  ASSERT_EQ(server_.written.size(), 1) << "the pod is not put into it";
  EXPECT_NE(server_.bodies[0].find(R"("uid":"u-pg")"), std::string::npos);
}

TEST_F(PodGrouperTest, WhatWentWrongIsTold) {
  server_.write_status = 422;
  const auto done = volcano_.group("ns", "a");
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().message.find("the PodGroup could not be made"), std::string::npos) << done.error().message;
  EXPECT_TRUE(volcano_.group("ns", "nobody").has_value()) << "a pod that is gone needs no group";
}

TEST_F(PodGrouperTest, SaysWhenThereIsNothingToDo) {
  EXPECT_EQ(*kai_.group("ns", "b"), Grouped::kDone);
  EXPECT_EQ(*kai_.group("ns", "nobody"), Grouped::kNothingToDo);
  auto skipped = pod_text("s", "kai-scheduler");
  skipped.insert(skipped.find("\"name\""),
                 R"("labels":{"kai.scheduler/skip-podgrouper":"true"},"annotations":{"kai.scheduler/skip-podgrouper":"true"},)");
  server_.serve("/api/v1/namespaces/ns/pods/s", skipped);
  const auto written = server_.written.size();
  const auto done = kai_.group("ns", "s");
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(*done, Grouped::kNothingToDo);
  EXPECT_EQ(server_.written.size(), written);
}

TEST_F(PodGrouperTest, AnOwnerThatMayNotBeSeenEndsTheChain) {
  server_.serve("/apis/batch/v1/namespaces/ns/jobs/j", "{}", 403);
  ASSERT_TRUE(kai_.group("ns", "b").has_value());
  EXPECT_NE(server_.bodies[0].find("pg-b-u-b"), std::string::npos);
  server_.serve("/apis/batch/v1/namespaces/ns/jobs/j", "{}", 500);
  kai_.forget();
  EXPECT_FALSE(kai_.group("ns", "c").has_value()) << "it is not known who owns it";
}

TEST_F(PodGrouperTest, PodsAreFoundByTheirLabels) {
  const ApiView view(server_.exchange());
  EXPECT_FALSE(view.has_live_pod("ns", {{"a/b", "c"}}));
  server_.serve("/api/v1/namespaces/ns/pods?labelSelector=a%2Fb%3Dc", R"({"items":[{"metadata":{"deletionTimestamp":"x"}}]})");
  EXPECT_FALSE(view.has_live_pod("ns", {{"a/b", "c"}}));
  server_.serve("/api/v1/namespaces/ns/pods?labelSelector=a%2Fb%3Dc", R"({"items":[{"metadata":{}}]})");
  EXPECT_TRUE(view.has_live_pod("ns", {{"a/b", "c"}}));
}

}  // namespace
}  // namespace muster::grouper
