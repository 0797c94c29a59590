#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>

#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/scheduler_flags.h"
#include "cli/scheduler_options.h"
#include "cli/stop_signals.h"
#include "cli/value_checks.h"
#include "daemon/recorded_cluster.h"
#include "daemon/state_keeper.h"
#include "model/time.h"

namespace muster::cli {
namespace {

// Empty when the text is right, as CLI11 wants it.
std::string check_duration(const std::string& text) {
  const auto nanos = parse_go_duration(text);
  return nanos && *nanos >= 0 ? "" : "\"" + text + "\" is not a duration such as 1s or 500ms";
}
// "-v=3" is given as "=3".
std::optional<int> verbosity_of(std::string_view text) {
  if (text.starts_with('=')) text.remove_prefix(1);
  int level = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), level);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(level) : std::nullopt;
}
std::string check_verbosity(const std::string& text) { return verbosity_of(text) ? "" : "\"" + text + "\" is not a number"; }

std::string check_gate(const std::string& gate) {
  const auto equals = gate.find('=');
  const auto value = equals == std::string::npos ? "" : gate.substr(equals + 1);
  if (value != "true" && value != "false") return "\"" + gate + "\" is not of the form Name=true or Name=false";
  if (gate == "SchedulingGatesQueueAdmission=true") return "this version removes no scheduling gates";
  return "";
}

std::string check_size(const std::string& text) {
  const auto size = recording_size(text);
  return size ? "" : size.error().message;
}

daemon::Log make_log(const SchedulerCommand& command, const kube::Clock& clock) {
  const bool is_detailed = verbosity_of(command.verbosity).value_or(0) > 3;
  return daemon::Log({.level = is_detailed ? daemon::LogLevel::kDebug : daemon::LogLevel::kInfo,
                      .json = command.log_json || command.log_format == "json"},
                     clock, [](std::string_view line) { std::cerr << line; });
}

// Whoever is told what the clusters are told: a recorder, and the keeper of what questions are answered from.
Result<daemon::MakeCluster> make_clusters(const SchedulerCommand& command, const daemon::Numbers& numbers,
                                          const std::shared_ptr<daemon::StateKeeper>& keeper, const kube::Clock& clock,
                                          daemon::Log& log) {
  std::vector<std::shared_ptr<daemon::tape::Listener>> listeners;
  if (keeper) listeners.push_back(keeper);
  if (!command.record.empty()) {
    auto recorder = daemon::tape::Recorder::open(recorder_settings(command), clock, log);
    if (!recorder) return fail(std::move(recorder.error()));
    listeners.push_back(std::move(*recorder));
  }
  if (listeners.empty()) return daemon::clusters_of(taped_life(command), {}, numbers, log);
  auto listener = listeners.size() == 1 ? listeners.front() : std::make_shared<daemon::tape::Listeners>(listeners);
  return daemon::recorded_clusters(taped_life(command), numbers, std::move(listener), log);
}

ExitCode run_scheduler(const SchedulerCommand& command) {
  if (command.needs_config && command.config.empty())
    return complain("--disable-default-scheduler-config: there is no configuration without --scheduler-conf");
  StopSignals signals;
  const kube::SystemClock clock;
  auto log = make_log(command, clock);
  const daemon::Numbers numbers{.kai = std::make_shared<daemon::KaiNumbers>(),
                                .volcano = std::make_shared<daemon::VolcanoNumbers>()};
  auto options = daemon_options(command);
  options.flags = flags_in_force(command.is_kai() ? Dialect::kKai : Dialect::kVolcano, command.given);
  const auto eviction = std::ranges::find(options.flags, "eviction", &ConfigurationKey::key);
  eviction->value = command.evicts_by_delete() ? "delete" : "api";  // where it is not given, the behaviour decides
  if (command.whatif && !options.monitor.listen.empty()) options.keeper = std::make_shared<daemon::StateKeeper>(log);
  const auto clusters = make_clusters(command, numbers, options.keeper, clock, log);
  if (!clusters) return complain(clusters.error().text());
  daemon::Daemon daemon(std::move(options), *clusters, log);
  if (command.is_kai())
    numbers.kai->show_in(daemon.registry(), command.metrics_namespace);
  else if (command.metrics)
    numbers.volcano->show_in(daemon.registry(), clock);
  auto grouping = grouping_settings(command);
  grouping.warn = [&](std::string_view text) { log.warn(std::string(text)); };
  grouping.time_left = [&] { return daemon.time_left(); };
  grouper::Service groups(std::move(grouping));
  daemon.before_farewell([&](kube::Duration longest) { return groups.stop(longest); });
  if (command.group_pods && !command.only_record)
    if (const auto started = groups.start(); !started) return complain(started.error().text());
  signals.listen([&] { daemon.stop(); },
                 [&](int signal) { daemon.dump(signal == SIGUSR1 ? daemon::DumpTo::kFile : daemon::DumpTo::kLog); });
  const auto done = daemon.run();
  signals.end();
  return done ? ExitCode::kOk : complain(done.error().text());
}

