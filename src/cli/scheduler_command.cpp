#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "cli/command.h"
#include "cli/scheduler_flags.h"
#include "daemon/daemon.h"
#include "daemon/volcano_setup.h"
#include "model/time.h"

namespace muster::cli {
namespace {

struct SchedulerCommand {
  std::string dialect = "volcano";
  std::string behaviour = "safe";
  std::string kubeconfig;
  std::string context;
  std::string master;
  std::string config;
  bool needs_config = false;
  bool lenient = false;
  std::string period = "1s";
  std::vector<std::string> scheduler_names;
  std::string default_queue;
  std::vector<std::string> node_selector;
  std::vector<std::string> ignored_provisioners;
  bool priority_class = true;
  std::string sharding_mode;
  std::string sharding_name;
  std::vector<std::string> gates;
  bool leader_elect = true;
  std::string lock_kind = "leases";
  std::string lease_name = "volcano";
  std::string lease_namespace = "volcano-system";
  std::string lock_namespace;
  std::string lease_duration = "15s";
  std::string renew_deadline = "10s";
  std::string retry_period = "2s";
  bool metrics = false;
  std::string listen = ":8080";
  bool healthz = false;
  std::string healthz_address = ":11251";
  double qps = 2000;
  double burst = 2000;
  std::string log_format = "text";
  std::string verbosity = "2";
  std::map<std::string, std::string> passed_over;  // flags that change nothing here, by name
};

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

// Empty when the text is right, as CLI11 wants it.
std::string check_duration(const std::string& text) {
  const auto nanos = parse_go_duration(text);
  return nanos && *nanos >= 0 ? "" : "\"" + text + "\" is not a duration such as 1s or 500ms";
}
kube::Duration duration_of(const std::string& text) { return kube::Duration(parse_go_duration(text).value_or(0)); }

// "-v=3" is given as "=3".
std::optional<int> verbosity_of(std::string_view text) {
  if (text.starts_with('=')) text.remove_prefix(1);
  int level = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), level);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(level) : std::nullopt;
}
std::string check_verbosity(const std::string& text) { return verbosity_of(text) ? "" : "\"" + text + "\" is not a number"; }

std::string check_dialect(const std::string& name) {
  if (name == "volcano") return "";
  if (name == "kai") return "this version runs on a cluster in the place of Volcano's scheduler only; kai works with files";
  return "\"" + name + "\" is no dialect: volcano";
}

std::string check_gate(const std::string& gate) {
  const auto equals = gate.find('=');
  const auto value = equals == std::string::npos ? "" : gate.substr(equals + 1);
  if (value != "true" && value != "false") return "\"" + gate + "\" is not of the form Name=true or Name=false";
  if (gate == "SchedulingGatesQueueAdmission=true") return "this version removes no scheduling gates";
  return "";
}

// Unique among all candidates: the pod's name, which is its host's, and the process.
std::string identity() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::string(name) + "_" + std::to_string(getpid());
}

// Waits for the signals that ask to stop; they must be blocked in all threads. Those that ask the original for a dump do nothing.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // Calls back once, on a thread of its own.
  void listen(std::function<void()> on_stop) {
    thread_ = std::thread([this, callback = std::move(on_stop)] {
      for (int signal = 0; !ended_;) {
        sigwait(&set_, &signal);
        if (signal == SIGINT || signal == SIGTERM) return callback();
      }
    });
  }
  ~StopSignals() {
    if (!thread_.joinable()) return;
    ended_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR1);  // nothing if it has ended
    thread_.join();
  }

 private:
  sigset_t set_{};
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

daemon::DaemonOptions daemon_options(const SchedulerCommand& command) {
  daemon::DaemonOptions options;
  options.access = {.kubeconfig = command.kubeconfig, .context = command.context};
  options.server = command.master;
  options.leader_elect = command.leader_elect;
  options.election = {.ns = command.lock_namespace.empty() ? command.lease_namespace : command.lock_namespace,
                      .name = command.lease_name,
                      .identity = identity(),
                      .lease_duration = duration_of(command.lease_duration),
                      .renew_deadline = duration_of(command.renew_deadline),
                      .retry_period = duration_of(command.retry_period)};
  options.config = command.config;
  options.cycles.period = duration_of(command.period);
  if (command.metrics) options.monitor.listen = command.listen;
  if (command.healthz) options.monitor.healthz = command.healthz_address;
  options.writes.per_second = command.qps;
  options.writes.burst = command.burst;
  options.writes.scheduler_name = command.scheduler_names.size() == 1 ? command.scheduler_names.front() : "volcano";
  options.writes.instance = identity();
  if (command.behaviour == "exact") {
    options.writes.evict_by_delete = true;
    options.cycles.hold.first = kube::Duration(0);  // tries again in the next cycle
  }
  return options;
}

daemon::VolcanoLife volcano_life(const SchedulerCommand& command) {
  daemon::VolcanoLife life{.exact = command.behaviour == "exact", .lenient = command.lenient, .flags = {}};
  const auto give = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) life.flags[flag] = value;
  };
  give("scheduler-name", joined(command.scheduler_names));
  give("default-queue", command.default_queue);
  give("node-selector", joined(command.node_selector));
  give("ignored-provisioners", joined(command.ignored_provisioners));
  give("scheduler-sharding-mode", command.sharding_mode);
  give("scheduler-sharding-name", command.sharding_name);
  const bool gate = std::find(command.gates.begin(), command.gates.end(), "PriorityClass=false") == command.gates.end();
  give("priority-class", command.priority_class && gate ? "true" : "false");
  return life;
}

