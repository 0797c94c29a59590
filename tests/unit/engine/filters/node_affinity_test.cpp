#include "engine/filters/node_affinity.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

constexpr auto kMismatch = "unresolvable: node(s) didn't match Pod's node affinity/selector";
constexpr auto kConflict = "everywhere unresolvable: pod affinity terms conflict";

NodeSelectorTerm labels(Requirement requirement) { return {{std::move(requirement)}, {}}; }
NodeSelectorTerm named(std::vector<std::string> names) { return {{}, {{"metadata.name", SelectorOp::kIn, std::move(names)}}}; }

TEST(NodeAffinityFilter, ComparesSelectorAndRequiredTermsWithTheNode) {
  struct Row {
    const char* what;
    PodBuilder pod;
    std::string answer;
  };
  const Row rows[] = {
      {"nothing asked", a_pod("p"), "skip"},
      {"selector holds", a_pod("p").select("disk", "ssd"), ""},
      {"selector with another value", a_pod("p").select("disk", "hdd"), kMismatch},
      {"selector on a missing label", a_pod("p").select("gpu", "a100"), kMismatch},
      {"term holds", a_pod("p").require(labels({"disk", SelectorOp::kIn, {"hdd", "ssd"}})), ""},
      {"one of two terms holds",
       a_pod("p").require(labels({"disk", SelectorOp::kIn, {"hdd"}})).require(labels({"cores", SelectorOp::kGt, {"7"}})), ""},
      {"no term holds", a_pod("p").require(labels({"cores", SelectorOp::kGt, {"8"}})), kMismatch},
      {"an empty term holds nowhere", a_pod("p").require({}), kMismatch},
      {"selector fails though the term holds", a_pod("p").select("disk", "hdd").require(labels({"cores", SelectorOp::kExists, {}})),
       kMismatch},
      {"this node by name", a_pod("p").require(named({"n1"})), ""},
      {"another node by name", a_pod("p").require(named({"n2"})), kMismatch},
  };
  for (const auto& [what, pod, answer] : rows) {
    TestCluster cluster;
    const auto node = cluster.add(a_node("n1").label("disk", "ssd").label("cores", "8"));
    const auto id = cluster.add(pod);
    NodeAffinityFilter filter(cluster.books, cluster.fits);
    EXPECT_EQ(ask(cluster.fits, filter, id, node), answer) << what;
    EXPECT_EQ(filter.dependence(id), answer == "skip" ? Dependence::kNothing : Dependence::kNode) << what;
  }
}

TEST(NodeAffinityFilter, RefusesTermsThatContradictEachOtherByName) {
  const NodeSelectorTerm both{{}, {{"metadata.name", SelectorOp::kIn, {"n1"}}, {"metadata.name", SelectorOp::kIn, {"n2"}}}};
  struct Row {
    PodBuilder pod;
    std::string answer;
  };
  const Row rows[] = {
      {a_pod("p").require(both), kConflict},
      {a_pod("p").require(both).require(both), kConflict},
      {a_pod("p").require(both).require(named({"n1"})), ""},
      {a_pod("p").require(both).require(labels({"disk", SelectorOp::kExists, {}})), kMismatch},
  };
  for (const auto& [pod, answer] : rows) {
    TestCluster cluster;
    const auto node = cluster.add(a_node("n1"));
    const auto id = cluster.add(pod);
    NodeAffinityFilter filter(cluster.books, cluster.fits);
    EXPECT_EQ(ask(cluster.fits, filter, id, node), answer);
    EXPECT_EQ(filter.dependence(id), answer == kConflict ? Dependence::kOthers : Dependence::kNode);
  }
}

}  // namespace
}  // namespace muster
