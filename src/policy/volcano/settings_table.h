#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace muster::volcano {

// The one table of everything that a Volcano configuration may say. Reading checks against it, `muster plugins` prints it, and the
// documentation is tested against it.

// A plugin's switches: which of its functions the session asks.
enum class Hook {
  kJobOrder,
  kHierarchy,  // not a function but the plugin's hierarchical mode
  kJobReady,
  kJobPipelined,
  kTaskOrder,
  kPreemptable,
  kReclaimable,
  kPreemptive,
  kQueueOrder,
  kClusterOrder,
  kPredicate,
  kBestNode,
  kNodeOrder,
  kTargetJob,
  kReservedNodes,
  kJobEnqueued,  // both the vote and the notification
  kVictim,
  kJobStarving,
  kOverused,
  kAllocatable,
  kHyperNodeOrder,
  kSubJobReady,
  kSubJobPipelined,
  kSubJobOrder,
  kHyperNodeGradient,
};
inline constexpr std::size_t kHookCount = static_cast<std::size_t>(Hook::kHyperNodeGradient) + 1;

struct HookSetting {
  Hook hook;
  std::string_view key;  // matched literally: `enable…` and `enabled…` are both in use
  bool on_by_default;
  std::string_view meaning;
};

enum class ArgumentType {
  kBool,       // or a string that spells a boolean
  kInt,        // not 1.0, not "10"
  kFloat,      // or an integer
  kString,     // not 10, not true
  kDuration,   // a string such as "1m30s"
  kQuantity,   // a string such as "250m", or an integer in the argument's unit
  kTimeRange,  // a string such as "22:00-06:00"
  kList,
  kMap,
};

// How the original takes a value, and so what becomes of one of the wrong type.
enum class Typing {
  kLoose,     // the default stays in force
  kAsserted,  // the process dies
  kDecoded,   // the process ends itself; a float counts as an integer and null as zero, and the case of a field does not matter
};

// An argument, or a field of a structured one.
struct ArgumentSetting {
  std::string_view name;  // `binpack.resources.<name>`: the part in angle brackets is the user's
  ArgumentType type;
  std::string_view default_text;  // as one would write it; empty when unset
  std::string_view meaning;
  std::optional<double> minimum = std::nullopt;  // of a duration in seconds
  std::optional<double> maximum = std::nullopt;
  std::span<const std::string_view> choices = {};   // of a string; empty means any
  std::span<const ArgumentSetting> fields = {};     // of a map; empty means any
  const ArgumentSetting* element = nullptr;         // of a list; none means any
  bool (*key_allowed)(std::string_view) = nullptr;  // of a name with a placeholder: what the user may put there; none means any
  Typing typing = Typing::kLoose;

  // The fixed part of a name that ends in a placeholder; empty for `<name>` alone, nothing for a fixed name.
  std::optional<std::string_view> prefix() const;

  // Whether a key that the user wrote is this argument.
  bool matches(std::string_view key) const;
};

// An action or a plugin. Known means that Volcano registers it; implemented, that muster decides with it.
struct ComponentSetting {
  std::string_view name;
  bool implemented;
  std::string_view meaning;
  std::span<const ArgumentSetting> arguments = {};
};

// In the order of the enumeration.
std::span<const HookSetting> hook_settings();

// In alphabetical order.
std::span<const ComponentSetting> action_settings();
std::span<const ComponentSetting> plugin_settings();
// The names that an entry of `configurations:` may have besides the actions' names.
std::span<const ComponentSetting> other_configurations();
// Where node usage comes from. The file may write these as any scalar; they are taken as text.
std::span<const ArgumentSetting> metrics_settings();

const ComponentSetting* find_action(std::string_view name);
const ComponentSetting* find_plugin(std::string_view name);
const ComponentSetting* find_configuration(std::string_view name);
const HookSetting* find_hook(std::string_view key);
const ArgumentSetting* find_argument(std::span<const ArgumentSetting> arguments, std::string_view key);

// "an integer": for messages and documentation.
std::string_view to_string(ArgumentType type);

}  // namespace muster::volcano
