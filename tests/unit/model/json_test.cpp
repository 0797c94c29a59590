#include "model/json.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(JsonTest, ReadsAMapInTheOrderOfTheText) {
  const auto json = read_json(R"( {"cpu" : 2, "memory":{"a":[1, {"b":null}], "c":true}, "cpu":"x"} )");
  ASSERT_TRUE(json);
  ASSERT_EQ(json->kind, Json::Kind::kMap);
  ASSERT_EQ(json->members.size(), 3u);
  EXPECT_EQ(json->members[0].key, "cpu");
  EXPECT_EQ(json->members[0].value.kind, Json::Kind::kNumber);
  EXPECT_EQ(json->members[1].value.raw, R"({"a":[1, {"b":null}], "c":true})");
  EXPECT_EQ(json->members[1].value.members.size(), 2u);
  EXPECT_EQ(json->members[2].value.raw, "\"x\"");
}

TEST(JsonTest, RefusesWhatIsNotOneValue) {
  for (const char* text :
       {"",   " ",  "{",   "{\"a\":}", "{\"a\":1,}", "{a:1}",   "[1,]",      "[",        "01",  "1.",   "1e",  "-",
        "+1", ".5", "nul", "truex",    "\"",         "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "1 2", "{} x", "'a'", "NaN"})
    EXPECT_FALSE(read_json(text)) << text;
}

TEST(JsonTest, RefusesDeepNesting) {
  EXPECT_TRUE(read_json(std::string(10, '[') + std::string(10, ']')));
  EXPECT_FALSE(read_json(std::string(100'000, '[')));
}

TEST(JsonTest, KeysAreUnescaped) {
  const auto json = read_json(R"({"a\/\u0062\t\u00e9\ud83d\ude00\ud83dx":0})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->members[0].key, "a/b\t\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBDx");
}

TEST(JsonTest, IntegersHaveNeitherFractionNorExponent) {
  const auto as_int = [](const char* text) { return read_json(text).value().as_int(); };
  EXPECT_EQ(as_int("-12"), -12);
  EXPECT_EQ(as_int("null"), 0);
  EXPECT_EQ(as_int("9223372036854775807"), 9223372036854775807);
  for (const char* text : {"1.0", "1e2", "\"1\"", "true", "[]", "9223372036854775808"}) EXPECT_FALSE(as_int(text)) << text;
}

TEST(JsonTest, ListsAndTexts) {
  const auto json = read_json(R"([1, "a\"\u0041", {"k":1,"k":2}, -2.5e1])");
  ASSERT_TRUE(json);
  ASSERT_EQ(json->items.size(), 4u);
  EXPECT_EQ(json->items[1].text, "a\"A");
  EXPECT_EQ(json->items[2].find("k")->as_int(), 2);
  EXPECT_EQ(json->items[2].find("x"), nullptr);
  EXPECT_EQ(json->items[3].as_double(), -25);
  EXPECT_FALSE(json->items[1].as_double());
}

TEST(JsonTest, StringsAreEscapedSoThatTheyCanBeReadBack) {
  const std::string text = "a\"b\\c\n\x01";
  EXPECT_EQ(json_string(text), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(read_json(json_string(text))->text, text);
}

}  // namespace
}  // namespace muster
