#include "daemon/kai_requests.h"

#include <gtest/gtest.h>

#include "daemon/held_pods.h"

namespace muster::daemon {
namespace {

using kai::Status;

Pod a_pod(const std::string& uid = "u1", const std::string& node = {}) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "p";
  pod.meta.uid = uid;
  pod.spec.node_name = node;
  pod.spec.scheduler_name = "kai-scheduler";
  pod.status.phase = "Pending";
  return pod;
}
Node a_node(const std::string& name) {
  Node node;
  node.meta.name = name;
  node.allocatable = {{"cpu", Quantity::from_units(4)}, {"pods", Quantity::from_units(10)}};
  return node;
}
BindRequest a_request(const std::string& phase, const std::string& owner = "u1", const std::string& uid = "r1") {
  BindRequest request;
  request.meta.ns = "ns";
  request.meta.name = request.pod = "p";
  request.meta.uid = uid;
  if (!owner.empty()) request.meta.owners = {{"Pod", "p", owner, false}};
  request.node = "n1";
  request.phase = phase;
  return request;
}
const kube::Identity kPod{"ns", "p", "u1", ""};

class KaiRequestsTest : public testing::Test {
 protected:
  void SetUp() override { cluster_.apply(Object(a_node("n1"))); }
  void tell(const Pod& pod) {
    requests_.before_pod(pod);
    cluster_.apply(Object(pod));
    requests_.after_pod(pod);
  }
  Status status() {
    cluster_.refresh({100, 0});
    return cluster_.task(cluster_.find_pod("ns/p")).status;
  }

