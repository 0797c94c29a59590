#include "policy/kai/settings_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "policy/kai/config.h"
#include "policy/kai/registry.h"

namespace muster::kai {
namespace {

void expect_sound(const ArgumentSetting& row) {
  SCOPED_TRACE(std::string(row.name));
  EXPECT_FALSE(row.meaning.empty());
  EXPECT_EQ(row.choices.empty(), row.type != ArgumentType::kWord);
  EXPECT_EQ(row.support == Support::kSupported, row.remark.empty()) << "a remark says why";
}

TEST(KaiSettingsTable, HasWhatIsRegistered) {
  for (const auto& row : action_settings()) EXPECT_TRUE(is_action(row.name)) << row.name;
  for (const auto& row : plugin_settings()) EXPECT_TRUE(is_plugin(row.name)) << row.name;
  for (const auto name : registered_actions()) EXPECT_NE(find_action(name), nullptr) << name;
  for (const auto name : registered_plugins()) EXPECT_NE(find_plugin(name), nullptr) << name;
}

TEST(KaiSettingsTable, KnowsTheDefault) {
  std::size_t plugins = 0;
  for (const auto& row : plugin_settings()) {
    EXPECT_EQ(row.by_default, default_config().has_plugin(row.name)) << row.name;
    plugins += row.by_default;
  }
  EXPECT_EQ(default_config().plugins.size(), plugins);
  std::vector<std::string> actions;
  for (const auto& row : action_settings()) actions.emplace_back(row.name);
  EXPECT_EQ(default_config().actions, actions);
}

TEST(KaiSettingsTable, EveryRowIsSound) {
  EXPECT_TRUE(std::ranges::is_sorted(plugin_settings(), {}, &ComponentSetting::name));
  EXPECT_TRUE(std::ranges::is_sorted(flag_settings(), {}, &ArgumentSetting::name));
  for (const auto& row : plugin_settings())
    for (const auto& argument : row.arguments) expect_sound(argument);
  for (const auto& row : flag_settings()) expect_sound(row);
  for (const auto& row : key_settings()) EXPECT_EQ(row.support == Support::kSupported, row.remark.empty()) << row.name;
}

}  // namespace
}  // namespace muster::kai