ExitCode run_scheduler(const SchedulerCommand& command) {
  if (command.needs_config && command.config.empty())
    return complain("--disable-default-scheduler-config: there is no configuration without --scheduler-conf");
  StopSignals signals;
  const kube::SystemClock clock;
  daemon::Log log({.level = verbosity_of(command.verbosity).value_or(0) > 3 ? daemon::LogLevel::kDebug : daemon::LogLevel::kInfo,
                   .json = command.log_format == "json"},
                  clock, [](std::string_view line) { std::cerr << line; });
  daemon::Daemon daemon(daemon_options(command), daemon::volcano_clusters(volcano_life(command), log), log);
  signals.listen([&] { daemon.stop(); });
  if (const auto done = daemon.run(); !done) return complain(done.error().text());
  return ExitCode::kOk;
}

// The table's words, for an option that it must have.
std::string meaning_of(std::string_view name) {
  for (const auto& flag : scheduler_flags())
    if (flag.name == name) return std::string(flag.meaning);
  return {};
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
  add.option_with_default("dialect", command.dialect)->check(check_dialect);
  add.option_with_default("behaviour", command.behaviour)->check(CLI::IsMember({"safe", "exact"}));
  add.option("kubeconfig", command.kubeconfig);
  add.option("context", command.context);
  add.option("master", command.master);
  add.option("scheduler-conf", command.config);
  add.toggle("disable-default-scheduler-config", command.needs_config);
  add.toggle("lenient-config", command.lenient);
  add.duration("schedule-period", command.period);
  add.option_with_default("kube-api-qps", command.qps)->check(CLI::NonNegativeNumber);
  add.option_with_default("kube-api-burst", command.burst)->check(CLI::Range(1.0, 1e6));
}

void add_objects(FlagAdder& add, SchedulerCommand& command) {
  add.list("scheduler-name", command.scheduler_names);
  add.option("default-queue", command.default_queue);
  add.list("node-selector", command.node_selector);
  add.list("ignored-provisioners", command.ignored_provisioners);
  add.toggle("priority-class", command.priority_class);
  add.option("scheduler-sharding-mode", command.sharding_mode)->check(CLI::IsMember({"none", "hard", "soft"}));
  add.option("scheduler-sharding-name", command.sharding_name);
  add.list("feature-gates", command.gates)->check(check_gate);
}

void add_election(FlagAdder& add, SchedulerCommand& command) {
  add.toggle("leader-elect", command.leader_elect);
  add.option_with_default("leader-elect-resource-lock", command.lock_kind)->check(CLI::IsMember({"leases"}));
  add.option_with_default("leader-elect-resource-name", command.lease_name);
  add.option_with_default("leader-elect-resource-namespace", command.lease_namespace);
  add.option("lock-object-namespace", command.lock_namespace);
  add.duration("leader-elect-lease-duration", command.lease_duration);
  add.duration("leader-elect-renew-deadline", command.renew_deadline);
  add.duration("leader-elect-retry-period", command.retry_period);
}

void add_sights(FlagAdder& add, SchedulerCommand& command) {
  add.toggle("enable-metrics", command.metrics);
  add.option_with_default("listen-address", command.listen);
  add.toggle("enable-healthz", command.healthz);
  add.option_with_default("healthz-address", command.healthz_address);
  add.option_with_default("logging-format", command.log_format)->check(CLI::IsMember({"text", "json"}));
}

// With a value or without one.
void add_without_effect(CLI::App& app, std::map<std::string, std::string>& values) {
  for (const auto& flag : scheduler_flags()) {
    if (flag.use != FlagUse::kNoEffect && flag.use != FlagUse::kRefused) continue;
    const auto text = std::string(name_of(flag.use)) + ": " + std::string(flag.meaning);
    auto* option = app.add_option("--" + std::string(flag.name), values[std::string(flag.name)], text)
                       ->expected(0, 1)
                       ->type_name("")
                       ->group(flag.use == FlagUse::kRefused ? "Refused" : "Accepted without effect");
    if (flag.use == FlagUse::kRefused) option->check([meaning = std::string(flag.meaning)](const std::string&) { return meaning; });
  }
}

}  // namespace

void add_scheduler(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<SchedulerCommand>();
  auto* app = program.add_subcommand("scheduler", "Schedule a running cluster in the place of Volcano's scheduler");
  FlagAdder add(*app);
  add_life(add, *command);
  add_objects(add, *command);
  add_election(add, *command);
  add_sights(add, *command);
  app->add_option("-v,--v", command->verbosity, meaning_of("v"))->check(check_verbosity)->capture_default_str();
  app->add_flag_callback(
      "--version", [] { throw CLI::ValidationError("--version", "see muster --version"); }, meaning_of("version"));
  add_without_effect(*app, command->passed_over);
  app->footer(
      "Example:\n"
      "  muster scheduler --kubeconfig ~/.kube/config --scheduler-conf volcano-scheduler.conf --enable-metrics\n\n"
      "docs/scheduler.md says what works on a cluster and what does not yet, docs/flags.md what became of each flag.\n\n"
      "Exit status: 0 stopped by SIGINT or SIGTERM; 1 a configuration, an address or an access that is no good; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run_scheduler(*command); }; });
}

}  // namespace muster::cli
