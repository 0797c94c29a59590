#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/extension/extension.h"
#include "model/diagnostic.h"
#include "policy/kai/usage.h"

namespace muster::kai {

// What a plugin was given under `arguments:`; all values are texts. The getters never complain: what cannot be read leaves the
// fallback in force, as in the original.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(std::map<std::string, std::string, std::less<>> entries) : entries_(std::move(entries)) {}

  bool has(std::string_view key) const { return entries_.find(key) != entries_.end(); }
  std::string get(std::string_view key, std::string_view fallback) const;
  double get_float(std::string_view key, double fallback) const;
  // With days (d) and weeks (w) besides Go's units; negative ones and those that cannot be read are the fallback.
  std::int64_t get_duration(std::string_view key, std::int64_t fallback) const;
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::map<std::string, std::string, std::less<>> entries_;
};

struct PluginOption {
  std::string name;
  Arguments arguments;
  std::shared_ptr<ExtensionInstance> extension = nullptr;  // of a plugin from outside
};

// A configuration that can be scheduled with. Tiers have no meaning of their own: their plugins are taken one after the other.
struct Config {
  std::vector<std::string> actions;
  std::vector<PluginOption> plugins;
  std::map<std::string, std::int64_t, std::less<>> queue_depth;  // by action: jobs that it looks at in each leaf; absent: all
  std::optional<UsageParams> usage;                              // none: what queues used in the past does not count
  std::map<std::string, std::shared_ptr<ExtensionInstance>, std::less<>> extension_actions = {};  // from outside, by name

  bool has_plugin(std::string_view name) const;
  // Whether something from outside takes part.
  bool has_extensions() const;
};

// What is in force when no file is given.
const Config& default_config();

struct ConfigReading {
  Config config;  // to be scheduled with only if there are no errors
  std::vector<Diagnostic> diagnostics;

  bool has_errors() const;
};

// Reads a configuration document and collects everything there is to say about it. What the original refuses at its start, or
// fails of in every cycle, is an error under every strictness; unknown keys, plugins and arguments, which it passes over, are
// errors to a strict reader alone.
// Extensions that the document names are started if there is no error, and one that refuses is an error.
ConfigReading inspect_config(const Value& root, const std::string& file, Strictness strictness,
                             const ExtensionSet& extensions = {});

// The same as the original reads it; its first error as a result.
Result<ConfigReading> read_config(const Value& root, const std::string& file, const ExtensionSet& extensions = {});

}  // namespace muster::kai
