#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "policy/kai/config.h"
#include "policy/kai/registry.h"
#include "policy/kai/usage_reader.h"

namespace muster::kai {
namespace {

constexpr std::int64_t kNoLimit = -1;

// The text of a scalar: the original takes any scalar where it wants a text. Nothing for lists and maps.
std::optional<std::string> scalar_text(const Value& value) {
  if (value.is_null()) return std::string();
  if (const auto* text = value.as_string()) return *text;
  if (const auto* flag = value.as_bool()) return *flag ? "true" : "false";
  if (const auto* number = value.as_int()) return std::to_string(*number);
  if (const auto* number = value.as_double()) return fmt::format("{}", *number);
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<ConfigReading> read(const Value& root) {
    if (root.as_map() == nullptr) return wrong(root, "the configuration must be a map");
    const auto* actions = root.find("actions");
    if (const auto done = read_actions(actions == nullptr ? root : *actions, actions != nullptr); !done) return fail(done.error());
    if (const auto* tiers = root.find("tiers"); tiers != nullptr && !tiers->is_null()) {
      if (tiers->as_list() == nullptr) return wrong(*tiers, "\"tiers\" must be a list");
      for (const auto& tier : *tiers->as_list())
        if (const auto done = read_tier(tier); !done) return fail(done.error());
    }
    if (const auto* depths = root.find("queueDepthPerAction"))
      if (const auto done = read_depths(*depths); !done) return fail(done.error());
    if (const auto* usage = root.find("usageDBConfig"); usage != nullptr && !usage->is_null()) {
      auto params = read_usage_params(*usage, file_);
      if (!params) return fail(params.error());
      out_.config.usage = std::move(*params);
    }
    if (out_.config.plugins.empty() && !any_listed_) out_.config.plugins = default_config().plugins;
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> wrong(const Value& at, std::string message) const {
    return fail(Error(std::move(message), Location{file_, at.line(), at.column()}));
  }

  Result<void> read_actions(const Value& value, bool given) {
    const auto text = given ? scalar_text(value) : std::string();
    if (!text) return wrong(value, "\"actions\" must be a text with names and commas");
    std::size_t from = 0;
    for (;;) {
      const auto comma = std::min(text->find(',', from), text->size());
      auto name = text->substr(from, comma - from);
      name.erase(0, std::min(name.find_first_not_of(" \t\r\n"), name.size()));
      name.erase(name.find_last_not_of(" \t\r\n") + 1);
      if (!is_action(name)) return wrong(value, given ? "unknown action \"" + name + "\"" : "the configuration names no actions");
      out_.config.actions.push_back(std::move(name));
      if (comma == text->size()) return {};
      from = comma + 1;
    }
  }

  Result<void> read_tier(const Value& tier) {
    const auto* plugins = tier.find("plugins");
    if (plugins == nullptr || plugins->is_null()) return {};
    if (plugins->as_list() == nullptr) return wrong(*plugins, "\"plugins\" must be a list");
    for (const auto& plugin : *plugins->as_list())
      if (const auto done = read_plugin(plugin); !done) return done;
    return {};
  }

  Result<void> read_plugin(const Value& plugin) {
    any_listed_ = true;
    const auto* name = plugin.find("name");
    const auto text = name == nullptr ? std::string() : scalar_text(*name);
    if (!text) return wrong(*name, "a plugin's name must be a text");
    std::map<std::string, std::string, std::less<>> entries;
    if (const auto* arguments = plugin.find("arguments"); arguments != nullptr && !arguments->is_null()) {
      if (arguments->as_map() == nullptr) return wrong(*arguments, "\"arguments\" must be a map");
      for (const auto& [key, value] : *arguments->as_map()) {
        const auto key_text = scalar_text(key);
        const auto value_text = scalar_text(value);
        if (!key_text || !value_text) return wrong(value, "arguments must be texts");
        entries[*key_text] = *value_text;
      }
    }
    if (!is_plugin(*text)) {
      out_.warnings.push_back("unknown plugin \"" + *text + "\" is passed over");
      return {};
    }
    const auto listed = [&](const PluginOption& known) { return known.name == *text; };
    if (std::any_of(out_.config.plugins.begin(), out_.config.plugins.end(), listed))
      return wrong(plugin, "the plugin \"" + *text + "\" is listed twice");
    out_.config.plugins.push_back({*text, Arguments(std::move(entries))});
    return {};
  }

  Result<void> read_depths(const Value& depths) {
    if (depths.is_null()) return {};
    if (depths.as_map() == nullptr) return wrong(depths, "\"queueDepthPerAction\" must be a map");
    for (const auto& [key, value] : *depths.as_map()) {
      const auto name = scalar_text(key);
      if (!name || value.as_int() == nullptr) return wrong(value, "a queue depth must be a whole number");
      const auto depth = *value.as_int();
      if (depth < kNoLimit) return wrong(value, "a queue depth must be -1, which is no limit, or more");
      if (depth != kNoLimit) out_.config.queue_depth[*name] = depth;
    }
    return {};
  }

  const std::string& file_;
  ConfigReading out_;
  bool any_listed_ = false;
};

}  // namespace

Result<ConfigReading> read_config(const Value& root, const std::string& file) { return Reader(file).read(root); }

}  // namespace muster::kai
