#include "policy/volcano/argument_check.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace muster::volcano {
namespace {

// What is found when a plugin gets this one argument, severity first.
std::vector<std::string> findings(std::string_view plugin, std::string argument, Value value) {
  Reporter reporter("", Strictness::kExact);
  const Value::Map written = {{Value(std::move(argument)), std::move(value)}};
  check_arguments(written, find_plugin(plugin)->arguments, "it", reporter);
  std::vector<std::string> result;
  for (const Diagnostic& one : reporter.take()) {
    result.push_back((one.severity == Severity::kError ? "error: " : "warning: ") + one.text());
  }
  return result;
}

using Findings = std::vector<std::string>;

TEST(ArgumentCheckTest, TimeRanges) {
  for (const char* range : {"22:00-23:30", "0:00-23:59", " 9:05-10:00 ", "22:00-06:00"}) {
    EXPECT_EQ(findings("tdm", "tdm.revocable-zone.z", Value(std::string(range))), Findings()) << range;
  }
  for (const char* range : {"", " ", "22:00", "22:00-", "24:00-25:00", "1:5-2:00", "1:60-2:00", "a:00-b:00", ":00-1:00",
                            "001:00-2:00", "1:00-2:00-3:00", "1:000-2:00"}) {
    EXPECT_EQ(findings("tdm", "tdm.revocable-zone.z", Value(std::string(range))),
              Findings({"warning: argument \"tdm.revocable-zone.z\" of it must be a time range such as \"22:00-23:30\", not \"" +
                        std::string(range) + "\""}));
  }
}

TEST(ArgumentCheckTest, WhatTheOriginalDiesOfIsAnError) {
  const Value number(std::int64_t{5});
  EXPECT_EQ(findings("tdm", "tdm.evict.period", number),
            Findings({"error: argument \"tdm.evict.period\" of it must be a duration such as \"1m30s\", not an integer"}));
  EXPECT_EQ(findings("rescheduling", "interval", Value()),
            Findings({"error: argument \"interval\" of it must be a duration such as \"1m30s\", not null"}));
  EXPECT_EQ(findings("extender", "extender.managedResources", Value(Value::List{number})),
            Findings({"error: argument \"extender.managedResources[0]\" of it must be a string, not an integer"}));
}

TEST(ArgumentCheckTest, NullIsFineWhereTheOriginalDecodes) {
  EXPECT_EQ(findings("resource-strategy-fit", "sra", Value()), Findings());
  EXPECT_EQ(findings("extender", "extender.managedResources", Value()), Findings());
  EXPECT_EQ(findings("binpack", "binpack.cpu", Value()),
            Findings({"warning: argument \"binpack.cpu\" of it must be an integer, not null"}));
}

// A threshold that is no integer crashes the original; one with an unknown name is ignored.
TEST(ArgumentCheckTest, StructuresAreCheckedToTheBottom) {
  const auto text = [](const char* content) { return Value(std::string(content)); };
  const Value thresholds(Value::Map{{text("cpu"), Value(80.5)}, {text("cpus"), Value(std::int64_t{1})}});
  const Value strategy(Value::Map{{text("name"), text("lowNodeUtilisation")},
                                  {text("params"), Value(Value::Map{{text("thresholds"), thresholds}})}});
  EXPECT_EQ(
      findings("rescheduling", "strategies", Value(Value::List{strategy})),
      Findings({
          "warning: argument \"strategies[0].name\" of it must be \"lowNodeUtilization\", not \"lowNodeUtilisation\"; did you mean "
          "\"lowNodeUtilization\"?",
          "error: argument \"strategies[0].params.thresholds.cpu\" of it must be an integer, not a number",
          "warning: unknown argument \"strategies[0].params.thresholds.cpus\" of it; did you mean \"cpu\"?",
      }));
}

}  // namespace
}  // namespace muster::volcano
