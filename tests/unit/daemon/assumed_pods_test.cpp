#include "daemon/assumed_pods.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

Pod a_pod(const std::string& uid, const std::string& version, const std::string& node = {}) {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "p";
  pod.meta.uid = uid;
  pod.meta.resource_version = version;
  pod.spec.node_name = node;
  return pod;
}
const kube::Identity kPod{"ns", "p", "u1", ""};

TEST(AssumedPods, ABindCompletesObjectsUntilOneShowsIt) {
  AssumedPods assumed;
  assumed.bind(kPod, "n1");
  auto older = a_pod("u1", "5");
  EXPECT_TRUE(assumed.complete(older));
  EXPECT_EQ(older.spec.node_name, "n1");
  auto bound = a_pod("u1", "6", "n1");
  EXPECT_TRUE(assumed.complete(bound));
  EXPECT_EQ(assumed.size(), 0u);
  auto later = a_pod("u1", "7");
  EXPECT_TRUE(assumed.complete(later));
  EXPECT_EQ(later.spec.node_name, "");
}

TEST(AssumedPods, OnlyWhatWasAssumedIsNoNews) {
  AssumedPods assumed;
  EXPECT_FALSE(assumed.is_confirmed_by(a_pod("u1", "5", "n1"))) << "nobody assumed it";
  assumed.bind(kPod, "n1");
  EXPECT_FALSE(assumed.is_confirmed_by(a_pod("u1", "5"))) << "it is still to be seen";
  EXPECT_TRUE(assumed.is_confirmed_by(a_pod("u1", "6", "n1")));
  EXPECT_FALSE(assumed.is_confirmed_by(a_pod("u1", "6", "n2"))) << "somebody else bound it";
  EXPECT_FALSE(assumed.is_confirmed_by(a_pod("u2", "6", "n1"))) << "another pod";
  auto leaving = a_pod("u1", "6", "n1");
  leaving.meta.deleted = Timestamp{101, 0};
  EXPECT_FALSE(assumed.is_confirmed_by(leaving));
  auto running = a_pod("u1", "6", "n1");
  running.status.phase = "Running";
  EXPECT_FALSE(assumed.is_confirmed_by(running)) << "its group may count it";
}

TEST(AssumedPods, AReadingThatTheWatchHasOvertakenIsKnown) {
  AssumedPods assumed;
  assumed.bind(kPod, "n1");
  auto labelled = a_pod("u1", "8");
  EXPECT_TRUE(assumed.complete(labelled));
  EXPECT_TRUE(assumed.is_older(kube::identity_of(a_pod("u1", "7").meta)));
  EXPECT_FALSE(assumed.is_older(kube::identity_of(a_pod("u1", "8").meta)));
  EXPECT_FALSE(assumed.is_older(kube::identity_of(a_pod("u2", "7").meta))) << "another pod";
}

TEST(AssumedPods, AnEvictionCompletesObjectsUntilOneShowsIt) {
  AssumedPods assumed;
  assumed.evict(kPod, {100, 0});
  auto running = a_pod("u1", "5", "n1");
  EXPECT_TRUE(assumed.complete(running));
  EXPECT_EQ(running.meta.deleted, (Timestamp{100, 0}));
  auto leaving = a_pod("u1", "6", "n1");
  leaving.meta.deleted = Timestamp{101, 0};
  EXPECT_TRUE(assumed.complete(leaving));
  EXPECT_EQ(leaving.meta.deleted, (Timestamp{101, 0}));
  EXPECT_EQ(assumed.size(), 0u);
}

TEST(AssumedPods, AnotherPodOfTheNameIsNotMeant) {
  AssumedPods assumed;
  assumed.bind(kPod, "n1");
  auto other = a_pod("u2", "9");
  EXPECT_TRUE(assumed.complete(other));
  EXPECT_EQ(other.spec.node_name, "");
  EXPECT_EQ(assumed.size(), 0u);
}

TEST(AssumedPods, WhatWasReadOnPurposeIsNotUndoneByOlderNews) {
  AssumedPods assumed;
  assumed.bind(kPod, "n1");
  assumed.read_anew({"ns", "p", "u1", "10"});
  auto stale = a_pod("u1", "9");
  EXPECT_FALSE(assumed.complete(stale));
  auto same = a_pod("u1", "10");
  EXPECT_TRUE(assumed.complete(same));
  EXPECT_EQ(same.spec.node_name, "");
  EXPECT_EQ(assumed.size(), 0u);
}

TEST(AssumedPods, ForgottenIsForgottenForThatPodOnly) {
  AssumedPods assumed;
  assumed.bind(kPod, "n1");
  assumed.forget({"ns", "p", "u2", ""});
  EXPECT_TRUE(assumed.binds(kPod));
  EXPECT_TRUE(assumed.holds(kPod));
  EXPECT_FALSE(assumed.holds({"ns", "p", "u2", ""}));
  assumed.forget(kPod);
  EXPECT_FALSE(assumed.binds(kPod));
  EXPECT_FALSE(assumed.holds(kPod));
}

TEST(AssumedPods, WhatOthersCarryOutLeavesObjectsAsTheyAre) {
  AssumedPods assumed;
  assumed.order(kPod);
  auto older = a_pod("u1", "5");
  EXPECT_TRUE(assumed.complete(older));
  EXPECT_EQ(older.spec.node_name, "");
  EXPECT_TRUE(assumed.holds(kPod));
  auto bound = a_pod("u1", "6", "n1");
  EXPECT_TRUE(assumed.complete(bound));
  EXPECT_EQ(assumed.size(), 0u);
}

}  // namespace
}  // namespace muster::daemon
