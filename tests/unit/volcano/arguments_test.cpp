#include "policy/volcano/arguments.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace muster::volcano {
namespace {

Value text(std::string content) { return Value(std::move(content)); }
Value integer(std::int64_t number) { return Value(number); }
Value real(double number) { return Value(number); }
Value flag(bool on) { return Value(on); }
Value map(Value::Map members) { return Value(std::move(members)); }

Arguments with(std::string key, Value value) { return Arguments({{std::move(key), std::move(value)}}); }

TEST(ArgumentsTest, AnAbsentKeyLeavesTheFallback) {
  const Arguments none;
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.has("weight"));
  EXPECT_EQ(none.find("weight"), nullptr);
  EXPECT_EQ(none.get_int("weight", 7), 7);
  EXPECT_EQ(none.get_float("factor", 1.2), 1.2);
  EXPECT_TRUE(none.get_bool("strict", true));
  EXPECT_EQ(none.get_string("resources", "cpu"), "cpu");
}

// What each getter makes of each type of value; nothing means that the fallback stays.
TEST(ArgumentsTest, TypingIsAsLooseAsTheOriginals) {
  struct Case {
    const char* what;
    Value value;
    std::optional<std::int64_t> as_int;
    std::optional<double> as_float;
    std::optional<bool> as_bool;
    std::optional<std::string> as_string;
  };
  constexpr auto kNone = std::nullopt;
  const std::vector<Case> cases = {
      {"an integer", integer(10), 10, 10.0, kNone, kNone},
      {"a negative integer", integer(-1), -1, -1.0, kNone, kNone},
      {"one is no boolean", integer(1), 1, 1.0, kNone, kNone},
      {"a float is no integer, even a whole one", real(1.0), kNone, 1.0, kNone, kNone},
      {"a quoted integer is a string", text("10"), kNone, kNone, kNone, "10"},
      {"a boolean", flag(false), kNone, kNone, false, kNone},
      {"a string that spells true", text("true"), kNone, kNone, true, "true"},
      {"a string that spells false", text("F"), kNone, kNone, false, "F"},
      {"yes in quotes spells nothing", text("yes"), kNone, kNone, kNone, "yes"},
      {"mixed case spells nothing", text("tRUE"), kNone, kNone, kNone, "tRUE"},
      {"null", Value(), kNone, kNone, kNone, kNone},
      {"a list", Value(Value::List{integer(1)}), kNone, kNone, kNone, kNone},
      {"a map", map({}), kNone, kNone, kNone, kNone},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    const Arguments arguments = with("key", test.value);
    EXPECT_TRUE(arguments.has("key"));
    EXPECT_EQ(arguments.get_int("key", 99), test.as_int.value_or(99));
    EXPECT_EQ(arguments.get_float("key", 9.5), test.as_float.value_or(9.5));
    EXPECT_EQ(arguments.get_bool("key", true), test.as_bool.value_or(true));
    EXPECT_EQ(arguments.get_bool("key", false), test.as_bool.value_or(false));
    EXPECT_EQ(arguments.get_string("key", "fallback"), test.as_string.value_or("fallback"));
  }
}

TEST(ArgumentsTest, EverySpellingOfABoolean) {
  for (const char* spelling : {"1", "t", "T", "true", "True", "TRUE"}) EXPECT_EQ(loose_bool(text(spelling)), true) << spelling;
  for (const char* spelling : {"0", "f", "F", "false", "False", "FALSE"}) EXPECT_EQ(loose_bool(text(spelling)), false) << spelling;
  for (const char* spelling : {"", "on", "off", "y", "2", " true", "tru"})
    EXPECT_EQ(loose_bool(text(spelling)), std::nullopt) << spelling;
}

TEST(ArgumentsTest, OfTwoEqualKeysTheLaterCounts) {
  const Arguments arguments({{"weight", integer(1)}, {"other", integer(5)}, {"weight", integer(2)}});
  EXPECT_EQ(arguments.get_int("weight", 0), 2);
  EXPECT_EQ(arguments.entries().size(), 3u);
}

TEST(ArgumentsTest, NestedGivesTheMapBelowAKey) {
  const Arguments arguments = with("thresholds", map({{text("cpu"), integer(60)}, {text("mem"), real(1.5)}}));
  const Arguments thresholds = arguments.nested("thresholds");
  EXPECT_EQ(thresholds.get_int("cpu", 80), 60);
  EXPECT_EQ(thresholds.get_int("mem", 80), 80);
  EXPECT_TRUE(arguments.nested("estimator").empty());
  EXPECT_TRUE(with("thresholds", integer(60)).nested("thresholds").empty());
}

TEST(ArgumentsTest, NestedDropsAMapWithAKeyThatIsNoString) {
  const Arguments arguments = with("thresholds", map({{text("cpu"), integer(60)}, {integer(1), integer(2)}}));
  EXPECT_TRUE(arguments.nested("thresholds").empty());
}

TEST(ArgumentsTest, BelowGivesTheRestOfThePrefixedKeys) {
  const Arguments arguments(
      {{"binpack.resources", text("a")}, {"binpack.resources.a.com/x", integer(3)}, {"binpack.cpu", integer(1)}});
  const Arguments weights = arguments.below("binpack.resources.");
  ASSERT_EQ(weights.entries().size(), 1u);
  EXPECT_EQ(weights.get_int("a.com/x", 1), 3);
}

TEST(DecodedTest, NullIsZeroAndFloatsAreCut) {
  EXPECT_EQ(decoded_int(Value()), 0);
  EXPECT_EQ(decoded_float(Value()), 0.0);
  EXPECT_EQ(decoded_bool(Value()), false);
  EXPECT_EQ(decoded_string(Value()), "");

  EXPECT_EQ(decoded_int(real(10.9)), 10);
  EXPECT_EQ(decoded_int(real(-10.9)), -10);
  EXPECT_EQ(decoded_int(real(1e300)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(decoded_int(real(std::numeric_limits<double>::quiet_NaN())), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(decoded_float(integer(3)), 3.0);
}

TEST(DecodedTest, OtherTypesAreNotConverted) {
  EXPECT_EQ(decoded_int(text("10")), std::nullopt);
  EXPECT_EQ(decoded_int(flag(true)), std::nullopt);
  EXPECT_EQ(decoded_bool(text("true")), std::nullopt);
  EXPECT_EQ(decoded_string(integer(1)), std::nullopt);
}

TEST(DecodedTest, TheCaseOfAFieldDoesNotMatter) {
  const Value structure = map({{integer(1), flag(false)}, {text("ResourceWEIGHT"), integer(4)}});
  ASSERT_NE(decoded_field(structure, "resourceWeight"), nullptr);
  EXPECT_EQ(decoded_int(*decoded_field(structure, "resourceWeight")), 4);
  EXPECT_EQ(decoded_field(structure, "weight"), nullptr);
  EXPECT_EQ(decoded_field(integer(1), "weight"), nullptr);
}

}  // namespace
}  // namespace muster::volcano
