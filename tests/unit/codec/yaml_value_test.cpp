#include "codec/yaml_value.h"

#include <gtest/gtest.h>

#include "codec/yaml_scalar.h"

namespace muster {
namespace {

Value read(std::string_view text) {
  auto value = read_yaml_value(text, "f.yaml");
  EXPECT_TRUE(value) << (value ? "" : value.error().text());
  return value ? *value : Value();
}

std::string error_of(std::string_view text) {
  const auto value = read_yaml_value(text, "f.yaml");
  return value ? "no error" : value.error().text();
}

// A compact form for comparisons: {a: 1, b: [x]}.
std::string shown(const Value& value) {
  std::string out;
  if (const auto* list = value.as_list()) {
    for (const auto& item : *list) out += (out.empty() ? "" : ", ") + shown(item);
    return "[" + out + "]";
  }
  if (const auto* map = value.as_map()) {
    for (const auto& [key, item] : *map) out += (out.empty() ? "" : ", ") + scalar_text(key) + ": " + shown(item);
    return "{" + out + "}";
  }
  return scalar_text(value);
}

TEST(YamlValue, ReadsWhatPeopleWrite) {
  EXPECT_EQ(shown(read("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n    enablePreemptable: false\n")),
            "{actions: enqueue, allocate, tiers: [{plugins: [{name: gang, enablePreemptable: false}]}]}");
  EXPECT_EQ(shown(read("a: |\n  x\n  y\nb: >-\n  one\n  two\n")), "{a: x\ny\n, b: one two}");
  EXPECT_EQ(shown(read("{a: [1, 2], b: {c: d}}")), "{a: [1, 2], b: {c: d}}");
  EXPECT_EQ(shown(read("{\"a\": \"b\", \"c\": [true, null]}")), "{a: b, c: [true, null]}");
  EXPECT_EQ(shown(read("? a\n: b\n")), "{a: b}");
  EXPECT_EQ(shown(read("a:\nb: ~\n")), "{a: null, b: null}");
  EXPECT_EQ(shown(read("- [\n1\n]\n")), "[[1]]");
}

TEST(YamlValue, AnEmptyTextIsNull) {
  for (const std::string_view text : {"", "\n", "# nothing\n", "---\n", "---\n...\n", "~"})
    EXPECT_TRUE(read(text).is_null()) << text;
}

TEST(YamlValue, TypesPlainScalarsOnly) {
  const Value value = read("a: yes\nb: \"yes\"\nc: '1'\nd: 0x1F\ne: !!str 12\nf: !!float 3\ng: !custom 5\nh: |-\n  7\n");
  EXPECT_EQ(*value.find("a")->as_bool(), true);
  EXPECT_EQ(*value.find("b")->as_string(), "yes");
  EXPECT_EQ(*value.find("c")->as_string(), "1");
  EXPECT_EQ(*value.find("d")->as_int(), 31);
  EXPECT_EQ(*value.find("e")->as_string(), "12");
  EXPECT_EQ(*value.find("f")->as_double(), 3.0);
  EXPECT_EQ(*value.find("g")->as_string(), "5");
  EXPECT_EQ(*value.find("h")->as_string(), "7");
}

TEST(YamlValue, TypesKeysLikeValues) {
  const Value value = read("on: 1\n8080: 2\n\"off\": 3\n");
  EXPECT_EQ(value.find("on"), nullptr);
  EXPECT_EQ(*value.as_map()->at(0).first.as_bool(), true);
  EXPECT_EQ(*value.as_map()->at(1).first.as_int(), 8080);
  EXPECT_EQ(*value.find("off")->as_int(), 3);
}

TEST(YamlValue, RemembersLinesAndColumns) {
  const Value value = read("a: 1\nb:\n  - x\n  - {c: ä, d: e}\n");
  EXPECT_EQ(value.find("a")->line(), 1u);
  EXPECT_EQ(value.find("a")->column(), 4u);
  const auto& list = *value.find("b")->as_list();
  EXPECT_EQ(list[0].line(), 3u);
  EXPECT_EQ(list[0].column(), 5u);
  EXPECT_EQ(list[1].find("d")->line(), 4u);
  EXPECT_EQ(list[1].find("d")->column(), 15u);
}

TEST(YamlValue, KnowsTheColumnsWithinATextThatIsWrittenAsItReads) {
  const auto column = [](std::string_view yaml, std::size_t byte) { return read(yaml).find("a")->column_of(byte); };
  EXPECT_EQ(column("a: one, two\n", 5), 9u);
  EXPECT_EQ(column("a: \"one, two\"\n", 5), 10u);
  EXPECT_EQ(column("a: 'é, two'\n", 4), 8u);          // columns count characters
  EXPECT_EQ(column("a: \"one,\\x20two\"\n", 5), 5u);  // escapes: the place of the whole
  EXPECT_EQ(column("a: |\n  one, two\n", 5), read("a: |\n  one, two\n").find("a")->column());
  EXPECT_EQ(column("a: one,\n  two\n", 5), 4u);
}

TEST(YamlValue, ExpandsAliasesAndMergeKeys) {
  EXPECT_EQ(shown(read("a: &x [1, 2]\nb: *x\n")), "{a: [1, 2], b: [1, 2]}");
  EXPECT_EQ(shown(read("base: &b {x: 1, z: 2}\nc:\n  <<: *b\n  z: 3\n")), "{base: {x: 1, z: 2}, c: {z: 3, x: 1}}");
  EXPECT_EQ(shown(read("c:\n  <<: [{x: 1}, {x: 2, w: 2}]\n  z: 3\n")), "{c: {z: 3, x: 1, w: 2}}");
  EXPECT_EQ(shown(read("a: &x 1\nb: &x 2\nc: *x\n")), "{a: 1, b: 2, c: 2}");
  EXPECT_EQ(shown(read("\"<<\": {a: 1}\n")), "{<<: {a: 1}}");
}

TEST(YamlValue, NamesLineAndColumnOfWhatIsWrong) {
  struct Row {
    std::string_view text;
    std::string_view error;
  };
  const std::string far_along = "a: \"" + std::string(300, 'a') + "\\q" + std::string(200, 'a');
  const Row rows[] = {
      {"a: 1\na: 2\n", "f.yaml:2:1: the key \"a\" appears twice, first on line 1"},
      {"x:\n  1: a\n  \"1\": b\n", "f.yaml:3:4: the key \"1\" appears twice, first on line 2"},
      {"a: *nothing\n", "f.yaml:1:5: the alias *nothing names nothing"},
      {"a: &x\n  b: *x\n", "f.yaml:2:7: the alias *x stands inside what it names"},
      {"a: 1\n---\nb: 2\n", "f.yaml:3:1: a second document, where one is expected"},
      {"a: !!int x\n", "f.yaml:1:10: \"x\" is not what its tag !!int says"},
      {"%\x80", "f.yaml:1:2: is not UTF-8"},
      {"? [a]\n: b\n", "f.yaml:1:3: a key must be a scalar"},
      {"<<: 5\n", "f.yaml:1:5: a merge key takes a map or a list of maps"},
      {"<<: [5]\n", "f.yaml:1:6: a merge key takes maps only"},
      {"a: @x\n", "f.yaml:1:4: plain scalar cannot start with '@'"},
      {"a: b: c\n", "f.yaml:1:5: invalid nested block mapping on the same line"},
      {"a: 1\nb: \"x\n", "f.yaml:2:5: double-quoted scalar without closing quote"},
      // Far along a line, where the library's own way of showing the place went past it.
      {far_along, "f.yaml:1:305: invalid escape 'q' in double-quoted string"},
      {"a: [1, 2\n", "f.yaml:2:1: flow sequence without a closing bracket"},
      {"a: 1\n\tb: 2\n", "f.yaml:1:4: invalid multiline plain key"},
  };
  for (const auto& [text, error] : rows) EXPECT_EQ(error_of(text), error) << text;
}

TEST(YamlValue, ABombIsRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j == 0 ? "" : ", ") + last;
    text += "]\n";
  }
  EXPECT_NE(error_of(text).find("the aliases expand to too much"), std::string::npos);

