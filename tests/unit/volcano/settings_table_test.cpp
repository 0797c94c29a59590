#include "policy/volcano/settings_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace muster::volcano {
namespace {

template <class Rows>
bool alphabetical(const Rows& rows) {
  const auto before = [](std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::lexicographical_compare(left, right, {}, lower, lower);
  };
  return std::ranges::is_sorted(rows, before, [](const auto& row) { return row.name; });
}

// The laws of a row and of the rows below it.
void expect_sound(const ArgumentSetting& row) {
  SCOPED_TRACE(std::string(row.name));
  EXPECT_FALSE(row.name.empty());
  EXPECT_FALSE(row.meaning.empty());
  EXPECT_EQ(row.name.find('<') != std::string_view::npos, row.prefix().has_value());
  EXPECT_TRUE(!row.minimum || !row.maximum || *row.minimum < *row.maximum);
  EXPECT_TRUE(row.choices.empty() || row.type == ArgumentType::kString);
  EXPECT_TRUE(row.fields.empty() || row.type == ArgumentType::kMap);
  if (row.element != nullptr) {
    EXPECT_EQ(row.type, ArgumentType::kList);
    expect_sound(*row.element);
  }
  EXPECT_TRUE(alphabetical(row.fields));
  for (const ArgumentSetting& field : row.fields) expect_sound(field);
}

void expect_sound(const ComponentSetting& component) {
  SCOPED_TRACE(std::string(component.name));
  EXPECT_FALSE(component.meaning.empty());
  EXPECT_TRUE(alphabetical(component.arguments));
  std::set<std::string_view> names;
  for (const ArgumentSetting& row : component.arguments) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_argument(component.arguments, row.name), &row) << row.name;
    expect_sound(row);
  }
}

TEST(SettingsTableTest, HooksFollowTheEnumeration) {
  ASSERT_EQ(hook_settings().size(), kHookCount);
  for (std::size_t i = 0; i < kHookCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(hook_settings()[i].hook), i);
    EXPECT_EQ(find_hook(hook_settings()[i].key), &hook_settings()[i]);
    EXPECT_FALSE(hook_settings()[i].meaning.empty());
  }
  EXPECT_EQ(find_hook("enabledJobOrder"), nullptr) << "the prefixes are matched literally";
}

TEST(SettingsTableTest, EveryRowIsSound) {
  EXPECT_TRUE(alphabetical(action_settings()));
  EXPECT_TRUE(alphabetical(plugin_settings()));
  EXPECT_TRUE(alphabetical(metrics_settings()));
  for (const ComponentSetting& action : action_settings()) expect_sound(action);
  for (const ComponentSetting& plugin : plugin_settings()) expect_sound(plugin);
  for (const ComponentSetting& other : other_configurations()) expect_sound(other);
  for (const ArgumentSetting& row : metrics_settings()) expect_sound(row);
}

TEST(SettingsTableTest, EveryActionAndPluginOfVolcanoIsKnown) {
  EXPECT_EQ(action_settings().size(), 8u);
  EXPECT_EQ(plugin_settings().size(), 24u);
  EXPECT_NE(find_plugin("numa-aware"), nullptr);
  EXPECT_EQ(find_plugin("numaaware"), nullptr);
  EXPECT_EQ(find_action("Allocate"), nullptr);
}

TEST(SettingsTableTest, PlaceholdersMatchWhatFollowsTheirPrefix) {
  const auto binpack = find_plugin("binpack")->arguments;
  const ArgumentSetting* weight = find_argument(binpack, "binpack.resources.nvidia.com/gpu");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->name, "binpack.resources.<resource>");
  EXPECT_EQ(weight->prefix(), "binpack.resources.");
  EXPECT_EQ(find_argument(binpack, "binpack.resources")->name, "binpack.resources");
  EXPECT_EQ(find_argument(binpack, "binpack.resources."), nullptr);
  EXPECT_EQ(find_argument(binpack, "binpack.cpu2"), nullptr);
}

TEST(SettingsTableTest, ConfigurationsMayNameActionsAndInitParameters) {
  EXPECT_EQ(find_configuration("preempt"), find_action("preempt"));
  EXPECT_NE(find_configuration("init-params"), nullptr);
  EXPECT_EQ(find_configuration("gang"), nullptr);
}

}  // namespace
}  // namespace muster::volcano
