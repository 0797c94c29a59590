#include "model/selector.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(StringMap, SortsItsKeysAndKeepsTheLastOfEqualOnes) {
  const StringMap map({{"b", "1"}, {"a", "2"}, {"b", "3"}, {"a", "4"}, {"c", "5"}});
  ASSERT_EQ(map.size(), 3u);
  EXPECT_EQ(map.get("a"), "4");
  EXPECT_EQ(map.get("b"), "3");
  EXPECT_EQ(map.get("c"), "5");
  EXPECT_EQ(map.begin()->first, "a");
}

TEST(StringMap, FindsAndSets) {
  StringMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find("x"), nullptr);
  EXPECT_EQ(map.get("x"), "");
  map.set("x", "1");
  map.set("a", "");
  map.set("x", "2");
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.get("x"), "2");
  EXPECT_TRUE(map.contains("a"));
  EXPECT_FALSE(map.contains("b"));
  EXPECT_EQ(map, StringMap({{"x", "2"}, {"a", ""}}));
}

struct RequirementRow {
  SelectorOp op;
  std::vector<std::string> values;
  const char* label;  // nullptr: absent
  bool matches;
};

TEST(Requirement, DecidesAsKubernetesDoes) {
  using enum SelectorOp;
  const RequirementRow rows[] = {
      {kIn, {"a", "b"}, "b", true},
      {kIn, {"a", "b"}, "c", false},
      {kIn, {"a"}, nullptr, false},
      {kIn, {""}, "", true},
      {kIn, {}, "a", false},
      {kNotIn, {"a"}, "b", true},
      {kNotIn, {"a"}, "a", false},
      {kNotIn, {"a"}, nullptr, true},
      {kNotIn, {}, "a", false},
      {kExists, {}, "", true},
      {kExists, {}, nullptr, false},
      {kExists, {"a"}, "a", false},
      {kDoesNotExist, {}, nullptr, true},
      {kDoesNotExist, {}, "a", false},
      {kDoesNotExist, {"a"}, nullptr, false},
      {kGt, {"5"}, "6", true},
      {kGt, {"5"}, "5", false},
      {kGt, {"-5"}, "-4", true},
      {kGt, {"5"}, "+6", true},
      {kGt, {"5"}, "6.5", false},
      {kGt, {"5"}, "x", false},
      {kGt, {"x"}, "6", false},
      {kGt, {"5"}, nullptr, false},
      {kGt, {"5", "6"}, "7", false},
      {kGt, {"5"}, "9223372036854775808", false},
      {kGt, {"5"}, "", false},
      {kGt, {"5"}, "+-6", false},
      {kLt, {"5"}, "4", true},
      {kLt, {"5"}, "5", false},
      {kLt, {"5"}, nullptr, false},
  };
  for (const auto& row : rows) {
    const std::string label = row.label == nullptr ? "" : row.label;
    const Requirement requirement{"key", row.op, row.values};
    EXPECT_EQ(requirement.matches(row.label == nullptr ? nullptr : &label), row.matches)
        << static_cast<int>(row.op) << " " << testing::PrintToString(row.values) << " " << label;
  }
}

TEST(LabelSelector, NeedsAllItsRequirements) {
  const StringMap labels({{"app", "web"}, {"tier", "3"}});
  EXPECT_TRUE(LabelSelector{}.matches(labels));
  EXPECT_TRUE((LabelSelector{{{"app", SelectorOp::kIn, {"web"}}, {"gone", SelectorOp::kDoesNotExist, {}}}}.matches(labels)));
  EXPECT_FALSE((LabelSelector{{{"app", SelectorOp::kIn, {"web"}}, {"gone", SelectorOp::kExists, {}}}}.matches(labels)));
}

TEST(NodeSelector, TermsAreAlternativesAndEmptyOnesMatchNothing) {
  StringMap labels;
  labels.set("zone", "a");
  EXPECT_FALSE(NodeSelector{}.matches(labels, "n1"));
  EXPECT_FALSE((NodeSelector{{NodeSelectorTerm{}}}.matches(labels, "n1")));
  const NodeSelectorTerm in_b{{{"zone", SelectorOp::kIn, {"b"}}}, {}};
  const NodeSelectorTerm in_a{{{"zone", SelectorOp::kIn, {"a"}}}, {}};
  EXPECT_FALSE((NodeSelector{{in_b}}.matches(labels, "n1")));
  EXPECT_TRUE((NodeSelector{{in_b, in_a}}.matches(labels, "n1")));
}

TEST(NodeSelector, FieldsKnowTheNameOnly) {
  const auto by_field = [](std::string key, SelectorOp op, std::vector<std::string> values) {
    return NodeSelectorTerm{{}, {{std::move(key), op, std::move(values)}}}.matches(StringMap(), "n1");
  };
  EXPECT_TRUE(by_field("metadata.name", SelectorOp::kIn, {"n1"}));
  EXPECT_FALSE(by_field("metadata.name", SelectorOp::kIn, {"n2"}));
  EXPECT_TRUE(by_field("metadata.name", SelectorOp::kNotIn, {"n2"}));
  EXPECT_FALSE(by_field("metadata.name", SelectorOp::kNotIn, {"n1"}));
  EXPECT_FALSE(by_field("metadata.name", SelectorOp::kIn, {"n1", "n2"}));
  EXPECT_FALSE(by_field("metadata.name", SelectorOp::kExists, {}));
  EXPECT_FALSE(by_field("spec.name", SelectorOp::kIn, {"n1"}));
}

}  // namespace
}  // namespace muster
