#include "codec/case_reader.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::string_view kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})";

Input input_of(std::string_view text) {
  auto input = Input::of_text(text, "cases.jsonl");
  EXPECT_TRUE(input);
  return std::move(*input);
}

struct Reading {
  std::vector<std::string> ids;  // of good and of bad lines
  std::vector<std::string> errors;
  std::vector<Case> cases;
  std::vector<std::string> objects;
};

Reading read(std::string_view text) {
  Reading reading;
  const Input input = input_of(text);
  CaseReader reader(input);
  while (const auto line = reader.next()) {
    reading.ids.push_back(reader.id_of(*line));
    auto scenario = reader.read(*line, [&](Object&& object, const Location& where) -> Result<void> {
      reading.objects.push_back(object_name(object) + " at " + std::to_string(where.line) + ":" + std::to_string(where.column));
      return {};
    });
    if (scenario)
      reading.cases.push_back(std::move(*scenario));
    else
      reading.errors.push_back(scenario.error().text());
  }
  return reading;
}

using Strings = std::vector<std::string>;

TEST(CaseReader, ReadsACase) {
  const auto reading =
      read(R"({"id":"volcano/x/001","dialect":"volcano","now":"2026-01-01T00:00:00Z","config":"actions: \"a\"\n",
    "flags":{"scheduler-name":"v","leader-elect":false,"period":5},"objects":[)"
           R"({"apiVersion":"apps/v1","kind":"Deployment"},{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}],)"
           R"("cycles":3,"between":"bind","expect":{"binds":{}},"runs":24,"unknown":[1]})");
  // The line break inside makes two lines of it: neither is a case.
  EXPECT_EQ(reading.errors.size(), 2u);

  const auto whole =
      read(R"({"id":"volcano/x/001","dialect":"volcano","now":"2026-01-01T00:00:00Z","config":"actions: \"a\"\n",)"
           R"("flags":{"scheduler-name":"v","leader-elect":false,"period":5},"objects":[)"
           R"({"apiVersion":"apps/v1","kind":"Deployment"},{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}],)"
           R"("cycles":3,"between":"bind","expect":{"binds":{}},"runs":24,"unknown":[1]})");
  ASSERT_EQ(whole.errors, Strings{});
  const Case& c = whole.cases.at(0);
  EXPECT_EQ(c.id, "volcano/x/001");
  EXPECT_EQ(c.dialect, "volcano");
  EXPECT_EQ(c.now.seconds, 1'767'225'600);
  EXPECT_EQ(c.config, "actions: \"a\"\n");
  EXPECT_EQ(c.flags, (std::map<std::string, std::string>{{"leader-elect", "false"}, {"period", "5"}, {"scheduler-name", "v"}}));
  EXPECT_EQ(c.cycles, 3);
  EXPECT_EQ(c.between, "bind");
  EXPECT_EQ(c.stats.objects, 1u);
  EXPECT_EQ(c.stats.skipped.at("apps/v1 Deployment"), 1u);
}

TEST(CaseReader, HasDefaults) {
  const auto reading = read(R"({"objects":[],"now":"2026-01-01T00:00:00Z","dialect":"kai","id":"x"})");
  ASSERT_EQ(reading.errors, Strings{});
  EXPECT_EQ(reading.cases.at(0).cycles, 1);
  EXPECT_EQ(reading.cases.at(0).between, "none");
  EXPECT_EQ(reading.cases.at(0).config, "");
  EXPECT_TRUE(reading.cases.at(0).flags.empty());
}

TEST(CaseReader, GoesOnAfterABadLine) {
  const std::string good = R"(,"dialect":"volcano","now":"2026-01-01T00:00:00Z","objects":[)" + std::string(kNode) + "]}";
  const auto reading =
      read("{\"id\":\"a\"" + good + "\n\n  \n{\"id\":\"b\",\"dialect\":5}\n{\"id\":\"c\"" + good + "\r\n{\"id\":\"d\"");
  EXPECT_EQ(reading.ids, (Strings{"a", "b", "c", "d"}));
  ASSERT_EQ(reading.cases.size(), 2u);
  EXPECT_EQ(reading.objects, (Strings{"Node n1 at 1:71", "Node n1 at 5:71"}));
  EXPECT_EQ(reading.errors, (Strings{"cases.jsonl:4:21: dialect: must be a string, not a number",
                                     "cases.jsonl:6:10: the text ends where ',' or '}' is expected"}));
}

TEST(CaseReader, NamesWhatIsWrong) {
  struct Row {
    std::string_view line;
    std::string_view id;
    std::string_view error;
  };
  const Row rows[] = {
      {"[]", "", "1:1: a case must be an object"},
      {"{} {}", "", "1:4: a line holds one case only"},
      {R"({"x":1,"id":"a\u0062"})", "ab", "1:1: dialect: is required"},
      {R"({"dialect":"v"})", "", "1:1: id: is required"},
      {R"({"id":"a","dialect":"v"})", "a", "1:1: now: is required"},
      {R"({"id":"a","dialect":"v","now":"2026-01-01T00:00:00Z"})", "a", "1:1: objects: is required"},
      {R"({"id":"a","now":"noon"})", "a", "1:17: now: \"noon\" is not a time like 2026-01-31T23:59:59Z"},
      {R"({"id":"a","cycles":-1})", "a", "1:20: cycles: must be between 0 and 1000000"},
      {R"({"id":"a","cycles":"2"})", "a", "1:20: cycles: must be an integer, not a string"},
      {R"({"id":"a","flags":{"x":[]}})", "a", "1:24: flags.x: must be a string, a number or a boolean, not a list"},
      {R"({"id":"a","objects":{}})", "a", "1:21: objects: must be a list, not an object"},
      {R"({"id":"a","objects":[{}]})", "a", "1:22: objects[0]: has no kind, so it is not a Kubernetes object"},
      {R"({"id":"a","objects":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"priority":""}}]})", "a",
       "1:97: Pod p: spec.priority: must be an integer, not a string"},
      {R"({"id":"a","objects":[{"broken"]})", "a", "1:31: ']' where ':' is expected"},
      {R"({"objects":[{"broken"],"id":"a"})", "", "1:22: ']' where ':' is expected"},
      {R"({"id":5})", "", "1:7: id: must be a string, not a number"},
  };
  for (const auto& [line, id, error] : rows) {
    const auto reading = read(line);
    EXPECT_EQ(reading.ids, Strings{std::string(id)}) << line;
    EXPECT_EQ(reading.errors, Strings{"cases.jsonl:" + std::string(error)}) << line;
  }
}

TEST(CaseReader, AnEmptyFileHasNoCases) {
  EXPECT_EQ(read("").ids, Strings{});
  EXPECT_EQ(read("\n \n").ids, Strings{});
}

}  // namespace
}  // namespace muster
