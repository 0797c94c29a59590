#include "engine/filters/taint_toleration.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

using enum TaintEffect;
constexpr auto kTainted = "unresolvable: node(s) had untolerated taint(s)";

TEST(TaintTolerationFilter, MindsTaintsThatKeepPodsAway) {
  struct Row {
    const char* what;
    NodeBuilder node;
    PodBuilder pod;
    std::string answer;
  };
  const Row rows[] = {
      {"no taint", a_node("n"), a_pod("p"), ""},
      {"NoSchedule", a_node("n").taint("k", "v", kNoSchedule), a_pod("p"), kTainted},
      {"NoExecute", a_node("n").taint("k", "v", kNoExecute), a_pod("p"), kTainted},
      {"PreferNoSchedule", a_node("n").taint("k", "v", kPreferNoSchedule), a_pod("p"), ""},
      {"tolerated", a_node("n").taint("k", "v", kNoSchedule), a_pod("p").tolerate({"k", TolerationOp::kEqual, "v", {}}), ""},
      {"another effect", a_node("n").taint("k", "v", kNoExecute),
       a_pod("p").tolerate({"k", TolerationOp::kExists, "", kNoSchedule}), kTainted},
      {"one of two", a_node("n").taint("k", "v", kNoSchedule).taint("l", "", kNoExecute),
       a_pod("p").tolerate({"k", TolerationOp::kExists, "", {}}), kTainted},
      {"comparisons are switched off", a_node("n").taint("k", "5", kNoSchedule),
       a_pod("p").tolerate({"k", TolerationOp::kGt, "1", {}}), kTainted},
  };
  for (const auto& [what, node, pod, answer] : rows) {
    TestCluster cluster;
    const auto n = cluster.add(node);
    const auto p = cluster.add(pod);
    TaintTolerationFilter filter(cluster.books, cluster.fits);
    EXPECT_EQ(ask(cluster.fits, filter, p, n), answer) << what;
  }
}

TEST(TaintTolerationFilter, DependsOnNothingWhileNoNodeKeepsPodsAway) {
  TestCluster cluster;
  const auto node = cluster.add(a_node("n").taint("k", "v", kPreferNoSchedule));
  const auto pod = cluster.add(a_pod("p"));
  TaintTolerationFilter filter(cluster.books, cluster.fits);
  EXPECT_EQ(filter.dependence(pod), Dependence::kNothing);
  cluster.add(a_node("n").taint("k", "v", kNoSchedule));
  EXPECT_EQ(filter.dependence(pod), Dependence::kNode);
  cluster.books.remove_node(node);
  EXPECT_EQ(filter.dependence(pod), Dependence::kNothing);
}

}  // namespace
}  // namespace muster
