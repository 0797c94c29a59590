#include "policy/kai/config.h"

#include <algorithm>
#include <charconv>

#include "model/time.h"
#include "policy/kai/options.h"

namespace muster::kai {
namespace {

Config built_in() {
  Config config;
  config.actions = {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"};
  for (const auto* name : {"predicates",         "proportion",       "priority",      "elastic",      "kubeflow",      "ray",
                           "nodeavailability",   "gpusharingorder",  "gpupack",       "resourcetype", "subgrouporder", "taskorder",
                           "nominatednode",      "dynamicresources", "nodeplacement", "minruntime",   "topology",      "snapshot",
                           "sg-nodelocalgreedy", "sg-multinodegang"})
    config.plugins.push_back({name, {}});
  return config;
}

// Days and weeks as hours, which Go's durations know.
std::string in_hours(std::string_view text) {
  std::string out;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != 'd' && c != 'w') {
      out += c;
      digits = (c >= '0' && c <= '9') || c == '.' ? digits : i + 1;
      continue;
    }
    double amount = 0;
    std::from_chars(text.data() + digits, text.data() + i, amount);
    out.resize(out.size() - (i - digits));
    out += std::to_string(amount * (c == 'd' ? 24 : 24 * 7)) + "h";
    digits = i + 1;
  }
  return out;
}

}  // namespace

std::string Arguments::get(std::string_view key, std::string_view fallback) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? std::string(fallback) : found->second;
}

double Arguments::get_float(std::string_view key, double fallback) const {
  const auto text = get(key, "");
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() || error != std::errc() || stop != text.data() + text.size() ? fallback : value;
}

std::int64_t Arguments::get_duration(std::string_view key, std::int64_t fallback) const {
  if (!has(key)) return fallback;
  const auto parsed = parse_go_duration(in_hours(get(key, "")));
  return parsed && *parsed >= 0 ? *parsed : fallback;
}

bool Config::has_plugin(std::string_view name) const {
  return std::any_of(plugins.begin(), plugins.end(), [&](const PluginOption& option) { return option.name == name; });
}

bool Config::has_extensions() const {
  const auto is_outside = [](const PluginOption& option) { return option.extension != nullptr; };
  return !extension_actions.empty() || std::any_of(plugins.begin(), plugins.end(), is_outside);
}

const Config& default_config() {
  static const Config kBuiltIn = built_in();
  return kBuiltIn;
}

}  // namespace muster::kai
