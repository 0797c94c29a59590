#include "sim/selectors.h"

#include <gtest/gtest.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

TEST(LabelSelectors, MatchAsKubernetesDoes) {
  const StringMap labels({{"app", "web"}, {"tier", "1"}, {"a.b/c", ""}});
  const struct {
    const char* selector;
    bool matches;
  } cases[] = {
      {"", true},
      {"app=web", true},
      {"app==web", true},
      {"app=db", false},
      {"app!=db", true},
      {"app!=web", false},
      {"other!=x", true},
      {"app", true},
      {"!app", false},
      {"!other", true},
      {"app in (db, web)", true},
      {"app notin (web)", false},
      {"app in (db),tier=1", false},
      {"app=web, tier = 1", true},
      {"a.b/c=", true},
      {"tier>0", true},
      {"tier<1", false},
  };
  for (const auto& one : cases) {
    const auto requirements = parse_label_selector(one.selector);
    ASSERT_TRUE(requirements) << one.selector;
    bool all = true;
    for (const auto& requirement : *requirements) all = all && requirement.matches(labels.find(requirement.key));
    EXPECT_EQ(all, one.matches) << one.selector;
  }
  for (const char* bad : {"=x", "a=b,", "a in b", "a in (b", "a b", "!", "a!b", "a(b)"})
    EXPECT_FALSE(parse_label_selector(bad)) << bad;
}

TEST(LabelSelectors, OfObjects) {
  StringMap labels;
  labels.set("app", "web");
  EXPECT_FALSE(label_selector_matches(nullptr, labels));
  const struct {
    const char* selector;
    bool matches;
  } cases[] = {
      {"{}", true},
      {R"({"matchLabels":{"app":"web"}})", true},
      {R"({"matchLabels":{"app":"db"}})", false},
      {R"({"matchExpressions":[{"key":"app","operator":"In","values":["web","x"]}]})", true},
      {R"({"matchExpressions":[{"key":"app","operator":"NotIn","values":["web"]}]})", false},
      {R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})", false},
      {R"({"matchExpressions":[{"key":"tier","operator":"DoesNotExist"}]})", true},
  };
  for (const auto& one : cases) {
    const auto tree = json(one.selector);
    EXPECT_EQ(label_selector_matches(&tree, labels), one.matches) << one.selector;
  }
}

TEST(FieldSelectors, ByWhatTheKindKnows) {
  const auto& pods = kind_named("", "pods");
  const auto object = make_object(
      pods, json(R"({"metadata":{"name":"p","namespace":"n"},"spec":{"nodeName":"w"},"status":{"phase":"Running"}})"), 1);
  const struct {
    const char* selector;
    bool matches;
  } cases[] = {{"metadata.name=p", true},      {"metadata.name!=p", false},    {"spec.nodeName=w,status.phase=Running", true},
               {"spec.nodeName==w", true},     {"status.phase!=Failed", true}, {"status.nominatedNodeName=", true},
               {"metadata.namespace=m", false}};
  for (const auto& one : cases) {
    const auto selection = Selection::parse(pods, "n", "", one.selector);
    ASSERT_TRUE(selection) << one.selector;
    EXPECT_EQ(selection->matches(*object), one.matches) << one.selector;
  }
  EXPECT_FALSE(Selection::parse(pods, "m", "", "")->matches(*object)) << "another namespace";
  const auto unknown = Selection::parse(pods, "", "", "spec.color=red");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "field label not supported: spec.color");
  EXPECT_FALSE(Selection::parse(pods, "", "", "nonsense"));
}

}  // namespace
}  // namespace muster::sim
