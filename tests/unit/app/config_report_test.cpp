#include "app/config_report.h"

#include <gtest/gtest.h>

#include "app/settings_report.h"
#include "codec/yaml_value.h"
#include "policy/volcano/settings_table.h"

namespace muster {
namespace {

std::string report(const std::string& text) { return config_report_text(check_config_text(text, "c.conf"), Paint::none()); }

TEST(ConfigReport, NamesEveryProblemWithItsPlaceAndTheNearestName) {
  EXPECT_EQ(report("actions: enqueue, alocate\ntiers:\n- plugins:\n  - name: ganng\n"),
            "error: c.conf:1:19: unknown action \"alocate\"; did you mean \"allocate\"?\n"
            "error: c.conf:4:11: unknown plugin \"ganng\"; did you mean \"gang\"?\n"
            "c.conf: 2 errors\n");
}

TEST(ConfigReport, GivesEachUnknownActionItsOwnColumn) {
  EXPECT_EQ(report("actions: \"enqueue, alocate,  bakfill\"\n"),
            "error: c.conf:1:20: unknown action \"alocate\"; did you mean \"allocate\"?\n"
            "error: c.conf:1:30: unknown action \"bakfill\"; did you mean \"backfill\"?\n"
            "c.conf: 2 errors\n");
  // Not written as it reads: the place of the whole.
  EXPECT_TRUE(report("actions: \"enqueue,\\x20alocate\"\n").starts_with("error: c.conf:1:11: "));
}

TEST(ConfigReport, WarnsOfOrdersThatMakeNoSense) {
  const auto warns = [](const std::string& actions, const std::string& text, const std::string& plugins = "") {
    const auto tiers = plugins.empty() ? "" : "tiers:\n- plugins: [{name: " + plugins + "}]\n";
    return report("actions: \"" + actions + "\"\n" + tiers).find(text) != std::string::npos;
  };
  EXPECT_TRUE(warns("enqueue, allocate, allocate", "warning: c.conf:1:30: action \"allocate\" is listed again"));
  EXPECT_TRUE(warns("allocate, enqueue", "warning: c.conf:1:11: action \"allocate\" stands before \"enqueue\""));
  EXPECT_TRUE(warns("reclaim, enqueue, allocate", "warning: c.conf:1:11: action \"reclaim\" stands before \"enqueue\""));
  EXPECT_TRUE(warns("enqueue, preempt, allocate", "action \"preempt\" stands before \"allocate\""));
  EXPECT_TRUE(warns("enqueue, shuffle, allocate", "action \"shuffle\" is not the last"));
  EXPECT_TRUE(warns("enqueue", "warning: c.conf:1:11: no action places pods"));
  EXPECT_TRUE(
      warns("enqueue, allocate, preempt", "action \"preempt\" passes over jobs with a network topology", "network-topology-aware"));
  EXPECT_FALSE(warns("enqueue, allocate, preempt, reclaim, backfill, shuffle", "warning", "rescheduling"));
  EXPECT_FALSE(warns("enqueue, allocate, gangpreempt, preempt", "topology,", "network-topology-aware"));
}

TEST(ConfigReport, WarnsOfSharesThatCannotCount) {
  const auto check = [](const std::string& action, const std::string& tiers) {
    return report("actions: \"enqueue, allocate, " + action + "\"\ntiers:\n" + tiers);
  };
  const auto warns = [](const std::string& text) { return text.find("whatever their share") != std::string::npos; };
  const std::string later = "- plugins: [{name: gang}]\n- plugins: [{name: proportion}, {name: capacity}]\n";
  EXPECT_NE(check("reclaim", later)
                .find("warning: c.conf:1:30: action \"reclaim\" takes from queues whatever their share: "
                      "\"gang\", in an earlier tier, answers before \"proportion\""),
            std::string::npos);
  EXPECT_TRUE(warns(check("gangreclaim", later)));
  EXPECT_FALSE(warns(check("preempt", later)));
  EXPECT_FALSE(warns(check("reclaim", "- plugins: [{name: gang}, {name: proportion}]\n")));
  EXPECT_FALSE(warns(check("reclaim", "- plugins: [{name: capacity}]\n- plugins: [{name: gang}, {name: proportion}]\n")));
  // Who has no say does not come first.
  EXPECT_FALSE(warns(check("reclaim", "- plugins: [{name: gang, enableReclaimable: false}]\n- plugins: [{name: capacity}]\n")));
  EXPECT_FALSE(warns(check("reclaim", "- plugins: [{name: priority}]\n- plugins: [{name: capacity}]\n")));
  EXPECT_TRUE(warns(check("gangreclaim", "- plugins: [{name: priority}]\n- plugins: [{name: capacity}]\n")));
  EXPECT_FALSE(warns(check("gangreclaim", "- plugins: [{name: priority}, {name: capacity}]\n")));
  EXPECT_NE(check("gangreclaim", "- plugins: [{name: gang}, {name: proportion}]\n").find("only \"capacity\" tells it"),
            std::string::npos);
  const std::string both = "the plugins \"capacity\" and \"proportion\" both divide";
  EXPECT_NE(check("backfill", later).find(both), std::string::npos);
  EXPECT_EQ(check("backfill", "- plugins: [{name: capacity}]\n").find(both), std::string::npos);
}

TEST(ConfigReport, WarnsOfPluginsThatHaveNoSay) {
  const auto check = [](const std::string& actions, const std::string& tiers) {
    return report("actions: \"" + actions + "\"\ntiers:\n" + tiers);
  };
  const auto warns = [](const std::string& text) { return text.find("has no say") != std::string::npos; };
  const std::string later = "- plugins: [{name: gang}, {name: capacity}]\n- plugins: [{name: drf}, {name: resourcequota}]\n";
  EXPECT_NE(check("enqueue, allocate", later)
                .find("warning: c.conf:4:33: plugin \"resourcequota\" has no say in whom \"enqueue\" lets in: \"capacity\", in an "
                      "earlier tier, votes before it"),
            std::string::npos);
  EXPECT_TRUE(warns(check("enqueue, allocate", "- plugins: [{name: overcommit}]\n- plugins: [{name: proportion}]\n")));
  EXPECT_FALSE(warns(check("allocate", later)));  // which lets everybody in
  EXPECT_FALSE(warns(check("enqueue, allocate", "- plugins: [{name: gang}]\n- plugins: [{name: capacity}, {name: overcommit}]\n")));
  EXPECT_FALSE(warns(
      check("enqueue, allocate", "- plugins: [{name: capacity, enableJobEnqueued: false}]\n- plugins: [{name: overcommit}]\n")));
}

TEST(ConfigReport, WarnsOfAConfigurationWithoutPlugins) {
  EXPECT_NE(report("actions: \"enqueue, allocate\"\n").find("warning: c.conf:1:1: \"tiers\" lists no plugin"), std::string::npos);
  EXPECT_EQ(report("actions: \"enqueue, allocate\"\ntiers: [{plugins: [{name: gang}]}]\n").find("lists no plugin"),
            std::string::npos);
}

TEST(ConfigReport, BrokenYamlIsAProblemLikeOthers) {
  const auto checked = check_config_text("actions: \"x\n", "c.conf");
  EXPECT_FALSE(checked.good());
  EXPECT_NE(config_report_text(checked, Paint::none()).find("c.conf:1:"), std::string::npos);
}

TEST(ConfigReport, TellsAConfigMapFromAConfiguration) {
  EXPECT_NE(report("apiVersion: v1\nkind: ConfigMap\ndata: {}\n").find("error: c.conf:1:1: this is the ConfigMap"),
            std::string::npos);
}

TEST(ConfigReport, ShowsWhatIsInForce) {
  EXPECT_EQ(report("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n  - name: binpack\n    "
                   "arguments: {binpack.cpu: 2}\n"),
            "c.conf: good\n  actions  allocate\n  tier 1   drf (enableHierarchy on), binpack (binpack.cpu)\n");
  EXPECT_EQ(report("# nothing\n").substr(0, 58), "c.conf: good, and empty: the built-in default is in force\n");
}

TEST(ConfigReport, TellsProgramsTheSame) {
  EXPECT_EQ(config_report_json(check_config_text("actions: alocate\n", "c.conf")),
            R"({"file":"c.conf","good":false,"problems":[{"severity":"error","message":"unknown action \"alocate\"","line":1,)"
            R"("column":10,"suggestion":"allocate"}]})");
}

TEST(SettingsReport, NamesEveryComponent) {
  const auto text = settings_text(Paint::none());
  for (const auto& plugin : volcano::plugin_settings()) EXPECT_NE(text.find("  " + std::string(plugin.name)), std::string::npos);
  for (const auto& action : volcano::action_settings()) EXPECT_NE(text.find("  " + std::string(action.name)), std::string::npos);
  EXPECT_TRUE(read_yaml_value(settings_json(), "settings"));
}

}  // namespace
}  // namespace muster
