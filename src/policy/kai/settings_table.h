#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace muster::kai {

// The one table of what the original knows: actions, plugins with their arguments, command-line flags, labels and annotations.
// Reading a configuration checks against it, `muster plugins` prints it, and docs/kai.md is tested against it.

// How far muster does the same.
enum class Support {
  kSupported,
  kDiffers,  // the remark says how
  kNot,      // known, and of no effect; the remark says why
};

enum class ArgumentType { kNumber, kInteger, kDuration, kBoolean, kWord, kText };

struct ArgumentSetting {
  std::string_view name;
  ArgumentType type = ArgumentType::kText;
  std::string_view default_text;  // as one would write it; empty when unset
  std::string_view meaning;
  std::span<const std::string_view> choices = {};  // of a word
  std::optional<double> minimum = std::nullopt;    // less is raised to it
  Support support = Support::kSupported;
  std::string_view remark = {};
};

// An action or a plugin.
struct ComponentSetting {
  std::string_view name;
  bool by_default = true;  // in force when no configuration is given
  std::string_view meaning;
  std::span<const ArgumentSetting> arguments = {};
  Support support = Support::kSupported;
  std::string_view remark = {};
};

// A label or an annotation.
struct KeySetting {
  std::string_view name;
  std::string_view where;
  std::string_view meaning;
  Support support = Support::kSupported;
  std::string_view remark = {};
};

// In the order in which they run by default.
std::span<const ComponentSetting> action_settings();
// In alphabetical order.
std::span<const ComponentSetting> plugin_settings();
// Besides `name` and `arguments` of a plugin: read by the original, and never looked at.
std::span<const std::string_view> plugin_switches();
// Command-line flags, without the dashes, in alphabetical order.
std::span<const ArgumentSetting> flag_settings();
std::span<const KeySetting> key_settings();

const ComponentSetting* find_action(std::string_view name);
const ComponentSetting* find_plugin(std::string_view name);
const ArgumentSetting* find_setting(std::span<const ArgumentSetting> settings, std::string_view name);

std::string_view name_of(Support support);
// "a number": for messages and documentation.
std::string_view name_of(ArgumentType type);

}  // namespace muster::kai