  kai::Cluster cluster_;
  KaiRequests requests_{cluster_};
};

TEST_F(KaiRequestsTest, ARequestCountsForItsPodWhicheverComesFirst) {
  tell(a_pod());
  EXPECT_EQ(status(), Status::kPending);
  requests_.apply(a_request("Pending"));
  EXPECT_EQ(status(), Status::kBinding);
  requests_.remove({"ns", "p", "r1", ""});
  EXPECT_EQ(status(), Status::kPending);
  EXPECT_EQ(requests_.size(), 0u);
  cluster_.remove(Gone<Pod>{"ns", "p"});
  requests_.apply(a_request("Pending"));
  tell(a_pod());
  EXPECT_EQ(status(), Status::kBinding);
}

TEST_F(KaiRequestsTest, OneWithoutAnOwnerCountsByName) {
  tell(a_pod());
  requests_.apply(a_request("Pending", ""));
  EXPECT_EQ(status(), Status::kBinding);
}

TEST_F(KaiRequestsTest, ANewPodOfTheNameIsNotBoundByTheRequestOfTheOldOne) {
  tell(a_pod());
  requests_.apply(a_request("Succeeded"));
  tell(a_pod("u2"));
  EXPECT_EQ(status(), Status::kPending);
  EXPECT_TRUE(requests_.take_deletions().empty()) << "our news of the pod may be older than the request";
  requests_.take_back({"ns", "p", "u2", ""});
  const auto deletions = requests_.take_deletions();
  ASSERT_EQ(deletions.size(), 1u);
  EXPECT_EQ(deletions[0].uid, "r1");
}

TEST_F(KaiRequestsTest, AFailureIsToldAndCountsOnUntilThePodWasRead) {
  tell(a_pod());
  requests_.apply(a_request("Pending"));
  requests_.apply(a_request("Failed"));
  EXPECT_EQ(requests_.take_failures().size(), 1u);
  EXPECT_TRUE(requests_.take_deletions().empty());
  EXPECT_EQ(status(), Status::kBinding);
  requests_.take_back(kPod);
  EXPECT_EQ(status(), Status::kPending);
  EXPECT_EQ(requests_.take_deletions().size(), 1u);
}

// A request has failed, its pod was read, and is held.
class HeldAfterAFailure : public KaiRequestsTest {
 protected:
  void SetUp() override {
    KaiRequestsTest::SetUp();
    tell(a_pod());
    requests_.apply(a_request("Pending"));
    requests_.apply(a_request("Failed"));
    held_.refuse(kPod, "", {}, "its bind was refused");
    requests_.take_back(kPod);
    tell_held();
    requests_.remove({"ns", "p", "r1", ""});
  }
  void tell_held() {
    auto pod = a_pod();
    held_.complete(pod);
    tell(pod);
  }
  HeldPods held_;
};

TEST_F(HeldAfterAFailure, ThePlaceStaysTakenForAMomentBecauseTheBinderMayGoOn) {
  EXPECT_EQ(status(), Status::kBinding);
  requests_.pass({100, 0});
  tell_held();
  requests_.pass({101, 999'999'999});
  EXPECT_EQ(status(), Status::kBinding);
  requests_.pass({102, 0});
  EXPECT_EQ(status(), Status::kGated);
  tell_held();
  EXPECT_EQ(status(), Status::kGated);
}

TEST_F(HeldAfterAFailure, ItIsDecidedAboutWhenItIsLetGo) {
  tell(a_pod());
  EXPECT_EQ(status(), Status::kPending);
}

TEST_F(HeldAfterAFailure, TheBinderHasTheLastWord) {
  tell(a_pod("u1", "n1"));
  EXPECT_EQ(status(), Status::kBound);
}

TEST_F(HeldAfterAFailure, ANewPodOfTheNameTakesNothing) {
  tell(a_pod("u2"));
  EXPECT_EQ(status(), Status::kPending);
}

TEST_F(HeldAfterAFailure, NothingIsLeftOfAPodThatWent) {
  requests_.forget_pod(kPod);
  cluster_.remove(Gone<Pod>{"ns", "p"});
  tell_held();
  EXPECT_EQ(status(), Status::kGated);
}

TEST_F(HeldAfterAFailure, ANewRequestCountsInstead) {
  cluster_.apply(Object(a_node("n2")));
  auto request = a_request("Pending", "u1", "r2");
  request.node = "n2";
  requests_.apply(request);
  requests_.pass({100, 0});
  requests_.pass({200, 0});
  EXPECT_EQ(status(), Status::kBinding);
  EXPECT_EQ(cluster_.books().node(cluster_.task(cluster_.find_pod("ns/p")).node).name, "n2");
}

TEST_F(KaiRequestsTest, AFailureThatMayBeTriedAgainIsNone) {
  tell(a_pod());
  auto request = a_request("Failed");
  request.backoff_limit = 3;
  request.failed_attempts = 1;
  requests_.apply(request);
  EXPECT_TRUE(requests_.take_failures().empty());
  EXPECT_EQ(status(), Status::kBinding);
}

TEST_F(KaiRequestsTest, AnOldFailureOnlyHasToGo) {
  requests_.apply(a_request("Failed"));
  tell(a_pod());
  EXPECT_TRUE(requests_.take_failures().empty());
  EXPECT_EQ(status(), Status::kPending);
  EXPECT_EQ(requests_.take_deletions().size(), 1u);
}

TEST_F(KaiRequestsTest, WhatWentNeedsNoDeletionAndNoReading) {
  tell(a_pod());
  requests_.apply(a_request("Pending"));
  requests_.apply(a_request("Failed"));
  requests_.remove({"ns", "p", "r1", ""});
  EXPECT_TRUE(requests_.take_failures().empty());
  EXPECT_TRUE(requests_.take_deletions().empty());
  EXPECT_EQ(status(), Status::kPending);
}

TEST_F(KaiRequestsTest, ARequestForANodeThatWentHasToGoUnlessThePodIsThere) {
  for (const bool bound : {false, true}) {
    cluster_.remove(Gone<Pod>{"ns", "p"});
    SetUp();
    tell(a_pod("u1", bound ? "n1" : ""));
    requests_.apply(a_request("Pending"));
    cluster_.remove(Gone<Node>{"", "n1"});
    requests_.nodes_went();
    EXPECT_EQ(requests_.take_deletions().size(), bound ? 0u : 1u);
    requests_.remove({"ns", "p", "r1", ""});
  }
}

TEST_F(KaiRequestsTest, ARequestThatHasToGoDoesNotUndoALaterDecision) {
  tell(a_pod());
  requests_.apply(a_request("Pending"));
  cluster_.remove(Gone<Node>{"", "n1"});
  requests_.nodes_went();
  EXPECT_EQ(status(), Status::kPending);
  cluster_.apply(Object(a_node("n2")));
  cluster_.bind_ordered(cluster_.find_pod("ns/p"), {cluster_.books().find_node("n2"), {}, false, {}, nullptr, nullptr});
  tell(a_pod());
  requests_.apply(a_request("Succeeded"));  // its last words before it goes
  EXPECT_EQ(status(), Status::kBinding);
  EXPECT_EQ(cluster_.task(cluster_.find_pod("ns/p")).node, cluster_.books().find_node("n2"));
  requests_.remove({"ns", "p", "r1", ""});
  EXPECT_EQ(status(), Status::kBinding);
}

TEST_F(KaiRequestsTest, AFailureOfAPodThatGotItsNodeOnlyHasToGo) {
  tell(a_pod());
  requests_.apply(a_request("Pending"));
  requests_.apply(a_request("Failed"));
  EXPECT_TRUE(requests_.take_deletions().empty());
  tell(a_pod("u1", "n1"));
  EXPECT_EQ(requests_.take_deletions().size(), 1u);
  EXPECT_EQ(status(), Status::kBound);
}

TEST_F(KaiRequestsTest, ADeletionThatFailedIsAskedForAgainWhenItMatters) {
  tell(a_pod());
  requests_.apply(a_request("Pending"));
  cluster_.remove(Gone<Node>{"", "n1"});
  requests_.nodes_went();
  auto deletions = requests_.take_deletions();
  ASSERT_EQ(deletions.size(), 1u);
  requests_.on_not_deleted(deletions[0]);
  tell(a_pod());
  EXPECT_EQ(status(), Status::kPending) << "it counts for nobody";
  EXPECT_TRUE(requests_.take_deletions().empty());
  requests_.take_back(kPod);  // a new one could not be made
  deletions = requests_.take_deletions();
  ASSERT_EQ(deletions.size(), 1u);
  requests_.apply(a_request("Failed"));
  EXPECT_TRUE(requests_.take_deletions().empty()) << "it is under way";
  requests_.on_not_deleted({deletions[0].object, "another"});
  tell(a_pod());
  EXPECT_TRUE(requests_.take_deletions().empty());
  requests_.on_not_deleted(deletions[0]);
  tell(a_pod());
  EXPECT_EQ(requests_.take_deletions().size(), 1u);
}

TEST_F(KaiRequestsTest, RequestsOfOtherShardsAreTheirs) {
  tell(a_pod());
  auto request = a_request("Pending");
  request.meta.labels.set("kai.scheduler/node-pool", "another");
  request.node = "elsewhere";
  requests_.apply(request);
  requests_.nodes_went();
  EXPECT_TRUE(requests_.take_deletions().empty());
  request.phase = "Failed";
  requests_.apply(request);
  tell(a_pod());
  EXPECT_TRUE(requests_.take_deletions().empty());
  EXPECT_TRUE(requests_.take_failures().empty());
  EXPECT_EQ(status(), Status::kPending);
}

TEST_F(KaiRequestsTest, ARequestThatWasReadStandsForItsVeryBind) {
  tell(a_pod());
  const Bind bind{kPod, "n1"};
  EXPECT_TRUE(requests_.stands(bind, a_request("")));
  EXPECT_TRUE(requests_.stands(bind, a_request("Succeeded", "")));
  EXPECT_FALSE(requests_.stands(bind, a_request("", "u2"))) << "for an earlier pod of the name";
  EXPECT_FALSE(requests_.stands(bind, a_request("Failed")));
  EXPECT_FALSE(requests_.stands({kPod, "n2"}, a_request("")));
  auto leaving = a_request("");
  leaving.meta.deleted = Timestamp{100, 0};
  EXPECT_FALSE(requests_.stands(bind, leaving));
  requests_.apply(a_request("Pending"));
  EXPECT_TRUE(requests_.stands(bind, a_request("")));
  cluster_.remove(Gone<Node>{"", "n1"});
  requests_.nodes_went();
  EXPECT_FALSE(requests_.stands(bind, a_request(""))) << "it is to be deleted";
  EXPECT_TRUE(requests_.stands(bind, a_request("", "u1", "r2"))) << "another one";
}

}  // namespace
}  // namespace muster::daemon
