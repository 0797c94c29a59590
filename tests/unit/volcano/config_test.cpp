#include "policy/volcano/config.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "codec/yaml_value.h"

namespace muster::volcano {
namespace {

ConfigReading inspect(const std::string& yaml, Strictness strictness) {
  const auto document = read_yaml_value(yaml, "test.conf");
  MUSTER_ASSERT(document.has_value());
  return inspect_config(*document, "test.conf", strictness);
}

ConfigReading exact(const std::string& yaml) { return inspect(yaml, Strictness::kExact); }
ConfigReading strict(const std::string& yaml) { return inspect(yaml, Strictness::kStrict); }

using Lines = std::vector<std::string>;

// Every diagnostic as one line: "error: …" or "warning: …".
Lines positioned_lines(const ConfigReading& reading) {
  Lines result;
  for (const Diagnostic& one : reading.diagnostics) {
    result.push_back((one.severity == Severity::kError ? "error: " : "warning: ") + one.text());
  }
  return result;
}

// The same without positions, for what is said rather than where.
Lines lines(ConfigReading reading) {
  for (Diagnostic& one : reading.diagnostics) one.location = {};
  return positioned_lines(reading);
}

// A configuration whose only plugin gets these arguments.
std::string with_gang(const std::string& yaml) { return yaml + "\ntiers:\n- plugins:\n  - name: gang\n"; }

std::string with_arguments(const std::string& plugin, const std::string& arguments) {
  return "actions: allocate\ntiers:\n- plugins:\n  - name: " + plugin + "\n    arguments:\n      " + arguments + "\n";
}

std::vector<std::string> plugins_of(const Tier& tier) {
  std::vector<std::string> names;
  for (const PluginOption& option : tier.plugins) names.push_back(option.name);
  return names;
}

// ---- defaults ----

TEST(ConfigTest, TheDefault) {
  const Config& config = default_config();
  EXPECT_EQ(config.actions, Lines({"enqueue", "allocate", "backfill"}));
  ASSERT_EQ(config.tiers.size(), 2u);
  EXPECT_EQ(plugins_of(config.tiers[0]), Lines({"priority", "gang", "conformance"}));
  EXPECT_EQ(plugins_of(config.tiers[1]), Lines({"overcommit", "drf", "predicates", "proportion", "nodeorder"}));
  EXPECT_TRUE(config.configurations.empty());
  EXPECT_TRUE(config.metrics.empty());
  EXPECT_TRUE(config.action_arguments("allocate").empty());
}

TEST(ConfigTest, EverySwitchIsOnByDefaultButTwo) {
  const PluginOption option("gang");
  for (const HookSetting& row : hook_settings()) {
    const bool off = row.hook == Hook::kHierarchy || row.hook == Hook::kClusterOrder;
    EXPECT_EQ(option.enabled(row.hook), !off) << row.key;
  }
}

// ---- what a good file yields ----

TEST(ConfigTest, ReadsEverything) {
  const ConfigReading reading = strict(R"(
actions: "enqueue,  allocate , backfill"
tiers:
- plugins:
  - name: gang
    enablePreemptable: false
    enabledClusterOrder: yes
  - name: priority
- plugins:
  - name: binpack
    arguments:
      binpack.weight: 10
      binpack.resources: nvidia.com/gpu
      binpack.resources.nvidia.com/gpu: 5
configurations:
- name: allocate
  arguments: {predicateErrorCacheEnable: false}
- name: allocate
  arguments: {predicateErrorCacheEnable: true}
metrics:
  type: prometheus
  interval: 45s
  tls.insecureSkipVerify: true
)");
  EXPECT_EQ(lines(reading), Lines());
  const Config& config = reading.config;
  EXPECT_EQ(config.actions, Lines({"enqueue", "allocate", "backfill"}));
  EXPECT_TRUE(config.has_action("backfill"));
  EXPECT_FALSE(config.has_action("preempt"));
  ASSERT_EQ(config.tiers.size(), 2u);
  EXPECT_EQ(plugins_of(config.tiers[0]), Lines({"gang", "priority"}));
  const PluginOption& gang = config.tiers[0].plugins[0];
  EXPECT_FALSE(gang.enabled(Hook::kPreemptable));
  EXPECT_TRUE(gang.enabled(Hook::kClusterOrder));
  EXPECT_TRUE(gang.enabled(Hook::kJobOrder));
  EXPECT_EQ(gang.location, (Location{"test.conf", 5, 11}));
  EXPECT_EQ(config.tiers[1].plugins[0].arguments.get_int("binpack.resources.nvidia.com/gpu", 1), 5);
  EXPECT_FALSE(config.action_arguments("allocate").get_bool("predicateErrorCacheEnable", true)) << "the first entry wins";
  EXPECT_EQ(config.metrics.at("interval"), "45s");
  EXPECT_EQ(config.metrics.at("tls.insecureSkipVerify"), "true");
}

TEST(ConfigTest, TheConfigurationOfTheInstallerIsFlawless) {
  const ConfigReading reading = strict(R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
)");
  EXPECT_EQ(lines(reading), Lines());
  EXPECT_EQ(plugins_of(reading.config.tiers[1]), Lines({"overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack"}));
}

TEST(ConfigTest, NullStandsForAbsent) {
  const ConfigReading reading = strict(
      "actions: allocate\ntiers:\n- ~\n- plugins:\n- plugins:\n  - name: gang\n    enableJobOrder: ~\n    arguments:\n"
      "configurations: ~\nmetrics:\n  type:\n");
  EXPECT_EQ(lines(reading), Lines());
  ASSERT_EQ(reading.config.tiers.size(), 3u);
  EXPECT_TRUE(reading.config.tiers[0].plugins.empty());
  EXPECT_TRUE(reading.config.tiers[2].plugins[0].enabled(Hook::kJobOrder));
  EXPECT_EQ(reading.config.metrics.at("type"), "");
}

TEST(ConfigTest, HierarchyIsThatOfTheFirstListing) {
  const ConfigReading reading = exact(
      "actions: allocate\ntiers:\n- plugins:\n  - name: drf\n- plugins:\n  - name: drf\n    enableHierarchy: true\n"
      "  - name: nodegroup\n    enableHierarchy: true\n");
  EXPECT_FALSE(reading.config.hierarchy_enabled("drf"));
  EXPECT_TRUE(reading.config.hierarchy_enabled("nodegroup"));
  EXPECT_FALSE(reading.config.hierarchy_enabled("capacity"));
  EXPECT_EQ(lines(reading),
            Lines({"warning: plugin \"drf\" is listed again: it is asked once per listing, and set up by the last"}));
}

// ---- what rejects a file, however it is read ----

TEST(ConfigTest, Rejections) {
  struct Case {
    const char* yaml;
    const char* diagnostic;
  };
  const std::vector<Case> cases = {
      {"tiers: []", "no actions are given"},
      {"actions:", "no actions are given"},
      {"just a text", "the configuration must be a map, not a string"},
      {"actions: alocate", "unknown action \"alocate\"; did you mean \"allocate\"?"},
      {"actions: frobnicate", "unknown action \"frobnicate\""},
      {"actions: 'allocate, '", "an action has no name: is there a comma too many?"},
      {"actions: ''", "an action has no name: is there a comma too many?"},
      {"actions: 5", "unknown action \"5\""},
      {"actions: allocate, Backfill", "unknown action \"Backfill\"; did you mean \"backfill\"?"},
      {"actions: [allocate]", "\"actions\" must be a string of names separated by commas, not a list"},
      {"actions: allocate\ntiers: 5", "\"tiers\" must be a list, not an integer"},
      {"actions: allocate\ntiers:\n- gang", "a tier must be a map, not a string"},
      {"actions: allocate\ntiers:\n- plugins: gang", "\"plugins\" must be a list, not a string"},
      {"actions: allocate\ntiers:\n- plugins:\n  - gang", "a plugin must be a map, not a string"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enableJobOrder: 'true'",
       "\"enableJobOrder\" must be true or false, not a string"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    arguments: 5",
       "the arguments of plugin \"gang\" must be a map, not an integer"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n  - name: proportion",
       "drf with enableHierarchy and proportion exclude each other within a tier"},
      {"actions: allocate\nmetrics: prometheus", "\"metrics\" must be a map, not a string"},
      {"actions: allocate\nmetrics:\n  type: [a]", "metrics \"type\" must be a string, not a list"},
      {"actions: allocate\nconfigurations: {name: allocate}", "\"configurations\" must be a list, not a map"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.yaml);
    for (const Strictness strictness : {Strictness::kExact, Strictness::kStrict}) {
      const ConfigReading reading = inspect(test.yaml, strictness);
      ASSERT_FALSE(reading.diagnostics.empty());
      EXPECT_TRUE(reading.has_errors());
      EXPECT_EQ(lines(reading)[0], std::string("error: ") + test.diagnostic);
    }
  }
}

TEST(ConfigTest, DrfAndProportionInDifferentTiersAreFine) {
  const ConfigReading reading =
      strict("actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n- plugins:\n  - name: proportion\n");
  EXPECT_EQ(lines(reading), Lines());
}

// ---- what the original gets by with ----

TEST(ConfigTest, WhatIsIgnoredIsAWarningOrAnError) {
  struct Case {
    std::string yaml;
    const char* diagnostic;
  };
  const std::vector<Case> cases = {
      {"actions: allocate\ntiers:\n- plugins:\n  - name: ganng", "unknown plugin \"ganng\"; did you mean \"gang\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: numaaware", "unknown plugin \"numaaware\"; did you mean \"numa-aware\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - enableJobOrder: true", "a plugin has no name"},
      {with_gang("actions: allocate\ntier: []"), "unknown key \"tier\"; did you mean \"tiers\"?"},
      {with_gang("actions: allocate\n17: []"), "unknown key \"17\""},
      {"actions: allocate\ntiers:\n- plugin: []", "unknown key \"plugin\" of a tier; did you mean \"plugins\"?"},
      {"actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enabledJobOrder: true",
       "unknown key \"enabledJobOrder\" of a plugin; did you mean \"enableJobOrder\"?"},
      {with_gang("actions: allocate\nconfigurations:\n- name: alocate"),
       "arguments for the unknown action \"alocate\"; did you mean \"allocate\"?"},
      {with_gang("actions: allocate\nconfigurations:\n- name: allocate\n  arguments: {predicateErrorCacheEnable: maybe}"),
       "argument \"predicateErrorCacheEnable\" of action \"allocate\" must be a boolean, not a string"},
      {with_gang("actions: allocate, preempt\nconfigurations:\n- name: preempt\n  arguments: {minCandidateNodesPercentage: 101}"),
       "argument \"minCandidateNodesPercentage\" of action \"preempt\" must be at most 100, not 101"},
      {with_gang("actions: allocate\nmetrics:\n  typ: prometheus"), "unknown key \"typ\" of \"metrics\"; did you mean \"type\"?"},
      {with_gang("actions: allocate\nmetrics:\n  type: prometeus"),
       "argument \"type\" of \"metrics\" must be \"elasticsearch\" or \"prometheus\" or \"prometheus_adaptor\", not \"prometeus\"; "
       "did you mean \"prometheus\"?"},
      {with_gang("actions: allocate\nmetrics:\n  interval: 30"),
       "argument \"interval\" of \"metrics\" must be a duration such as \"1m30s\", not \"30\""},
      {with_arguments("binpack", "binpack.weigth: 1"),
       "unknown argument \"binpack.weigth\" of plugin \"binpack\"; did you mean \"binpack.weight\"?"},
      {with_arguments("binpack", "binpack.resource.nvidia.com/gpu: 1"),
       "unknown argument \"binpack.resource.nvidia.com/gpu\" of plugin \"binpack\"; "
       "did you mean \"binpack.resources.nvidia.com/gpu\"?"},
      {with_arguments("binpack", "binpack.weight: '10'"),
       "argument \"binpack.weight\" of plugin \"binpack\" must be an integer, not a string"},
      {with_arguments("binpack", "binpack.weight: 1.0"),
       "argument \"binpack.weight\" of plugin \"binpack\" must be an integer, not a number"},
      {with_arguments("binpack", "binpack.cpu: -1"), "argument \"binpack.cpu\" of plugin \"binpack\" must be at least 0, not -1"},
      {with_arguments("gang", "weight: 1"), "unknown argument \"weight\" of plugin \"gang\""},
      {with_arguments("overcommit", "overcommit-factor: 0.5"),
       "argument \"overcommit-factor\" of plugin \"overcommit\" must be at least 1, not 0.5"},
      {with_arguments("overcommit", "overcommit-factor: .nan"),
       "argument \"overcommit-factor\" of plugin \"overcommit\" must be at least 1, not nan"},
      {with_arguments("sla", "sla-waiting-time: 60"),
       "argument \"sla-waiting-time\" of plugin \"sla\" must be a duration such as \"1m30s\", not an integer"},
      {with_arguments("sla", "sla-waiting-time: soon"),
       "argument \"sla-waiting-time\" of plugin \"sla\" must be a duration such as \"1m30s\", not \"soon\""},
      {with_arguments("sla", "sla-waiting-time: 0s"),
       "argument \"sla-waiting-time\" of plugin \"sla\" must be longer than 0s, not \"0s\""},
      {with_arguments("usage", "thresholds: {cpu: 101}"),
       "argument \"thresholds.cpu\" of plugin \"usage\" must be at most 100, not 101"},
      {with_arguments("usage", "thresholds: {memory: 50}"), "unknown argument \"thresholds.memory\" of plugin \"usage\""},
      {with_arguments("usage", "thresholds: {1: 50}"), "an argument name of plugin \"usage\" must be a string, not an integer"},
      {with_arguments("usage", "estimator: {be_cpu: lots}"),
       "argument \"estimator.be_cpu\" of plugin \"usage\" must be a quantity such as \"250m\", not \"lots\""},
      {with_arguments("usage", "estimator: {be_mem: -1Mi}"),
       "argument \"estimator.be_mem\" of plugin \"usage\" must be at least 0, not \"-1Mi\""},
      {with_arguments("resource-strategy-fit", "resourceStrategyFitWeight: 2.5"),
       "argument \"resourceStrategyFitWeight\" of plugin \"resource-strategy-fit\" must be an integer, not a number"},
      {with_arguments("resource-strategy-fit", "resources: {cpu: {type: Least}}"),
       "argument \"resources.cpu.type\" of plugin \"resource-strategy-fit\" must be \"LeastAllocated\" or \"MostAllocated\", not "
       "\"Least\""},
      {with_arguments("resource-strategy-fit", "resources: {'a*b': {weight: 2}}"),
       "unknown argument \"resources.a*b\" of plugin \"resource-strategy-fit\""},
      {with_arguments("predicates", "volumebinding.shape: [{utilization: 0, score: 11}]"),
       "argument \"volumebinding.shape[0].score\" of plugin \"predicates\" must be at most 10, not 11"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.yaml);
    EXPECT_EQ(lines(exact(test.yaml)), Lines({std::string("warning: ") + test.diagnostic}));
    EXPECT_EQ(lines(strict(test.yaml)), Lines({std::string("error: ") + test.diagnostic}));
  }
}

TEST(ConfigTest, WhatIsAllowedAndHardlyMeantIsAWarning) {
  struct Case {
    std::string yaml;
    const char* warning;  // empty: none
  };
  const std::vector<Case> cases = {
      {with_arguments("nodeorder", "leastrequested.weight: -1"),
       "argument \"leastrequested.weight\" of plugin \"nodeorder\" is negative: nodes that it should prefer come last"},
      {with_arguments("numa-aware", "weight: -2"),
       "argument \"weight\" of plugin \"numa-aware\" is negative: nodes that it should prefer come last"},
      {with_arguments("nodeorder", "leastrequested.weight: 0"), ""},
      {with_arguments("deviceshare", "deviceshare.ScheduleWeight: -1"), ""},  // turns it off
      {with_arguments("extender", "extender.urlPrefix: 127.0.0.1:8713"),
       "argument \"extender.urlPrefix\" of plugin \"extender\" is no URL such as \"http://127.0.0.1:8713\", so the extender "
       "cannot be asked: \"127.0.0.1:8713\""},
      {with_arguments("extender", "extender.urlPrefix: 'http://'"),
       "argument \"extender.urlPrefix\" of plugin \"extender\" is no URL such as \"http://127.0.0.1:8713\", so the extender "
       "cannot be asked: \"http://\""},
      {with_arguments("extender", "extender.urlPrefix: 'http://localhost:8713/x'"), ""},
      {with_gang("actions: allocate\nconfigurations:\n- name: preempt\n  arguments: {minCandidateNodesPercentage: 10}"),
       "arguments for the action \"preempt\", which \"actions\" does not list"},
      {"actions: allocate, shuffle\ntiers:\n- plugins:\n  - name: gang",
       "action \"shuffle\" has nobody to send away: no plugin names pods to move, as \"rescheduling\" and \"tdm\" do"},
      {"actions: allocate, shuffle\ntiers:\n- plugins:\n  - name: tdm\n    enabledVictim: false",
       "action \"shuffle\" has nobody to send away: no plugin names pods to move, as \"rescheduling\" and \"tdm\" do"},
      {"actions: allocate, shuffle\ntiers:\n- plugins:\n  - name: rescheduling", ""},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.yaml);
    const auto expected = *test.warning == '\0' ? Lines() : Lines({std::string("warning: ") + test.warning});
    EXPECT_EQ(lines(strict(test.yaml)), expected);
  }
}

TEST(ConfigTest, AnUnknownPluginIsLeftOut) {
  const ConfigReading reading =
      exact("actions: allocate\ntiers:\n- plugins:\n  - name: mine\n  - name: gang\n- plugins:\n  - name: mine\n");
  EXPECT_FALSE(reading.has_errors());
  ASSERT_EQ(reading.config.tiers.size(), 2u);
  EXPECT_EQ(plugins_of(reading.config.tiers[0]), Lines({"gang"}));
  EXPECT_TRUE(reading.config.tiers[1].plugins.empty());
}

TEST(ConfigTest, AWrongTypedArgumentKeepsTheDefault) {
  const ConfigReading reading = exact(with_arguments("binpack", "binpack.weight: '10'"));
  EXPECT_EQ(reading.config.tiers[0].plugins[0].arguments.get_int("binpack.weight", 1), 1);
}

// ---- what the original dies of ----

TEST(ConfigTest, FatalArgumentsAreErrorsHoweverRead) {
  struct Case {
    std::string yaml;
    const char* diagnostic;
  };
  const std::vector<Case> cases = {
      {with_arguments("resource-strategy-fit", "resourceStrategyFitWeight: '10'"),
       "argument \"resourceStrategyFitWeight\" of plugin \"resource-strategy-fit\" must be an integer, not a string"},
      {with_arguments("resource-strategy-fit", "sra: {enable: 'true'}"),
       "argument \"sra.enable\" of plugin \"resource-strategy-fit\" must be a boolean, not a string"},
      {with_arguments("resource-strategy-fit", "resources: {1: {weight: 2}}"),
       "an argument name of plugin \"resource-strategy-fit\" must be a string, not an integer"},
      {with_arguments("predicates", "volumebinding.bindTimeoutSeconds: 10m"),
       "argument \"volumebinding.bindTimeoutSeconds\" of plugin \"predicates\" must be an integer, not a string"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.yaml);
    EXPECT_EQ(lines(exact(test.yaml)), Lines({std::string("error: ") + test.diagnostic}));
    EXPECT_EQ(lines(strict(test.yaml)), Lines({std::string("error: ") + test.diagnostic}));
  }
}

TEST(ConfigTest, ArgumentsThatAreFineEvenWhenStrict) {
  const std::vector<std::string> cases = {
      with_arguments("binpack", "binpack.weight: 0"),
      with_arguments("nodegroup", "strict: 'F'"),
      with_arguments("overcommit", "overcommit-factor: 2"),
      with_arguments("predicates", "predicate.DynamicResourceAllocationEnable: true"),
      with_arguments("resource-strategy-fit", "resourceStrategyFitWeight: ~"),
      with_arguments("resource-strategy-fit", "resources: {cloudml.gpu/*: {Type: MostAllocated, WEIGHT: 3}}"),
      with_arguments("resource-strategy-fit",
                     "proportional: {enable: true, resources: a, resourceProportion: {a.cpu: 4, a.memory: 0.5}}"),
      with_arguments("sla", "sla-waiting-time: 1h2m3s"),
      with_arguments("usage", "estimator: {be_cpu: 250, be_mem: 200Mi, risk_factor: 1}"),
  };
  for (const std::string& yaml : cases) {
    EXPECT_EQ(lines(strict(yaml)), Lines()) << yaml;
  }
}

// ---- refusals ----

TEST(ConfigTest, AllProblemsAreReportedInDocumentOrder) {
  const ConfigReading reading = strict(R"(
tiers:
- plugins:
  - name: ganng
  - name: binpack
    arguments:
      binpack.cpu: x
    enableFoo: true
actions: alocate, 
)");
  EXPECT_EQ(positioned_lines(reading),
            Lines({
                "error: unknown plugin \"ganng\" (line 4, column 11); did you mean \"gang\"?",
                "error: argument \"binpack.cpu\" of plugin \"binpack\" must be an integer, not a string (line 7, column 20)",
                "error: unknown key \"enableFoo\" of a plugin (line 8, column 5)",
                "error: unknown action \"alocate\" (line 9, column 10); did you mean \"allocate\"?",
                "error: an action has no name: is there a comma too many? (line 9, column 18)",
            }));
}

TEST(ConfigTest, ReadConfigRefusesWithAllErrors) {
  const auto document = read_yaml_value("tier: []\nactions: a, b", "test.conf");
  ASSERT_TRUE(document.has_value());
  const auto refused = read_config(*document, "test.conf", Strictness::kStrict);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().location, (Location{"test.conf", 1, 1}));
  EXPECT_EQ(refused.error().text(),
            "test.conf:1:1: unknown key \"tier\" (line 1, column 1); did you mean \"tiers\"?\n"
            "unknown action \"a\" (line 2, column 10)\n"
            "unknown action \"b\" (line 2, column 13)");
}

TEST(ConfigTest, ReadConfigPassesWarningsOn) {
  const auto document = read_yaml_value("actions: allocate\ntier: []", "test.conf");
  ASSERT_TRUE(document.has_value());
  const auto reading = read_config(*document, "test.conf", Strictness::kExact);
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(reading->config.actions, Lines({"allocate"}));
  EXPECT_EQ(reading->diagnostics.size(), 1u);
}

TEST(ConfigTest, WithoutAPositionTheTextNamesNone) {
  const ConfigReading reading = inspect_config(Value(), "", Strictness::kExact);
  EXPECT_EQ(lines(reading), Lines({"error: no actions are given"}));
}

}  // namespace
}  // namespace muster::volcano
