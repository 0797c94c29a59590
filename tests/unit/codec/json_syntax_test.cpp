#include "codec/json_syntax.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

TEST(JsonSyntax, FindsTheEndOfEveryKindOfValue) {
  for (const std::string_view text :
       {"{}", "[]", "0", "-0", "10", "1.5", "1e5", "1E-5", "-1.5e+5", "true", "false", "null", "\"\"", R"("a\"\\\/\b\f\n\r\tä")",
        "[ ]", "{ }", "[1,2 , 3]", R"({"a":1,"b":{"c":[{}]}})", "\"a longer string that takes several words of eight bytes\""}) {
    const auto end = json_value_end(text, 0, 10);
    ASSERT_TRUE(end) << text << ": " << end.error().message;
    EXPECT_EQ(*end, text.size()) << text;
  }
}

TEST(JsonSyntax, StopsBehindTheValue) {
  const std::string_view text = "  {\"a\":1} {\"b\":2}\n[3]";
  EXPECT_EQ(skip_json_space(text, 0), 2u);
  EXPECT_EQ(*json_value_end(text, 2, 10), 9u);
  EXPECT_EQ(skip_json_space(text, 9), 10u);
  EXPECT_EQ(*json_value_end(text, 10, 10), 17u);
  EXPECT_EQ(skip_json_space(" \t\r\n", 0), 4u);
}

TEST(JsonSyntax, SaysWhatIsWrongAndWhere) {
  struct Row {
    std::string_view text;
    std::size_t offset;
    std::string_view message;
  };
  const Row rows[] = {
      {"", 0, "the text ends where a value is expected"},
      {"{", 1, "the text ends where a field name in double quotes is expected"},
      {"[", 1, "the text ends where a value is expected"},
      {"[1", 2, "the text ends where ',' or ']' is expected"},
      {R"({"a":1)", 6, "the text ends where ',' or '}' is expected"},
      {"[1,]", 3, "']' where a value is expected"},
      {"[1 2]", 3, "'2' where ',' or ']' is expected"},
      {"[1}", 2, "'}' where ',' or ']' is expected"},
      {"{a:1}", 1, "'a' where a field name in double quotes is expected"},
      {R"({"a" 1})", 5, "'1' where ':' is expected"},
      {R"({"a":1,})", 7, "'}' where a field name in double quotes is expected"},
      {R"({"a":})", 5, "'}' where a value is expected"},
      {R"(["abc)", 1, "a string that is never closed"},
      {"[\"a\nb\"]", 3, "a control character inside a string"},
      {"[\"12345678\x01\"]", 10, "a control character inside a string"},
      {R"(["\x"])", 2, "an unknown escape inside a string"},
      {R"(["\u12g4"])", 2, "an unknown escape inside a string"},
      {R"(["\)", 2, "an unknown escape inside a string"},
      {"[01]", 2, "a malformed number"},
      {"[1.]", 3, "']' where a digit is expected"},
      {"[-]", 2, "']' where a digit is expected"},
      {"[1e]", 3, "']' where a digit is expected"},
      {"[+1]", 1, "'+' where a value is expected"},
      {"[tru]", 1, "'t' where a value is expected"},
      {"[nul", 1, "'n' where a value is expected"},
      {"'a'", 0, "''' where a value is expected"},
      {"\xEF\xBB\xBF{}", 0, "a character where a value is expected"},
      {"[[[[]]]]", 3, "nested deeper than 3 levels"},
      {R"({"a":{"a":{"a":{}}}})", 15, "nested deeper than 3 levels"},
  };
  for (const auto& [text, offset, message] : rows) {
    const auto end = json_value_end(text, 0, 3);
    ASSERT_FALSE(end) << text;
    EXPECT_EQ(end.error().offset, offset) << text;
    EXPECT_EQ(end.error().message, message) << text;
  }
}

TEST(JsonSyntax, SurvivesAnyDepth) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(json_value_end(deep, 0, 200).error().offset, 200u);
}

// Whatever is drawn from the alphabet of JSON, an independent parser has the same opinion.
RC_GTEST_PROP(JsonSyntaxProperty, AgreesWithAnotherParser, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "1", "-", "0", ".5", "e1", "true",
                                    "null", " ", "\n", "\\", "\\n", "\\u00e4", "x"));
  std::string text;
  for (const auto& piece : pieces) text += piece;
  const auto end = json_value_end(text, skip_json_space(text, 0), 200);
  const bool ours = end.has_value() && skip_json_space(text, *end) == text.size();
  RC_ASSERT(ours == nlohmann::json::accept(text));
}

}  // namespace
}  // namespace muster
