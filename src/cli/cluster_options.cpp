#include "cli/cluster_options.h"

#include <algorithm>
#include <functional>

#include "app/between_cycles.h"
#include "app/kai_setup.h"
#include "cli/scheduler_flags.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

constexpr int kMaxCycles = 1'000'000;

// Empty when the text is right, as CLI11 wants it.
std::string check_time(const std::string& text) {
  const auto time = Timestamp::parse_rfc3339(text);
  return time ? "" : "\"" + text + "\" is not a time such as 2026-01-01T00:00:00Z";
}

std::string check_period(const std::string& text) {
  constexpr std::int64_t kLongest = 366LL * 24 * 3600 * 1'000'000'000;
  const auto nanos = parse_go_duration(text);
  return nanos && *nanos >= 0 && *nanos <= kLongest ? ""
                                                    : "\"" + text + "\" is not a duration from 0s to a year, such as 1s or 10m";
}

std::string check_between(const std::string& text) {
  const auto between = parse_between(text);
  return between ? "" : between.error().text();
}

std::string check_selector(const std::string& item) {
  return item.find(':') != std::string::npos ? "" : "\"" + item + "\" is not of the form key:value";
}

// Whether a flag of KAI's scheduler can be what it was given as.
std::function<std::string(const std::string&)> check_kai_flag(const std::string& name) {
  return [name](const std::string& value) {
    const auto read = kai_options({{name, value}});
    return read ? std::string() : read.error().message;
  };
}

}  // namespace

std::optional<std::string> given(const std::string& value) { return value.empty() ? std::nullopt : std::optional(value); }

CLI::Option* add_dialect(CLI::App& command, std::string& dialect, const std::string& description) {
  return command.add_option("--dialect", dialect, description)->check(one_of({"volcano", "kai"}));
}

std::optional<Dialect> dialect_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == "kai" ? Dialect::kKai : Dialect::kVolcano;
}

SearchKind search_of(const std::string& name) { return name == "reference" ? SearchKind::kReference : SearchKind::kIndex; }

void add_search(CLI::App& command, std::string& search) {
  command.add_option("--search", search, "how nodes are found; both give the same decisions: index is fast, reference is plain")
      ->check(one_of({"index", "reference"}))
      ->capture_default_str();
}

CLI::Option* add_plugins_dir(CLI::App& command, std::string& directory) {
  return command.add_option("--plugins-dir", directory, "directory with plugins and actions of your own (*.so): docs/extending.md")
      ->type_name("DIR");
}

void add_kai_flags(CLI::App& command, std::map<std::string, std::string>& values) {
  for (const auto& flag : kai_flag_options()) {
    const auto name = "--" + flag.name;
    auto& value = values[flag.name];
    auto* option = flag.is_switch ? command.add_flag(name, value, flag.description)
                                  : command.add_option(name, value, flag.description)->check(check_kai_flag(flag.name));
    option->group("Flags of KAI's scheduler, with --dialect kai");
  }
}

void ClusterOptions::add_to(CLI::App& command, const std::string& files) {
  command_ = &command;
  command
      .add_option(files, files_,
                  "file, directory or - with Kubernetes objects, YAML or JSON, a Volcano cache dump or a KAI snapshot.zip")
      ->type_name("PATH")
      ->expected(1, -1)
      ->allow_extra_args(false);
  command.add_option("--config", config_, "scheduler configuration; without it the built-in default")->type_name("CONF");
  add_dialect(command, dialect_, "whose scheduler to speak like: its objects, configuration and flags")->capture_default_str();
  command.add_flag("--lenient-config", lenient_,
                   "read the configuration as the original would, and say loudly what it passes over");
  command.add_option("--behaviour", behaviour_, "exact: as the original, quirks included; safe: see docs/differences.md")
      ->check(one_of({"exact", "safe"}))
      ->capture_default_str();
  command.add_option("--cycles", cycles_, "scheduling cycles to run")->check(whole_number(1, kMaxCycles))->capture_default_str();
  command.add_option("--between", between_, "between cycles: none, bound-pods-run, bound-pods-run-evicted-linger or recreate")
      ->check(check_between)
      ->capture_default_str();
  add_search(command, search_);
  command.add_option("--now", now_, "the time of the first cycle; without it the clock of this machine")
      ->type_name("RFC3339")
      ->check(check_time);
  command.add_option("--period", period_, "the time from one cycle to the next, such as 1s or 10m")
      ->type_name("DURATION")
      ->check(check_period)
      ->capture_default_str();
  command.add_option("--usage", usage_, "real load of the nodes, or past usage of KAI's queues, YAML or JSON: see docs/cli.md")
      ->type_name("FILE");
  add_volcano_flags(command);
  cli::add_kai_flags(command, kai_flags_);
}

