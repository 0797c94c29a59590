#include "app/usage_file.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr Timestamp kNow{1'767'225'600, 0};

std::string error_of(const std::string& text) {
  const auto read = read_usage_text(text, "u.yaml", kNow);
  return read ? "" : read.error().text();
}

TEST(UsageFile, ReadsPercentagesForEveryPeriodOrByPeriod) {
  const auto read = read_usage_text(
      "nodes:\n"
      "  n1: {cpu: 62.5, memory: 41}\n"
      "  n2:\n"
      "    cpu: {5m: 70, 10m: 60.5}\n"
      "    memory: 30\n"
      "    measured: 2025-12-31T23:59:00Z\n",
      "u.yaml", kNow);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2u);
  const auto& first = read->at(0).usage;
  EXPECT_EQ(read->at(0).name, "n1");
  EXPECT_EQ(first.over("10m").cpu_percent, 62.5);
  EXPECT_EQ(first.over("1h").memory_percent, 41);
  EXPECT_EQ(first.at, kNow);
  const auto& second = read->at(1).usage;
  EXPECT_EQ(second.over("5m").cpu_percent, 70);
  EXPECT_EQ(second.over("10m").cpu_percent, 60.5);
  EXPECT_EQ(second.over("10m").memory_percent, 30);
  EXPECT_EQ(second.over("1h").cpu_percent, 0);  // never measured over an hour
  EXPECT_EQ(second.at.seconds, kNow.seconds - 60);
}

TEST(UsageFile, ReadsJsonAndOneTimeForAll) {
  const auto read = read_usage_text(R"({"measured":"2026-01-01T00:00:30Z","nodes":{"n1":{"cpu":1,"memory":2}}})", "u.json", kNow);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->at(0).usage.at.seconds, kNow.seconds + 30);
}

TEST(UsageFile, RefusesWhatItDoesNotUnderstandWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "u.yaml:1:1: must be a map with the key nodes"},
      {"measured: 2026-01-01T00:00:00Z\n", "u.yaml:1:1: has no nodes"},
      {"node: {}\n", "u.yaml:1:1: unknown key \"node\"; did you mean \"nodes\"?"},
      {"nodes: [n1]\n", "u.yaml:1:8: nodes: must be a map of node names"},
      {"nodes:\n  n1: 7\n", "u.yaml:2:7: node n1: must be a map with the keys cpu and memory"},
      {"nodes:\n  n1: {cpu: 7}\n", "u.yaml:2:7: node n1: memory: is required"},
      {"nodes:\n  n1: {cpu: 7, mem: 8}\n", "u.yaml:2:16: node n1: unknown key \"mem\""},
      {"nodes:\n  n1: {cpu: 107, memory: 8}\n", "u.yaml:2:13: node n1: cpu: must be between 0 and 100, not 107"},
      {"nodes:\n  n1: {cpu: .nan, memory: 8}\n", "u.yaml:2:13: node n1: cpu: must be between 0 and 100, not nan"},
      {"nodes:\n  n1: {cpu: high, memory: 8}\n", "u.yaml:2:13: node n1: cpu: must be a number of percent, not a string"},
      {"nodes:\n  n1: {cpu: {10: 5}, memory: 8}\n", "u.yaml:2:14: node n1: cpu: \"10\" is no period such as 10m"},
      {"nodes:\n  n1: {cpu: {10m: -5}, memory: 8}\n", "u.yaml:2:19: node n1: cpu.10m: must be between 0 and 100, not -5"},
      {"measured: noon\nnodes: {}\n", "u.yaml:1:11: measured: "},
  };
  for (const auto& [text, error] : cases) EXPECT_TRUE(error_of(text).starts_with(error)) << text << ": " << error_of(text);
}

TEST(UsageFile, SaysWhatHasNoEffect) {
  volcano::Cluster cluster;
  std::vector<std::string> notes;
  const auto read = read_usage_text("nodes: {gone: {cpu: 1, memory: 2, measured: 2025-12-31T00:00:00Z}}", "u.yaml", kNow);
  ASSERT_TRUE(read) << read.error().text();
  apply_usage(cluster, *read, kNow, notes);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "usage of gone is passed over: no such node is in the input");
  EXPECT_EQ(notes[1], "usage of gone is more than 5 minutes old at the time of the cycles and does not count");
}

}  // namespace
}  // namespace muster
