#include "app/kai_config.h"

#include <gtest/gtest.h>

#include "app/config_dialect.h"
#include "app/kai_settings.h"
#include "codec/yaml_value.h"
#include "policy/kai/settings_table.h"

namespace muster {
namespace {

std::string report(const std::string& text, Strictness strictness = Strictness::kStrict) {
  return kai_config_text(check_kai_config_text(text, "c.yaml", strictness), Paint::none());
}

bool says(const std::string& text, const std::string& what, Strictness strictness = Strictness::kStrict) {
  return report(text, strictness).find(what) != std::string::npos;
}

std::string with_plugin(const std::string& plugin) { return "actions: allocate\ntiers:\n- plugins:\n  - " + plugin + "\n"; }

TEST(KaiConfigReport, NamesEveryProblemWithItsPlaceAndTheNearestName) {
  EXPECT_EQ(report("actions: \"allocate, reclame\"\nqueDepthPerAction: {}\ntiers:\n- plugins:\n  - name: proportoin\n"),
            "error: c.yaml:1:21: unknown action \"reclame\", with which KAI does not start; did you mean \"reclaim\"?\n"
            "error: c.yaml:2:1: the configuration has no key \"queDepthPerAction\", so it is passed over; did you mean "
            "\"queueDepthPerAction\"?\n"
            "error: c.yaml:5:11: unknown plugin \"proportoin\" is passed over; did you mean \"proportion\"?\n"
            "c.yaml: 3 errors\n");
}

TEST(KaiConfigReport, ALenientReaderRefusesOnlyWhatTheOriginalRefuses) {
  const std::string passed_over =
      "typo: 1\nactions: allocate\ntiers:\n- plugins: [{name: graviti}, {name: elastic, arguments: {a: b}}]\n";
  EXPECT_TRUE(says(passed_over, "3 errors"));
  EXPECT_TRUE(says(passed_over, "c.yaml: good", Strictness::kExact));
  for (const auto* refused : {"actions: fly\n", "tiers: []\n", "actions: allocate\ntiers: 3\n",
                              "actions: allocate\nscenarioSearchBudgets: {maxGeneratorSearchDuration: {Greedy: 1s}}\n",
                              "actions: allocate\nqueueDepthPerAction: {allocate: many}\n",
                              "actions: allocate\ntiers:\n- plugins: [{name: elastic, disableJobOrder: 3}]\n"})
    EXPECT_TRUE(says(refused, "error: ", Strictness::kExact)) << refused;
}

TEST(KaiConfigReport, ChecksArguments) {
  struct Row {
    const char* plugin;
    const char* says;
  };
  for (const auto& [plugin, what] : {
           Row{"{name: proportion, arguments: {kvalue: \"2\"}}", "has no argument \"kvalue\"; did you mean \"kValue\"?"},
           Row{"{name: proportion, arguments: {reclaimerUtilizationMultiplier: \"2\"}}",
               "did you mean \"relcaimerSaturationMultiplier\"?"},
           Row{"{name: proportion, arguments: {kValue: much}}",
               "\"kValue\" must be a number, not \"much\"; it would be taken as 1.0"},
           Row{"{name: proportion, arguments: {kValue: -1}}",
               "warning: c.yaml:4:44: plugin \"proportion\": \"kValue\" is raised to 0"},
           Row{"{name: nodeplacement, arguments: {gpu: spred}}", "must be binpack or spread, not \"spred\""},
           Row{"{name: nodeplacement, arguments: {gpu: spred}}", "did you mean \"spread\"?"},
           Row{"{name: minruntime, arguments: {defaultReclaimMinRuntime: soon}}", "must be a duration such as"},
           Row{"{name: minruntime, arguments: {defaultReclaimMinRuntime: 1w}}", "c.yaml: good"},
           Row{"{name: numa, arguments: {reconstructAvailable: maybe}}", "must be true or false"},
           Row{"{name: dynamicresources, arguments: {maxCelCacheEntries: 5}}", "\"maxCelCacheEntries\" has no effect"},
           Row{"{name: elastic, disableJobOrder: true}", "warning: c.yaml:4:38: \"disableJobOrder\" has no effect"},
           Row{"{name: elastic, arguments: [a]}", "\"arguments\" must be a map"},
           Row{"{arguments: {}}", "a plugin has no name"},
       })
    EXPECT_TRUE(says(with_plugin(plugin), what)) << report(with_plugin(plugin));
}

TEST(KaiConfigReport, WarnsOfWhatCanDoNothing) {
  const std::string elastic = "tiers: [{plugins: [{name: elastic}]}]\n";
  EXPECT_TRUE(says("actions: allocate, reclaim\n" + elastic, "\"reclaim\" does nothing without \"proportion\""));
  EXPECT_TRUE(says("actions: allocate, preempt\n" + elastic, "\"preempt\" does nothing without \"sg-nodelocalgreedy\""));
  EXPECT_TRUE(says("actions: stalegangeviction\n", "none of these actions places a pod"));
  EXPECT_TRUE(says("actions: reclaim\n", "pods are evicted and none is bound"));
  EXPECT_TRUE(says("actions: reclaim, allocate\n", "\"reclaim\" stands before \"allocate\""));
  EXPECT_TRUE(says("actions: allocate, allocate\n", "listed again"));
  EXPECT_TRUE(says("actions: allocate\nqueueDepthPerAction: {preempt: 5}\n", "the queue depth of \"preempt\" has no effect"));
  EXPECT_TRUE(says("actions: allocate\nqueueDepthPerAction: {alocate: 5}\n", "did you mean \"allocate\"?"));
  EXPECT_TRUE(says("actions: allocate\nscenarioSearchBudgets: {maxJobSearchDuration: 1m}\n", "muster always looks to the end"));
  EXPECT_FALSE(says("actions: allocate, consolidation, reclaim, preempt, stalegangeviction\n", "warning"));
}

TEST(KaiConfigReport, ReadsKeysAsGoDoes) {
  EXPECT_TRUE(says("Actions: allocate\n", "warning: c.yaml:1:1: \"Actions\" is taken as \"actions\""));
  EXPECT_TRUE(says("", "the built-in default is in force"));
  EXPECT_TRUE(says("# nothing\n", "names no actions"));
  EXPECT_TRUE(says("actions: allocate\ntiers: []\n", "sg-multinodegang"));
  EXPECT_TRUE(says("actions: allocate\ntiers: [{plugins: []}]\n", "plugins  none"));
}

TEST(KaiConfigReport, RefusesWhatIsNoConfiguration) {
  EXPECT_TRUE(says("kind: ConfigMap\ndata: {}\n", "the ConfigMap that holds a configuration"));
  EXPECT_TRUE(says("kind: SchedulingShard\n", "the SchedulingShard from which"));
  EXPECT_TRUE(says("actions: enqueue, allocate\n",
                   "c.yaml: this looks like a configuration of Volcano's scheduler: see --dialect volcano"));
}

TEST(ConfigDialect, IsGuessedFromWhatOnlyOneOfThemKnows) {
  const auto guess = [](const std::string& text) { return dialect_of_config(*read_yaml_value(text, "c")); };
  EXPECT_EQ(guess("actions: allocate, consolidation\n"), Dialect::kKai);
  EXPECT_EQ(guess("actions: allocate\nqueueDepthPerAction: {allocate: 1}\n"), Dialect::kKai);
  EXPECT_EQ(guess("actions: enqueue, allocate\n"), Dialect::kVolcano);
  EXPECT_EQ(guess("actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n"), Dialect::kVolcano);
  EXPECT_EQ(guess("actions: allocate\n"), std::nullopt);
  EXPECT_EQ(guess("actions: enqueue, consolidation\n"), std::nullopt);
  EXPECT_EQ(guess("[]\n"), std::nullopt);
}

TEST(KaiSettingsReport, ListsEverything) {
  const auto text = kai_settings_text(Paint::none());
  for (const auto& row : kai::plugin_settings()) {
    EXPECT_NE(text.find("  " + std::string(row.name)), std::string::npos) << row.name;
    for (const auto& argument : row.arguments) EXPECT_NE(text.find(argument.name), std::string::npos) << argument.name;
  }
  EXPECT_NE(text.find("--full-hierarchy-fairness"), std::string::npos);
  EXPECT_TRUE(read_yaml_value(kai_settings_json(), "json"));
}

}  // namespace
}  // namespace muster