void ClusterOptions::add_volcano_flags(CLI::App& command) {
  const auto* group = "Flags of Volcano's scheduler";
  command.add_option("--scheduler-name", scheduler_names_, "pods of these schedulers are placed (volcano; KAI: kai-scheduler)")
      ->delimiter(',')
      ->group(group);
  command.add_option("--default-queue", default_queue_, "queue of PodGroups that name none (default)")->group(group);
  command.add_option("--node-selector", node_selector_, "only nodes with any of these labels, key:value")
      ->delimiter(',')
      ->check(check_selector)
      ->group(group);
  command.add_option("--ignored-provisioners", ignored_provisioners_, "storage provisioners whose volumes do not count")
      ->delimiter(',')
      ->group(group);
  command.add_option("--priority-class", priority_class_, "whether priority classes count (true)")
      ->check(one_of({"true", "false"}))
      ->group(group);
  command.add_option("--scheduler-sharding-mode", sharding_mode_, "none, hard or soft (none)")
      ->check(one_of({"none", "hard", "soft"}))
      ->group(group);
  command.add_option("--scheduler-sharding-name", sharding_name_, "the NodeShard of this scheduler (volcano)")->group(group);
  add_plugins_dir(command, plugins_dir_)->group(group);
}

std::vector<std::string> ClusterOptions::flags_of(Dialect dialect) {
  if (dialect == Dialect::kVolcano)
    return {"--default-queue",  "--node-selector",           "--ignored-provisioners",
            "--priority-class", "--scheduler-sharding-mode", "--scheduler-sharding-name"};
  std::vector<std::string> names;
  for (const auto& flag : kai_flag_options()) names.push_back("--" + flag.name);
  return names;
}

void ClusterOptions::refuse_foreign_flags() const {
  const bool kai = dialect() == Dialect::kKai;
  for (const auto& name : flags_of(kai ? Dialect::kVolcano : Dialect::kKai))
    if (command_->get_option(name)->count() != 0)
      throw CLI::ValidationError(name, kai ? "belongs to Volcano's scheduler and cannot be used with --dialect kai"
                                           : "belongs to KAI's scheduler: give --dialect kai with it");
  if (!kai && parse_between(between_).value_or(Between::kNothing) == Between::kRecreate)
    throw CLI::ValidationError("--between", "recreate needs --dialect kai");
  if (kai && scheduler_names_.size() > 1) throw CLI::ValidationError("--scheduler-name", "is one name with --dialect kai");
}

OfflineOptions ClusterOptions::read() const {
  refuse_foreign_flags();
  const auto reads_input = std::count(files_.begin(), files_.end(), "-") + (config_ == "-") + (usage_ == "-");
  if (reads_input > 1) throw CLI::ValidationError("-", "standard input can be read only once");
  OfflineOptions options;
  options.files = files_;
  if (!config_.empty()) options.config = config_;
  options.lenient_config = lenient_;
  options.exact = behaviour_ == "exact";
  options.cycles = cycles_;
  options.between = parse_between(between_).value_or(Between::kNothing);
  options.search = search_of(search_);
  if (!usage_.empty()) options.usage = usage_;
  options.plugins_dir = given(plugins_dir_);
  if (!now_.empty()) options.now = *Timestamp::parse_rfc3339(now_);
  options.period_nanos = *parse_go_duration(period_);
  const std::pair<const char*, std::string> flags[] = {
      {"scheduler-name", flag_value(scheduler_names_)},
      {"default-queue", default_queue_},
      {"node-selector", flag_value(node_selector_)},
      {"ignored-provisioners", flag_value(ignored_provisioners_)},
      {"priority-class", priority_class_},
      {"scheduler-sharding-mode", sharding_mode_},
      {"scheduler-sharding-name", sharding_name_},
  };
  for (const auto& [name, value] : flags)
    if (!value.empty()) options.flags[name] = value;
  for (const auto& [name, value] : kai_flags_)
    if (command_->get_option("--" + name)->count() != 0) options.flags[name] = value;
  return options;
}

}  // namespace muster::cli