const SchedulerFlag* find_flag(std::span<const SchedulerFlag> flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &SchedulerFlag::name);
  return found == flags.end() ? nullptr : &*found;
}

// The tables' words, for an option that one of them must have.
std::string meaning_of(std::string_view name) {
  if (const auto* own = find_flag(own_flags(), name)) return std::string(own->meaning);
  const auto* volcano = find_flag(volcano_flags(), name);
  const auto* kai = find_flag(kai_flags(), name);
  if (volcano == nullptr || kai == nullptr || volcano->meaning == kai->meaning)
    return std::string((volcano != nullptr ? volcano : kai)->meaning);
  return std::string(volcano->meaning) + "; kai: " + std::string(kai->meaning);
}

// Options with the texts of the table.
class FlagAdder {
 public:
  explicit FlagAdder(CLI::App& app) : app_(app) {}

  template <class Value>
  CLI::Option* option(const std::string& name, Value& value) {
    return app_.add_option("--" + name, value, meaning_of(name));
  }
  template <class Value>
  CLI::Option* option_with_default(const std::string& name, Value& value) {
    return option(name, value)->capture_default_str();
  }
  CLI::Option* list(const std::string& name, std::vector<std::string>& values) {
    return option(name, values)->delimiter(',')->allow_extra_args(false);
  }
  void duration(const std::string& name, std::string& value) { option_with_default(name, value)->check(check_duration); }
  // "--name", "--name=true", "--name=false".
  void toggle(const std::string& name, bool& value) { app_.add_flag("--" + name, value, meaning_of(name)); }

 private:
  CLI::App& app_;
};

void add_life(FlagAdder& add, SchedulerCommand& command) {
  add.option_with_default("dialect", command.dialect)->check(one_of({"volcano", "kai"}));
  add.option_with_default("behaviour", command.behaviour)->check(one_of({"safe", "exact"}));
  add.option("eviction", command.eviction)->check(one_of({"api", "delete"}));
  add.option("kubeconfig", command.kubeconfig);
  add.option("context", command.context);
  add.option("master", command.master);
  add.option("scheduler-conf", command.config);
  add.toggle("disable-default-scheduler-config", command.needs_config);
  add.toggle("lenient-config", command.lenient);
  add.duration("schedule-period", command.period);
  add.option_with_default("kube-api-qps", command.qps)->check(real_number(0));
  add.option_with_default("kube-api-burst", command.burst)->check(real_number(1, 1e6));
  add.option_with_default("audit-rate", command.audit_rate)->check(real_number(0, 1e5));
  add.toggle("group-pods", command.group_pods);
}

void add_objects(FlagAdder& add, SchedulerCommand& command) {
  add.list("scheduler-name", command.scheduler_names);
  add.option("default-queue", command.default_queue);
  add.list("node-selector", command.node_selector);
  add.list("ignored-provisioners", command.ignored_provisioners);
  add.toggle("priority-class", command.priority_class);
  add.option("scheduler-sharding-mode", command.sharding_mode)->check(one_of({"none", "hard", "soft"}));
  add.option("scheduler-sharding-name", command.sharding_name);
  add.list("feature-gates", command.gates);
}

