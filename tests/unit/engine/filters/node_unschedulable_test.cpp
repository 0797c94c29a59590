#include "engine/filters/node_unschedulable.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

TEST(NodeUnschedulableFilter, KeepsPodsOffCordonedNodes) {
  TestCluster cluster;
  const auto open = cluster.add(a_node("open"));
  const auto cordoned = cluster.add(a_node("cordoned").cordoned());
  const auto pod = cluster.add(a_pod("pod"));
  NodeUnschedulableFilter filter(cluster.books, cluster.fits);
  EXPECT_EQ(filter.dependence(pod), Dependence::kNode);
  EXPECT_EQ(ask(cluster.fits, filter, pod, open), "");
  EXPECT_EQ(ask(cluster.fits, filter, pod, cordoned), "unresolvable: node(s) were unschedulable");
}

TEST(NodeUnschedulableFilter, LetsInWhoToleratesTheTaintOfACordon) {
  struct Row {
    Toleration toleration;
    bool passes;
  };
  const std::string key = "node.kubernetes.io/unschedulable";
  const Row rows[] = {
      {{key, TolerationOp::kExists, "", {}}, true},
      {{key, TolerationOp::kExists, "", TaintEffect::kNoSchedule}, true},
      {{key, TolerationOp::kExists, "", TaintEffect::kNoExecute}, false},
      {{key, TolerationOp::kEqual, "", {}}, true},
      {{key, TolerationOp::kEqual, "yes", {}}, false},
      {{"", TolerationOp::kExists, "", {}}, true},
      {{"other", TolerationOp::kExists, "", {}}, false},
  };
  for (const auto& [toleration, passes] : rows) {
    TestCluster cluster;
    const auto node = cluster.add(a_node("n").cordoned());
    const auto pod = cluster.add(a_pod("p").tolerate(toleration));
    NodeUnschedulableFilter filter(cluster.books, cluster.fits);
    EXPECT_EQ(filter.check(pod, node).ok(), passes) << toleration.key << " " << toleration.value;
    EXPECT_EQ(filter.dependence(pod), passes ? Dependence::kNothing : Dependence::kNode);
  }
}

TEST(NodeUnschedulableFilter, DependsOnNothingWhileNoNodeIsCordoned) {
  TestCluster cluster;
  cluster.add(a_node("n"));
  const auto pod = cluster.add(a_pod("p"));
  NodeUnschedulableFilter filter(cluster.books, cluster.fits);
  EXPECT_EQ(filter.dependence(pod), Dependence::kNothing);
  cluster.add(a_node("n").cordoned());
  EXPECT_EQ(filter.dependence(pod), Dependence::kNode);
}

}  // namespace
}  // namespace muster