  std::string fat = "a: &a \"" + std::string(1 << 20, 'x') + "\"\nb:\n";
  for (int i = 0; i < 1000; ++i) fat += "- *a\n";
  EXPECT_NE(error_of(fat).find("the aliases expand to too much"), std::string::npos);

  std::string merges = "a: &a {x: 1}\nb:\n  <<: [";
  for (int i = 0; i < 100'000; ++i) merges += "*a,";
  EXPECT_EQ(error_of(merges + "]\n"), "no error");
}

TEST(YamlValue, DeepNestingIsRefused) {
  std::string block;
  for (int i = 0; i < 5000; ++i) block += "- ";
  EXPECT_EQ(error_of(block + "x"), "f.yaml:1:401: nested deeper than 200 levels");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "f.yaml:1:201: nested deeper than 200 levels");
  const auto nested = [](const std::string& inside) { return std::string(120, '[') + inside + std::string(120, ']'); };
  EXPECT_EQ(error_of("a: &a " + nested("x") + "\nb: " + nested("*a") + "\n"), "f.yaml:2:125: nested deeper than 200 levels");
  EXPECT_EQ(error_of(std::string(199, '[') + "x" + std::string(199, ']')), "no error");
}

TEST(YamlValue, ManyKeysAreNoProblem) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "key" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  EXPECT_EQ(read(text).as_map()->size(), 50'000u);
}

TEST(YamlValue, TabsBelowExplicitKeysNeverReachTheLibrary) {
  for (const std::string text :
       {"? 1:\t:", "?\n  - b:\t: c", "x:\n  ? a:\t- b", "? ? a: \t? b", "[? 1:\t:]", "\xEF\xBB\xBF? 1:\t:"})
    EXPECT_NE(error_of(text).find("has a tab before an indicator"), std::string::npos) << text;
  EXPECT_EQ(error_of("a: b\n? 1:\t:\n"),
            "f.yaml:2:5: has a tab before an indicator, in a text with explicit keys (\"? \"): write spaces");
  for (const std::string text : {"a:\t- b", "? a\n: b", "a: |\n  x\t- y\n", "a: why?\t- b"})
    EXPECT_EQ(error_of(text).find("has a tab"), std::string::npos) << text;
}

// What reads files refuses them before; whoever hands a text over is told here.
TEST(YamlValue, ControlCharactersAreRefused) { EXPECT_EQ(error_of("a: b\nc: \x04"), "f.yaml:2:4: has a control character"); }

}  // namespace
}  // namespace muster