void add_election(FlagAdder& add, SchedulerCommand& command) {
  add.toggle("leader-elect", command.leader_elect);
  add.option_with_default("leader-elect-resource-lock", command.lock_kind)->check(one_of({"leases"}));
  add.option_with_default("leader-elect-resource-name", command.lease_name);
  add.option_with_default("leader-elect-resource-namespace", command.lease_namespace);
  add.option("lock-object-namespace", command.lock_namespace);
  add.duration("leader-elect-lease-duration", command.lease_duration);
  add.duration("leader-elect-renew-deadline", command.renew_deadline);
  add.duration("leader-elect-retry-period", command.retry_period);
}

void add_sights(FlagAdder& add, SchedulerCommand& command) {
  add.toggle("enable-metrics", command.metrics);
  add.toggle("enable-pprof", command.pprof);
  add.toggle("cache-dumper", command.dumps);
  add.option_with_default("cache-dump-dir", command.dump_folder);
  add.option_with_default("listen-address", command.listen);
  add.toggle("enable-healthz", command.healthz);
  add.option_with_default("healthz-address", command.healthz_address);
  add.list("api-names", command.api_names);
  add.option("api-token-file", command.api_token_file);
  add.toggle("whatif", command.whatif);
  add.option_with_default("logging-format", command.log_format)->check(one_of({"text", "json"}));
}

void add_kai(FlagAdder& add, CLI::App& app, SchedulerCommand& command) {
  add.option_with_default("bind", command.binder)->check(one_of({"request", "direct"}));
  add.option_with_default("qps", command.qps)->check(real_number(0));
  add.option_with_default("burst", command.burst)->check(real_number(1, 1e6));
  add.option_with_default("namespace", command.lease_space);
  add.option_with_default("plugin-server-port", command.plugin_port)->check(whole_number(0, 65535));
  add.option_with_default("metrics-namespace", command.metrics_namespace);
  add.toggle("enable-profiler", command.profiler);
  add.option_with_default("profiler-port", command.profiler_port)->check(whole_number(1, 65535));
  add.toggle("log-json", command.log_json);
  add.toggle("update-pod-eviction-condition", command.announce_evictions);
  add_kai_flags(app, command.kai);
}

// With a value or without one.
void add_without_effect(CLI::App& app, const SchedulerFlag& flag, std::map<std::string, std::string>& values) {
  if (flag.use != FlagUse::kNoEffect && flag.use != FlagUse::kRefused) return;
  const auto name = "--" + std::string(flag.name);
  if (app.get_option_no_throw(name) != nullptr) return;  // it has one with the other dialect
  auto* option =
      app.add_option(name, values[std::string(flag.name)], std::string(name_of(flag.use)) + ": " + std::string(flag.meaning))
          ->expected(0, 1)
          ->type_name("")
          ->group(flag.use == FlagUse::kRefused ? "Refused" : "Accepted without effect");
  if (flag.use == FlagUse::kRefused) option->check([meaning = std::string(flag.meaning)](const std::string&) { return meaning; });
}

// Flags of the scheduler whose dialect was not chosen.
void refuse_foreign_flags(const CLI::App& app, const SchedulerCommand& command) {
  const auto own = command.is_kai() ? kai_flags() : volcano_flags();
  for (const auto& flag : command.is_kai() ? volcano_flags() : kai_flags()) {
    if (find_flag(own, flag.name) != nullptr || (command.is_kai() && is_common(flag.name))) continue;
    if (app.get_option("--" + std::string(flag.name))->count() == 0) continue;
    throw CLI::ValidationError("--" + std::string(flag.name),
                               command.is_kai() ? "belongs to Volcano's scheduler and cannot be used with --dialect kai"
                                                : "belongs to KAI's scheduler: give --dialect kai with it");
  }
}

void check_options(const CLI::App& app, const SchedulerCommand& command) {
  refuse_foreign_flags(app, command);
  if (command.is_kai()) {
    if (command.scheduler_names.size() > 1) throw CLI::ValidationError("--scheduler-name", "is one name with --dialect kai");
    return;
  }
  if (app.get_option("--bind")->count() != 0) throw CLI::ValidationError("--bind", "belongs to KAI's dialect");
  for (const auto& gate : command.gates)
    if (const auto wrong = check_gate(gate); !wrong.empty()) throw CLI::ValidationError("--feature-gates", wrong);
}

