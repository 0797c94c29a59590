#include <gtest/gtest.h>

#include "app/amount_text.h"
#include "app/printable_text.h"
#include "app/text_table.h"
#include "app/yaml_text.h"

namespace muster {
namespace {

TEST(AmountText, SaysAmountsAsPeopleDo) {
  EXPECT_EQ(amount_text("cpu", 2500), "2.5");
  EXPECT_EQ(amount_text("cpu", 333.4), "0.33");
  EXPECT_EQ(amount_text("memory", 96.0 * 1024 * 1024 * 1024), "96Gi");
  EXPECT_EQ(amount_text("memory", 1536), "1.5Ki");
  EXPECT_EQ(amount_text("nvidia.com/gpu", 8000), "8");
  EXPECT_EQ(amount_text("ephemeral-storage", 1024.0 * 1000), "1Ki");
  EXPECT_EQ(amount_text("pods", 110), "110");
}

TEST(PrintableText, TakesControlCharactersAway) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\x7f"), "a?[31mb?c?");
  EXPECT_EQ(printable("a\xc2\x9b\xe2\x80\xae\xe2\x81\xa6é…b"), "a???é…b");  // C1 controls, and what turns the direction of writing
}

TEST(PrintableText, ListsAFewOfMany) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(listed(names, 3), "a, b, c");
  EXPECT_EQ(listed(names, 2), "a, b and 1 more");
}

TEST(TextTable, LinesUpColumnsByCharacters) {
  TextTable table("  ");
  table.add({"é", TextTable::Cell("1", Tone::kPlain, true), "x"});
  table.add({"long", TextTable::Cell("22", Tone::kGood, true), "y"});
  EXPECT_EQ(table.text(Paint::none()), "  é      1  x\n  long  22  y\n");
  EXPECT_NE(table.text(Paint::ansi()).find("\x1b[32m22\x1b[0m"), std::string::npos);
}

TEST(TextTable, ALineEndInANameBreaksNoRow) {
  TextTable table;
  table.add({"a\nb", "x"});
  table.add({"c", "y"});
  EXPECT_EQ(table.text(Paint::none()), "a?b  x\nc    y\n");
}

TEST(YamlText, WritesBlockStyle) {
  EXPECT_EQ(yaml_of_json(R"({"a":{"n/x":"node-1","t":"true","e":"","k":"a: b"},"l":[1,"x",{"b":[],"c":{}}],"m":[[1]]})"),
            "a:\n  n/x: node-1\n  t: \"true\"\n  e: \"\"\n  k: \"a: b\"\n"
            "l:\n  - 1\n  - x\n  - b: []\n    c: {}\n"
            "m:\n  - - 1\n");
}

TEST(YamlText, ReadsWhatOthersHavePrettyPrinted) {
  EXPECT_EQ(yaml_of_json("{ \"jobs\" : [\n  { \"job\" : \"a b\" , \"n\": 1 },\n  [ ] , { }, null\n] }\n"),
            yaml_of_json(R"({"jobs":[{"job":"a b","n":1},[],{},null]})"));
}

}  // namespace
}  // namespace muster
