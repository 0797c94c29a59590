#include "app/usage_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "app/printable_text.h"
#include "base/nearest_name.h"
#include "codec/input.h"
#include "codec/yaml_scalar.h"
#include "codec/yaml_value.h"
#include "model/quoted.h"

namespace muster {
namespace {

using volcano::NodeUsage;

constexpr std::array<std::string_view, 2> kRootKeys = {"measured", "nodes"};
constexpr std::array<std::string_view, 3> kNodeKeys = {"cpu", "measured", "memory"};

class UsageReader {
 public:
  UsageReader(std::string file, Timestamp now) : file_(std::move(file)), now_(now) {}

  Result<std::vector<MeasuredNode>> read(const Value& root) {
    if (root.as_map() == nullptr) return wrong(root, "must be a map with the key nodes");
    Timestamp measured = now_;
    const Value* nodes = nullptr;
    for (const auto& [key, value] : *root.as_map()) {
      const auto name = scalar_text(key);
      if (name == "nodes") {
        nodes = &value;
      } else if (name == "measured") {
        if (auto time = read_time(value, name); !time)
          return fail(std::move(time.error()));
        else
          measured = *time;
      } else {
        return unknown(key, kRootKeys);
      }
    }
    if (nodes == nullptr) return wrong(root, "has no nodes");
    if (nodes->as_map() == nullptr) return wrong(*nodes, "nodes: must be a map of node names");
    std::vector<MeasuredNode> out;
    for (const auto& [key, value] : *nodes->as_map()) {
      auto node = read_node(scalar_text(key), value, measured);
      if (!node) return fail(std::move(node.error()));
      out.push_back(std::move(*node));
    }
    return out;
  }

 private:
  Result<MeasuredNode> read_node(const std::string& name, const Value& value, Timestamp measured) {
    node_ = name;
    if (value.as_map() == nullptr) return wrong(value, "must be a map with the keys cpu and memory");
    MeasuredNode out{name, {}};
    out.usage.at = measured;
    bool has_cpu = false;
    bool has_memory = false;
    for (const auto& [key, field] : *value.as_map()) {
      const auto what = scalar_text(key);
      Result<void> done;
      if (what == "cpu") {
        has_cpu = true;
        done = read_load(field, what, out.usage.cpu_percent, out.usage, &NodeUsage::Average::cpu_percent);
      } else if (what == "memory") {
        has_memory = true;
        done = read_load(field, what, out.usage.memory_percent, out.usage, &NodeUsage::Average::memory_percent);
      } else if (what == "measured") {
        if (auto time = read_time(field, what); !time)
          return fail(std::move(time.error()));
        else
          out.usage.at = *time;
      } else {
        return unknown(key, kNodeKeys);
      }
      if (!done) return fail(std::move(done.error()));
    }
    if (!has_cpu || !has_memory) return wrong(value, std::string(has_cpu ? "memory" : "cpu") + ": is required");
    fill_periods(*value.as_map(), out.usage);
    node_.clear();
    return out;
  }

  // A number for every period, or a map of periods.
  Result<void> read_load(const Value& value, const std::string& what, double& every, NodeUsage& usage,
                         double NodeUsage::Average::* part) {
    if (value.as_map() == nullptr) {
      const auto percent = read_percent(value, what);
      if (!percent) return fail(percent.error());
      every = *percent;
      return {};
    }
    for (const auto& [key, field] : *value.as_map()) {
      const auto period = scalar_text(key);
      const auto length = parse_go_duration(period);
      if (!length || *length <= 0) return wrong(key, what + ": " + quoted(period) + " is no period such as 10m");
      const auto percent = read_percent(field, what + "." + period);
      if (!percent) return fail(percent.error());
      usage.periods[period].*part = *percent;
    }
    return {};
  }

  // Where one of the two has a number for every period and the other lists periods, the number holds in those as well.
  static void fill_periods(const Value::Map& node, NodeUsage& usage) {
    for (const auto& [key, field] : node) {
      if (field.as_map() != nullptr) continue;
      for (auto& [period, average] : usage.periods) {
        if (scalar_text(key) == "cpu") average.cpu_percent = usage.cpu_percent;
        if (scalar_text(key) == "memory") average.memory_percent = usage.memory_percent;
      }
    }
  }

  Result<double> read_percent(const Value& value, const std::string& what) const {
    double percent = 0;
    if (const auto* whole = value.as_int())
      percent = static_cast<double>(*whole);
    else if (const auto* number = value.as_double())
      percent = *number;
    else
      return wrong(value, fmt::format("{}: must be a number of percent, not {}", what, value.type_name()));
    if (percent >= 0 && percent <= 100) return percent;
    return wrong(value, fmt::format("{}: must be between 0 and 100, not {}", what, percent));
  }

  Result<Timestamp> read_time(const Value& value, const std::string& what) const {
    const auto* text = value.as_string();
    if (text == nullptr) return wrong(value, fmt::format("{}: must be a time, not {}", what, value.type_name()));
    auto time = Timestamp::parse_rfc3339(*text);
    if (!time) return wrong(value, what + ": " + time.error().message);
    return *time;
  }

  tl::unexpected<Error> unknown(const Value& key, std::span<const std::string_view> known) const {
    const auto name = scalar_text(key);
    const auto near = nearest_name(name, known);
    return wrong(key, "unknown key " + quoted(name) + (near.empty() ? "" : "; did you mean " + quoted(near) + "?"));
  }

  tl::unexpected<Error> wrong(const Value& at, std::string message) const {
    Error error(std::move(message), Location{file_, at.line(), at.column()});
    if (!node_.empty()) error.object = "node " + node_;
    return fail(std::move(error));
  }

  std::string file_;
  Timestamp now_;
  std::string node_;  // that is being read
};

}  // namespace

Result<std::vector<MeasuredNode>> read_usage(const std::string& path, Timestamp now) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return read_usage_text(input->text(), input->name(), now);
}

Result<std::vector<MeasuredNode>> read_usage_text(std::string_view text, const std::string& file, Timestamp now) {
  const auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  return UsageReader(file, now).read(*root);
}

void apply_usage(volcano::Cluster& cluster, const std::vector<MeasuredNode>& measured, Timestamp now,
                 std::vector<std::string>& notes) {
  constexpr std::int64_t kFreshSeconds = 300;  // older measurements are ignored by the plugin
  std::vector<std::string> absent;
  std::vector<std::string> stale;
  for (const auto& [name, usage] : measured) {
    const auto node = cluster.books().find_node(name);
    if (!node || !cluster.books().node(node).known) absent.push_back(name);
    if (now.seconds - usage.at.seconds > kFreshSeconds) stale.push_back(name);
    cluster.set_usage(name, usage);
  }
  if (!absent.empty()) notes.push_back("usage of " + listed(absent, kMostNamed) + " is passed over: no such node is in the input");
  if (!stale.empty())
    notes.push_back("usage of " + listed(stale, kMostNamed) +
                    " is more than 5 minutes old at the time of the cycles and does not count");
}

bool reads_usage(const volcano::Config& config) {
  for (const auto& tier : config.tiers)
    for (const auto& plugin : tier.plugins)
      if (plugin.name == "usage" || plugin.name == "rescheduling") return true;
  return false;
}

}  // namespace muster
