#include "engine/filters/matcher_index.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"

namespace muster {
namespace {

struct MatcherIndexTest : testing::Test {
  TestCluster cluster;
  NamespaceLabels namespaces;
  MatcherIndex index{cluster.books, namespaces};

  LabelSetId labels(const std::string& ns, std::vector<std::pair<std::string, std::string>> pairs) {
    return cluster.books.intern_labels(cluster.books.symbols().intern(ns), StringMap(std::move(pairs)));
  }
  static PodMatcher matcher(const PodAffinityTerm& term, PodClause::Side side = PodClause::Side::kExisting) {
    return {{PodClause::of(term, "own", side)}};
  }
  bool satisfies(LabelSetId set, MatcherId id) {
    index.catch_up();
    return index.satisfies(set, id);
  }
};

TEST_F(MatcherIndexTest, EqualMatchersAreOne) {
  const auto id = index.intern(matcher(a_term("zone").match("app", "web")));
  EXPECT_EQ(index.intern(matcher(a_term("host").match("app", "web").in("own"))), id);
  EXPECT_NE(index.intern(matcher(a_term("zone").match("app", "db"))), id);
  EXPECT_NE(index.intern(matcher(a_term("zone").match("app", "web").in("other"))), id);
  EXPECT_EQ(index.size(), 3u);
}

TEST_F(MatcherIndexTest, FindsPairsWhicheverSideCameFirst) {
  const auto web = labels("own", {{"app", "web"}, {"tier", "1"}});
  const auto before = index.intern(matcher(a_term("zone").match("app", "web")));
  const auto db = labels("own", {{"app", "db"}});
  const auto after =
      index.intern(matcher(a_term("zone").require({"app", SelectorOp::kIn, {"db", "web", "db"}}).match("tier", "1")));
  const auto anybody = index.intern(matcher(a_term("zone").match_all()));
  const auto nobody = index.intern(matcher(a_term("zone")));
  const auto late = labels("own", {{"app", "db"}, {"tier", "1"}});
  struct Row {
    LabelSetId set;
    MatcherId matcher;
    bool satisfied;
  };
  const Row rows[] = {
      {web, before, true},   {db, before, false},  {late, before, false}, {web, after, true},
      {db, after, false},    {late, after, true},  {web, anybody, true},  {db, anybody, true},
      {late, anybody, true}, {web, nobody, false}, {late, nobody, false},
  };
  for (const auto& [set, id, satisfied] : rows) EXPECT_EQ(satisfies(set, id), satisfied) << set.index() << " " << id.index();
  EXPECT_EQ(index.satisfying(after), (std::vector{web, late}));
  EXPECT_EQ(index.satisfied_by(web), (std::vector{before, after, anybody}));
}

TEST_F(MatcherIndexTest, NamespacesAreNamedOrSelected) {
  Namespace prod;
  prod.meta.name = "p";
  prod.meta.labels.set("env", "prod");
  namespaces.set(prod);
  const auto selecting = index.intern(matcher(a_term("zone").match_all().in("q").in_namespaces(matching("env", "prod"))));
  const auto excluding = a_term("zone").match_all().in_namespaces({{{"env", SelectorOp::kDoesNotExist, {}}}});
  const auto excluding_own = index.intern(matcher(excluding, PodClause::Side::kIncoming));
  const auto excluding_other = index.intern(matcher(excluding, PodClause::Side::kExisting));
  const auto p = labels("p", {}), q = labels("q", {}), r = labels("r", {});
  EXPECT_TRUE(satisfies(p, selecting));
  EXPECT_TRUE(satisfies(q, selecting));
  EXPECT_FALSE(satisfies(r, selecting));
  EXPECT_TRUE(satisfies(p, excluding_own)) << "asked without labels it holds";
  EXPECT_FALSE(satisfies(p, excluding_other));
  EXPECT_TRUE(satisfies(r, excluding_other)) << "an unknown namespace has no labels";

  const auto restarts = index.restarts();
  prod.meta.name = "r";
  namespaces.set(prod);
  EXPECT_TRUE(satisfies(r, selecting));
  EXPECT_FALSE(satisfies(r, excluding_other));
  EXPECT_EQ(index.restarts(), restarts + 1);
  namespaces.set(prod);
  index.catch_up();
  EXPECT_EQ(index.restarts(), restarts + 1) << "the same labels again change nothing";
}

TEST_F(MatcherIndexTest, AMatcherOfSeveralClausesWantsThemAll) {
  const auto both = index.intern({{PodClause::of(a_term("zone").match("app", "web"), "own", PodClause::Side::kIncoming),
                                   PodClause::of(a_term("host").match("tier", "1"), "own", PodClause::Side::kIncoming)}});
  EXPECT_TRUE(satisfies(labels("own", {{"app", "web"}, {"tier", "1"}}), both));
  EXPECT_FALSE(satisfies(labels("own", {{"app", "web"}}), both));
  EXPECT_FALSE(satisfies(labels("other", {{"app", "web"}, {"tier", "1"}}), both));
}

}  // namespace
}  // namespace muster
