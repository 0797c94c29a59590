#include "engine/filters/pod_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/books_builder.h"

namespace muster {
namespace {

constexpr std::array kApps = {"x", "y", "z"};
constexpr std::array kSpaces = {"n1", "n2"};

int pick(std::size_t count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, static_cast<int>(count))); }

template <class List>
auto any(const List& list) {
  return list[static_cast<std::size_t>(pick(list.size()))];
}

std::int64_t recount(const Books& books, const PodMatcher& matcher, const NamespaceLabels& namespaces, WhichPods which,
                     NodeId node) {
  std::int64_t count = 0;
  for (const auto pod : books.pods_present(node)) {
    const auto& labels = books.label_set(books.pod(pod).labels);
    if (which == WhichPods::kStaying && books.pod(pod).terminating) continue;
    count += matcher.matches(books.symbols().text(labels.ns), labels.labels, namespaces);
  }
  return count;
}

RC_GTEST_PROP(PodCountsProperty, AgreeWithARecountAfterAnyHistory, ()) {
  TestCluster cluster;
  NamespaceLabels namespaces;
  Topology topology(cluster.books);
  MatcherIndex index(cluster.books, namespaces);
  PodCounts counts(cluster.books, index, topology);
  for (int i = 0; i < 4; ++i) cluster.add(a_node("n" + std::to_string(i)));
  std::vector<PodMatcher> matchers;
  for (const auto* app : kApps)
    for (const auto* ns : kSpaces)
      matchers.push_back({{PodClause::of(a_term("zone").match("app", app).in(ns), "", PodClause::Side::kExisting)}});
  matchers.push_back({{PodClause::of(a_term("zone").match_all().in_namespaces({}), "", PodClause::Side::kExisting)}});
  matchers.push_back(
      {{PodClause::of(a_term("zone").match_all().in_namespaces(matching("env", "prod")), "", PodClause::Side::kExisting)}});

  std::vector<PodId> pods;
  for (int step = 0; step < 80; ++step) {
    const auto what = pick(8);
    if (pods.empty() || what == 0) {
      auto pod = a_pod("p" + std::to_string(step)).ns(any(kSpaces)).label("app", any(kApps)).label("step", std::to_string(pick(3)));
      if (pick(4) == 0) pod.terminating();
      pods.push_back(cluster.add(pod));
    } else if (what == 1) {
      Namespace ns;
      ns.meta.name = any(kSpaces);
      if (pick(2) == 0) ns.meta.labels.set("env", "prod");
      namespaces.set(ns);
    } else if (const auto pod = any(pods); cluster.books.pod(pod).present_on) {
      cluster.books.depart(pod);
    } else {
      cluster.books.arrive(pod, NodeId(static_cast<std::size_t>(pick(cluster.books.node_count()))));
    }
    const auto matcher = any(matchers);  // first asked for at any point of the history
    const auto which = pick(2) == 0 ? WhichPods::kAll : WhichPods::kStaying;
    for (const auto node : cluster.all_nodes())
      RC_ASSERT(counts.of(index.intern(matcher), which).by_node().at(node) ==
                recount(cluster.books, matcher, namespaces, which, node));
  }
}

TEST(PodCounts, RememberWhatAnArrivalAdded) {
  TestCluster cluster;
  NamespaceLabels namespaces;
  Topology topology(cluster.books);
  MatcherIndex index(cluster.books, namespaces);
  PodCounts counts(cluster.books, index, topology);
  const auto node = cluster.add(a_node("n"));
  const auto matcher = index.intern({{PodClause::of(a_term("zone").match("app", "x"), "default", PodClause::Side::kExisting)}});
  const auto staying = [&] { return counts.of(matcher, WhichPods::kStaying).by_node().at(node); };
  const auto pod = cluster.place(a_pod("p").label("app", "x"), node);
  EXPECT_EQ(staying(), 1);
  cluster.books.set_terminating(pod, true);
  EXPECT_EQ(staying(), 1) << "nobody said so";
  cluster.books.depart(pod);
  EXPECT_EQ(staying(), 0);
  cluster.books.arrive(pod, node);
  EXPECT_EQ(staying(), 0);
  EXPECT_EQ(counts.of(matcher, WhichPods::kAll).by_node().at(node), 1);
}

}  // namespace
}  // namespace muster
