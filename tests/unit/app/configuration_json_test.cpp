#include "app/configuration_json.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace muster {
namespace {

const ConfigurationKey* find_key(const std::vector<ConfigurationSection>& sections, const std::string& section,
                                 const std::string& key) {
  for (const auto& one : sections)
    if (one.name == section)
      for (const auto& row : one.keys)
        if (row.key == key) return &row;
  return nullptr;
}

TEST(ConfigurationJson, WhatIsWrittenAndWhatIsNot) {
  const auto sections = volcano_sections(
      "actions: \"allocate, backfill\"\ntiers:\n- plugins:\n  - name: gang\n    enablePreemptable: false\n"
      "- plugins:\n  - name: binpack\n    arguments:\n      binpack.weight: 10\n      binpack.resources: nvidia.com/gpu\n",
      "conf");
  std::vector<std::string> names;
  for (const auto& section : sections) names.push_back(section.name);
  EXPECT_EQ(names, (std::vector<std::string>{"actions", "allocate", "backfill", "gang", "binpack"}));
  EXPECT_EQ(find_key(sections, "actions", "actions")->value, "allocate, backfill");
  EXPECT_EQ(find_key(sections, "actions", "actions")->usual, "enqueue, allocate, backfill");
  const auto* weight = find_key(sections, "binpack", "binpack.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->value, "10");
  EXPECT_EQ(weight->usual, "1");
  EXPECT_TRUE(weight->is_written);
  EXPECT_FALSE(weight->meaning.empty());
  const auto* cpu = find_key(sections, "binpack", "binpack.cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_FALSE(cpu->is_written);
  EXPECT_EQ(cpu->value, cpu->usual);
  const auto* hook = find_key(sections, "gang", "enablePreemptable");
  ASSERT_NE(hook, nullptr);
  EXPECT_EQ(hook->value, "false");
  EXPECT_NE(sections.back().meaning.find("in tier 2"), std::string::npos);
}

TEST(ConfigurationJson, KaisToo) {
  const auto sections = kai_sections(
      "actions: \"allocate, reclaim\"\ntiers:\n- plugins:\n  - name: nodeplacement\n    arguments:\n      cpu: spread\n"
      "queueDepthPerAction:\n  allocate: 3\n",
      "conf");
  EXPECT_EQ(find_key(sections, "actions", "actions")->value, "allocate, reclaim");
  EXPECT_EQ(find_key(sections, "allocate", "queueDepthPerAction.allocate")->value, "3");
  EXPECT_EQ(find_key(sections, "reclaim", "queueDepthPerAction.reclaim")->value, "all");
  const auto* cpu = find_key(sections, "nodeplacement", "cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_EQ(cpu->value, "spread");
  EXPECT_TRUE(cpu->is_written);
  const auto* gpu = find_key(sections, "nodeplacement", "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_FALSE(gpu->is_written);
}

TEST(ConfigurationJson, WithoutAFileTheDefaultIsInForce) {
  for (const auto dialect : {Dialect::kVolcano, Dialect::kKai}) {
    const auto json = configuration_json(dialect, "", "");
    EXPECT_EQ(json.rfind(R"({"source":"built in","text":"","sections":[{"name":"actions",)", 0), 0u) << json.substr(0, 200);
    EXPECT_EQ(json.find(R"("from":"file")"), std::string::npos) << json;
  }
}

TEST(ConfigurationJson, FlagsAreTheLastSection) {
  const auto json = configuration_json(
      Dialect::kVolcano, "", "", {{.key = "audit-rate", .value = "5", .usual = "20", .is_written = true, .meaning = "how often"}});
  EXPECT_TRUE(json.ends_with(R"("keys":[{"key":"audit-rate","value":"5","default":"20","from":"flag","meaning":"how often"}]}]})"))
      << json;
}

}  // namespace
}  // namespace muster
