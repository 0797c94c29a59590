#include "app/kai_setup.h"

#include <charconv>

#include "codec/yaml_value.h"
#include "policy/kai/settings_table.h"

namespace muster {
namespace {

Error bad_flag(const std::string& name, const std::string& value) {
  return Error("flag --" + name + " cannot be \"" + value + "\"");
}

Result<bool> flag_bool(const std::string& name, const std::string& value) {
  if (value == "true" || value == "1" || value == "t" || value == "T" || value == "True" || value == "TRUE") return true;
  if (value == "false" || value == "0" || value == "f" || value == "F" || value == "False" || value == "FALSE") return false;
  return fail(bad_flag(name, value));
}

Result<std::int64_t> flag_int(const std::string& name, const std::string& value) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || error != std::errc() || stop != value.data() + value.size()) return fail(bad_flag(name, value));
  return number;
}

Result<std::int64_t> flag_duration(const std::string& name, const std::string& value) {
  const auto parsed = parse_go_duration(value);
  return parsed ? Result<std::int64_t>(*parsed) : fail(bad_flag(name, value));
}

template <class T>
Result<void> take(Result<T> value, T& out) {
  if (!value) return fail(value.error());
  out = std::move(*value);
  return {};
}

struct TextFlag {
  std::string_view name;
  std::string kai::ClusterOptions::* option;
};
constexpr TextFlag kTexts[] = {
    {"scheduler-name", &kai::ClusterOptions::scheduler_name},
    {"nodepool-label-key", &kai::ClusterOptions::node_pool_key},
    {"queue-label-key", &kai::ClusterOptions::queue_key},
    {"partition-label-value", &kai::ClusterOptions::node_pool},
    {"resource-reservation-app-label", &kai::ClusterOptions::reservation_app},
    {"cpu-worker-node-label-key", &kai::ClusterOptions::cpu_worker_key},
    {"gpu-worker-node-label-key", &kai::ClusterOptions::gpu_worker_key},
    {"mig-worker-node-label-key", &kai::ClusterOptions::mig_worker_key},
};

struct SwitchFlag {
  std::string_view name;
  bool kai::ClusterOptions::* option;
};
constexpr SwitchFlag kSwitches[] = {
    {"restrict-node-scheduling", &kai::ClusterOptions::restrict_nodes},
    {"full-hierarchy-fairness", &kai::ClusterOptions::full_hierarchy},
    {"allow-consolidating-reclaim", &kai::ClusterOptions::allow_consolidating_reclaim},
    {"use-scheduling-signatures", &kai::ClusterOptions::use_signatures},
    {"schedule-csi-storage", &kai::ClusterOptions::csi_storage},
    {"detailed-fit-errors", &kai::ClusterOptions::detailed_fit_errors},
};

struct DurationFlag {
  std::string_view name;
  std::int64_t kai::ClusterOptions::* option;
};
constexpr DurationFlag kDurations[] = {
    {"default-staleness-grace-period", &kai::ClusterOptions::staleness_grace},
    {"stuck-in-releasing-threshold", &kai::ClusterOptions::stuck_in_releasing_after},
};

constexpr std::string_view kMaxPreemptees = "max-consolidation-preemptees";

Result<void> take_flag(const std::string& name, const std::string& value, kai::ClusterOptions& options) {
  for (const auto& flag : kTexts)
    if (flag.name == name) return options.*flag.option = value, Result<void>();
  for (const auto& flag : kSwitches)
    if (flag.name == name) return take(flag_bool(name, value), options.*flag.option);
  for (const auto& flag : kDurations)
    if (flag.name == name) return take(flag_duration(name, value), options.*flag.option);
  if (name == kMaxPreemptees) return take(flag_int(name, value), options.max_consolidation_preemptees);
  return {};
}

}  // namespace

Result<kai::ConfigReading> read_kai_config(const std::string& text, const std::string& file, const ExtensionSet& extensions) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return kai::ConfigReading{kai::default_config(), {}};
  const auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  return kai::read_config(*root, file, extensions);
}

void remember_for(const kai::Config& config, kai::ClusterOptions& options) {
  options.numa_requests = config.has_plugin("numa");
  options.group_meta = config.has_extensions();
}

std::map<std::string, std::string> kai_flag_texts(const kai::ClusterOptions& options) {
  std::map<std::string, std::string> texts;
  for (const auto& flag : kTexts) texts[std::string(flag.name)] = options.*flag.option;
  for (const auto& flag : kSwitches) texts[std::string(flag.name)] = options.*flag.option ? "true" : "false";
  for (const auto& flag : kDurations) texts[std::string(flag.name)] = std::to_string(options.*flag.option) + "ns";
  texts[std::string(kMaxPreemptees)] = std::to_string(options.max_consolidation_preemptees);
  return texts;
}

std::vector<std::string_view> kai_flags_taken() {
  std::vector<std::string_view> names = {kMaxPreemptees};
  for (const auto& flag : kTexts) names.push_back(flag.name);
  for (const auto& flag : kSwitches) names.push_back(flag.name);
  for (const auto& flag : kDurations) names.push_back(flag.name);
  return names;
}

std::vector<KaiFlag> kai_flag_options() {
  std::vector<KaiFlag> options;
  for (const auto& flag : kai::flag_settings()) {
    if (flag.support == kai::Support::kNot || flag.name == "scheduler-name") continue;
    const auto by_default = flag.default_text.empty() ? "" : " (" + std::string(flag.default_text) + ")";
    options.push_back({std::string(flag.name), std::string(flag.meaning), std::string(flag.default_text),
                       std::string(flag.meaning) + by_default, flag.type == kai::ArgumentType::kBoolean});
  }
  return options;
}

Result<kai::ClusterOptions> kai_options(const std::map<std::string, std::string>& flags) {
  kai::ClusterOptions options;
  for (const auto& [name, value] : flags)
    if (const auto taken = take_flag(name, value, options); !taken) return fail(taken.error());
  return options;
}

}  // namespace muster
