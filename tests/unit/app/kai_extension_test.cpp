// Plugins and actions from outside in the KAI dialect: the examples, as docs/extending.md shows them, and those that misbehave.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "app/extension_library.h"
#include "app/kai_config.h"
#include "app/kai_run.h"

namespace muster {
namespace {

constexpr auto quiet = [](std::string_view, std::uint64_t) {};

std::string examples() { return std::string(MUSTER_BUILD_DIR) + "/examples/plugins"; }
std::string broken(const std::string& kind) { return std::string(MUSTER_BUILD_DIR) + "/tests/extensions/" + kind; }
std::string example(const std::string& file) { return std::string(MUSTER_SOURCE_DIR) + "/examples/plugins/kai/" + file; }

OfflineOptions options_of(const std::string& config, const std::string& plugins, SearchKind search = SearchKind::kIndex) {
  OfflineOptions options;
  options.files = {example("cluster.yaml")};
  options.config = config;
  options.plugins_dir = plugins;
  options.search = search;
  options.now = *Timestamp::parse_rfc3339("2026-01-02T00:00:00Z");
  return options;
}

std::string config_of(const std::string& text) {
  const auto path = testing::TempDir() + "kai_extension.conf";
  std::ofstream(path) << text;
  return path;
}

TEST(KaiExtension, TheExamplesDecide) {
  for (const auto search : {SearchKind::kIndex, SearchKind::kReference}) {
    auto run = KaiOfflineRun::prepare(options_of(example("site.conf"), examples(), search), quiet);
    ASSERT_TRUE(run) << run.error().text();
    const auto outcome = run->run({}, quiet);
    ASSERT_TRUE(outcome) << outcome.error().text();
    const std::map<std::string, std::string> binds = {{"default/fix-0", "c"}, {"default/report-0", "b"}};
    EXPECT_EQ(outcome->cycles.front().binds, binds);
    EXPECT_TRUE(outcome->warnings.empty());
  }
}

// Without them the first come is served first, and node a takes part.
TEST(KaiExtension, WithoutThemThingsAreDifferent) {
  const auto config = config_of(
      "actions: allocate\ntiers:\n- plugins: [{name: predicates}, {name: priority}, {name: proportion}, {name: nodeplacement}]\n");
  auto run = KaiOfflineRun::prepare(options_of(config, examples()), quiet);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->run({}, quiet)->cycles.front().binds.size(), 4u);
}

TEST(KaiExtension, RefusesWhatIsWrongAndNamesTheFile) {
  const auto config = config_of("actions: allocate\n");
  for (const auto& [kind, says] : {std::pair("wrong_version", "was built for version 2 of muster's extensions: expected version 1"),
                                   std::pair("no_symbol", "does not export muster_extension")}) {
    const auto run = KaiOfflineRun::prepare(options_of(config, broken(kind)), quiet);
    ASSERT_FALSE(run) << kind;
    EXPECT_NE(run.error().text().find(says), std::string::npos) << run.error().text();
  }
}

TEST(KaiExtension, NamesAreThoseOfTheDialect) {
  EXPECT_TRUE(load_extensions(broken("built_in_name"), Dialect::kKai));  // "gang" is Volcano's
  const auto unknown =
      check_kai_config_text("actions: allocate, expres\n", "c", Strictness::kStrict, *load_extensions(examples(), Dialect::kKai));
  ASSERT_FALSE(unknown.good());
  EXPECT_EQ(unknown.reading.diagnostics.front().suggestion, "express");
}

TEST(KaiExtension, AnArgumentThatTheLibraryRefusesHasALine) {
  const auto checked =
      check_kai_config_text("actions: allocate\ntiers:\n- plugins:\n  - name: maintenance\n    arguments: {weight: heavy}\n", "c",
                            Strictness::kStrict, *load_extensions(examples(), Dialect::kKai));
  ASSERT_FALSE(checked.good());
  EXPECT_EQ(checked.reading.diagnostics.front().location.line, 4u);
}

// Keeps handles, uses them twice, leaves statements open: nothing of that may do harm.
TEST(KaiExtension, MisbehaviourIsHeldInCheck) {
  const auto loaded = load_extensions(broken("misbehaves"), Dialect::kKai);
  ASSERT_TRUE(loaded) << loaded.error().text();
  const auto& extension = *loaded->all().front();
  const auto actions = extension.is_action() ? extension.name + ", allocate" : std::string("allocate");
  const auto plugins = extension.is_plugin() ? "{name: " + extension.name + "}, " : std::string();
  const auto config = config_of("actions: " + actions + "\ntiers:\n- plugins: [" + plugins +
                                "{name: predicates}, {name: priority}, {name: proportion}]\n");
  auto run = KaiOfflineRun::prepare(options_of(config, broken("misbehaves")), quiet);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_TRUE(run->run({}, quiet));
}

}  // namespace
}  // namespace muster
