#include <csignal>
#include <cstdlib>
#include <iostream>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "app/config_dialect.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
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
  bool lenient = false;
  std::string period = "1s";
  std::vector<std::string> scheduler_names;
  std::string default_queue;
  std::vector<std::string> node_selector;
  std::string leader_elect = "true";
  std::string lease_name = "volcano";
  std::string lease_namespace = "volcano-system";
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
  int verbosity = 2;
};

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

kube::Duration duration_of(const std::string& flag, const std::string& text) {
  const auto nanos = parse_go_duration(text);
  if (!nanos || *nanos < 0) throw CLI::ValidationError(flag, "is no duration such as 1s or 500ms: " + text);
  return kube::Duration(*nanos);
}

// Unique among all candidates: the pod's name, which is its host's, and the process.
std::string identity() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::string(name) + "_" + std::to_string(getpid());
}

// Waits for the signals that ask to stop; they must be blocked in all threads.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // Calls back once, on a thread of its own.
  void listen(std::function<void()> on_stop) {
    thread_ = std::thread([this, callback = std::move(on_stop)] {
      int signal = 0;
      sigwait(&set_, &signal);
      if (signal != SIGUSR1) callback();
    });
  }
  ~StopSignals() {
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGUSR1);  // nothing if it has ended
    thread_.join();
  }

 private:
  sigset_t set_{};
  std::thread thread_;
};

ExitCode run_scheduler(const SchedulerCommand& command) {
  daemon::DaemonOptions options;
  options.access = {.kubeconfig = command.kubeconfig, .context = command.context};
  options.server = command.master;
  options.leader_elect = command.leader_elect != "false";
  options.election = {.ns = command.lease_namespace,
                      .name = command.lease_name,
                      .identity = identity(),
                      .lease_duration = duration_of("--leader-elect-lease-duration", command.lease_duration),
                      .renew_deadline = duration_of("--leader-elect-renew-deadline", command.renew_deadline),
                      .retry_period = duration_of("--leader-elect-retry-period", command.retry_period)};
  options.config = command.config;
  options.cycles.period = duration_of("--schedule-period", command.period);
  // Volcano's serves metrics only when it is told to, KAI's always.
  if (command.metrics || command.dialect == "kai") options.monitor.listen = command.listen;
  if (command.healthz) options.monitor.healthz = command.healthz_address;
  options.writes.per_second = command.qps;
  options.writes.burst = command.burst;
  options.writes.evict_by_delete = command.behaviour == "exact";
  options.writes.scheduler_name = command.scheduler_names.size() == 1 ? command.scheduler_names.front() : "volcano";
  options.writes.instance = identity();

  daemon::VolcanoLife life{.exact = command.behaviour == "exact", .lenient = command.lenient, .flags = {}};
  if (!command.scheduler_names.empty()) life.flags["scheduler-name"] = joined(command.scheduler_names);
  if (!command.default_queue.empty()) life.flags["default-queue"] = command.default_queue;
  if (!command.node_selector.empty()) life.flags["node-selector"] = joined(command.node_selector);

  StopSignals signals;
  const kube::SystemClock clock;
  daemon::Log log(
      {.level = command.verbosity > 3 ? daemon::LogLevel::kDebug : daemon::LogLevel::kInfo, .json = command.log_format == "json"},
      clock, [](std::string_view line) { std::cerr << line; });
  daemon::Daemon daemon(std::move(options), daemon::volcano_clusters(std::move(life), log), log);
  signals.listen([&] { daemon.stop(); });
  if (const auto done = daemon.run(); !done) return complain(done.error().text());
  return ExitCode::kOk;
}

}  // namespace

void add_scheduler(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<SchedulerCommand>();
  auto* app = program.add_subcommand("scheduler", "Schedule a cluster: takes the place of the scheduler whose dialect it speaks");
  add_dialect(*app, command->dialect, "Whose scheduler to take the place of");
  app->add_option("--behaviour", command->behaviour, "safe, or exact: with the original's quirks")
      ->check(CLI::IsMember({"safe", "exact"}))
      ->capture_default_str();
  app->add_option("--kubeconfig", command->kubeconfig,
                  "How to reach the cluster; without it as kubectl does, or as the pod that it is");
  app->add_option("--context", command->context, "A context of the kubeconfig instead of its current one");
  app->add_option("--master", command->master, "The API server's address instead of the kubeconfig's");
  app->add_option("--scheduler-conf", command->config, "The configuration file; read again when it changes");
  app->add_flag("--lenient-config", command->lenient, "Pass over what the original would pass over in the configuration");
  app->add_option("--schedule-period", command->period, "The longest wait from one cycle to the next")->capture_default_str();
  app->add_option("--scheduler-name", command->scheduler_names, "Whose pods these are: their spec.schedulerName (repeatable)");
  app->add_option("--default-queue", command->default_queue, "The queue of groups that name none");
  app->add_option("--node-selector", command->node_selector, "Only nodes with one of these labels, key:value (repeatable)");
  app->add_option("--leader-elect", command->leader_elect, "Decide only while holding the lease")->capture_default_str();
  app->add_option("--leader-elect-resource-name", command->lease_name, "The lease's name")->capture_default_str();
  app->add_option("--leader-elect-resource-namespace", command->lease_namespace, "The lease's namespace")->capture_default_str();
  app->add_option("--leader-elect-lease-duration", command->lease_duration, "How long a lease holds without renewal")
      ->capture_default_str();
  app->add_option("--leader-elect-renew-deadline", command->renew_deadline, "How long a leader goes on without renewal")
      ->capture_default_str();
  app->add_option("--leader-elect-retry-period", command->retry_period, "The time between two attempts at it")
      ->capture_default_str();
  app->add_flag("--enable-metrics", command->metrics, "Serve /metrics on the listen address");
  app->add_option("--listen-address", command->listen, "Where metrics and the rest are served")->capture_default_str();
  app->add_flag("--enable-healthz", command->healthz, "Serve /healthz and /readyz on an address of their own");
  app->add_option("--healthz-address", command->healthz_address, "That address")->capture_default_str();
  app->add_option("--kube-api-qps", command->qps, "Writes per second")->capture_default_str();
  app->add_option("--kube-api-burst", command->burst, "Writes at once")->capture_default_str();
  app->add_option("--logging-format", command->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app->add_option("-v,--v", command->verbosity, "How much is said; more than 3: everything")->capture_default_str();
  app->callback([command, &chosen] { chosen = [command] { return run_scheduler(*command); }; });
}

}  // namespace muster::cli
