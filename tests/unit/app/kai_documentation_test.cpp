// docs/kai.md repeats what tables in the code say, and is compared with them.

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include "app/kai_setup.h"
#include "policy/kai/settings_table.h"

namespace muster {
namespace {

// The rows of the table below a heading, without its two lines of heading.
std::vector<std::string> rows_below(const std::string& heading) {
  std::ifstream file(std::string(MUSTER_SOURCE_DIR) + "/docs/kai.md");
  std::vector<std::string> rows;
  bool below = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) below = line == "## " + heading;
    if (below && line.starts_with("|")) rows.push_back(line);
  }
  if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

// "| a | b | |"
std::string row(std::initializer_list<std::string_view> cells) {
  std::string out = "|";
  for (const auto cell : cells) {
    if (!cell.empty()) out.append(" ");
    for (const char c : cell) out += c == '<' ? "&lt;" : std::string(1, c);
    out.append(" |");
  }
  return out;
}
std::string code(std::string_view name, std::string_view before = "") {
  return "`" + std::string(before) + std::string(name) + "`";
}

std::vector<std::string> rows_of(std::span<const kai::ComponentSetting> components) {
  std::vector<std::string> rows;
  for (const auto& c : components)
    rows.push_back(
        row({code(c.name), kai::name_of(c.support), std::string(c.meaning) + (c.by_default ? "" : " (only if listed)"), c.remark}));
  return rows;
}

TEST(KaiDocumentation, ListsActionsPluginsAndArguments) {
  EXPECT_EQ(rows_below("Actions"), rows_of(kai::action_settings()));
  EXPECT_EQ(rows_below("Plugins"), rows_of(kai::plugin_settings()));
  std::vector<std::string> rows;
  for (const auto& plugin : kai::plugin_settings())
    for (const auto& a : plugin.arguments)
      rows.push_back(row({code(plugin.name), code(a.name), a.default_text, kai::name_of(a.support), a.meaning, a.remark}));
  EXPECT_EQ(rows_below("Arguments"), rows);
}

TEST(KaiDocumentation, ListsFlags) {
  std::vector<std::string> rows;
  for (const auto& f : kai::flag_settings())
    rows.push_back(row({code(f.name, "--"), f.default_text, kai::name_of(f.support), f.meaning, f.remark}));
  EXPECT_EQ(rows_below("Flags"), rows);
}

TEST(KaiDocumentation, ListsLabelsAndAnnotations) {
  std::vector<std::string> rows;
  for (const auto& k : kai::key_settings())
    rows.push_back(row({code(k.name), k.where, kai::name_of(k.support), k.meaning, k.remark}));
  EXPECT_EQ(rows_below("Labels and annotations"), rows);
}

auto members(const kai::ClusterOptions& o) {
  return std::tuple(o.scheduler_name, o.node_pool_key, o.queue_key, o.node_pool, o.reservation_app, o.cpu_worker_key,
                    o.gpu_worker_key, o.mig_worker_key, o.restrict_nodes, o.full_hierarchy, o.allow_consolidating_reclaim,
                    o.use_signatures, o.csi_storage, o.max_consolidation_preemptees, o.staleness_grace, o.stuck_in_releasing_after);
}

// A flag that is called supported has an effect, with the default that the table names.
TEST(KaiFlags, AreThoseThatAreTaken) {
  const auto taken = kai_flags_taken();
  std::set<std::string_view> supported;
  for (const auto& flag : kai::flag_settings())
    if (flag.support != kai::Support::kNot) supported.insert(flag.name);
  EXPECT_EQ(std::set<std::string_view>(taken.begin(), taken.end()), supported);
  for (const auto name : taken) {
    const auto* flag = kai::find_setting(kai::flag_settings(), name);
    ASSERT_NE(flag, nullptr) << name;
    const auto by_default = kai_options({{std::string(name), std::string(flag->default_text)}});
    ASSERT_TRUE(by_default) << name;
    EXPECT_EQ(members(*by_default), members(*kai_options({}))) << name;
  }
}

}  // namespace
}  // namespace muster