void add_all(CLI::App& app, SchedulerCommand& command) {
  FlagAdder add(app);
  add_life(add, command);
  add_objects(add, command);
  add_election(add, command);
  add_sights(add, command);
  add.option_with_default("record-max-bytes", command.record_most)->check(check_size);
  app.add_option("-v,--v", command.verbosity, meaning_of("v"))->check(check_verbosity)->capture_default_str();
  app.add_flag_callback(
      "--version", [] { throw CLI::ValidationError("--version", "see muster --version"); }, meaning_of("version"));
  add_kai(add, app, command);
  for (const auto flags : {volcano_flags(), kai_flags()})
    for (const auto& flag : flags) add_without_effect(app, flag, command.passed_over);
}

}  // namespace

void add_scheduler_options(CLI::App& app, SchedulerCommand& command) { add_all(app, command); }
void check_scheduler_options(const CLI::App& app, const SchedulerCommand& command) { check_options(app, command); }
daemon::Log scheduler_log(const SchedulerCommand& command, const kube::Clock& clock) { return make_log(command, clock); }

namespace {

// "-v=3" is given as "=3".
std::map<std::string, std::string> given_flags(const CLI::App& app) {
  std::map<std::string, std::string> out;
  for (const auto* option : app.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_lnames().empty()) continue;
    auto value = flag_value(option->reduced_results());
    if (value.starts_with('=')) value.erase(0, 1);
    out[option->get_lnames().front()] = value.empty() && option->get_items_expected_max() == 0 ? "true" : value;
  }
  return out;
}

void choose_when_checked(CLI::App& app, const std::shared_ptr<SchedulerCommand>& command, Action& chosen) {
  app.callback([command, &app, &chosen] {
    check_options(app, *command);
    command->given = given_flags(app);
    chosen = [command] { return run_scheduler(*command); };
  });
}

// Who records has no use for most of the scheduler's flags: all are taken, so that a scheduler's arguments will do, and these are
// shown.
void show_flags_of_recording(CLI::App& app) {
  static constexpr std::string_view kShown[] = {"--help",
                                                "--dialect",
                                                "--kubeconfig",
                                                "--context",
                                                "--master",
                                                "--scheduler-conf",
                                                "--lenient-config",
                                                "--scheduler-name",
                                                "--schedule-period",
                                                "--partition-label-value",
                                                "--record-max-bytes",
                                                "--v"};
  for (auto* option : app.get_options())
    if (!option->get_positional() && std::ranges::find(kShown, option->get_name()) == std::end(kShown)) option->group("");
}

}  // namespace

void add_scheduler(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<SchedulerCommand>();
  auto* app = program.add_subcommand("scheduler", "Schedule a running cluster in the place of Volcano's scheduler or KAI's");
  add_all(*app, *command);
  FlagAdder(*app).option("record", command->record);
  app->footer(
      "Example:\n"
      "  muster scheduler --kubeconfig ~/.kube/config --scheduler-conf volcano-scheduler.conf --enable-metrics\n"
      "  muster scheduler --dialect kai --kubeconfig ~/.kube/config --scheduler-conf kai-scheduler.conf\n\n"
      "docs/scheduler.md says what works on a cluster and what does not yet, docs/flags.md what became of each flag.\n\n"
      "Exit status: 0 stopped by SIGINT, SIGTERM or SIGHUP; 1 a configuration, an address or an access is no good; 2 wrong usage.");
  choose_when_checked(*app, command, chosen);
}

void add_record(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<SchedulerCommand>();
  command->only_record = true;
  auto* app =
      program.add_subcommand("record", "Follow a running cluster as the scheduler would, and record it; decide and write nothing");
  app->add_option("DIR", command->record, "the folder of the recording, made if it is not there")->required();
  add_all(*app, *command);
  show_flags_of_recording(*app);
  app->footer(
      "Example:\n"
      "  muster record incident/ --kubeconfig ~/.kube/config --scheduler-conf volcano-scheduler.conf\n\n"
      "All flags of muster scheduler are taken: docs/flags.md. The recording has what a scheduler would have seen, and no\n"
      "decisions: muster scheduler --record has both. docs/replay.md says what is in it.\n\n"
      "Exit status: 0 stopped by SIGINT, SIGTERM or SIGHUP; 1 a configuration, a folder or an access is no good; 2 wrong usage.");
  choose_when_checked(*app, command, chosen);
}

}  // namespace muster::cli
