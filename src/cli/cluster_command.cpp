#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>

#include "cli/command.h"
#include "cli/embedded_access.h"
#include "cli/stop_signals.h"
#include "cli/value_checks.h"
#include "sim/cluster.h"

namespace muster::cli {
namespace {

struct ClusterCommand {
  std::string listen = "127.0.0.1:0";
  std::string kubeconfig = "muster.kubeconfig";
  std::string data;
  bool no_kubelets = false;
  bool no_controllers = false;
  std::optional<std::int64_t> evict_after;
  std::string run_time;
  std::int64_t seed = 0;
};

CLI::Validator run_time_range() {
  const auto check = [](const std::string& text) {
    const auto read = sim::parse_run_time(text);
    return read ? std::string() : read.error().message;
  };
  return {check, "TIME or TIME..TIME"};
}

ExitCode run_cluster(const ClusterCommand& command) {
  StopSignals signals;
  sim::ClusterSettings settings;
  settings.listen = command.listen;
  settings.token = new_cluster_token();
  settings.file = command.data;
  settings.kubelets = !command.no_kubelets;
  settings.controllers = !command.no_controllers;
  settings.controlling.lost_pod_seconds = command.evict_after;
  if (const auto time = sim::parse_run_time(command.run_time)) settings.simulating.run_time = *time;
  settings.simulating.seed = static_cast<std::uint64_t>(command.seed);
  settings.log = [](std::string_view text) { complain(text); };
  sim::Cluster cluster(std::move(settings));
  if (const auto started = cluster.start(); !started) return complain(started.error().text());
  if (is_reachable_from_elsewhere(command.listen))
    note("--listen " + command.listen + " can be reached from other machines, by plain HTTP: who learns the address in " +
         command.kubeconfig + ", or listens on the way, may do everything");
  if (const auto lost = what_is_overwritten(command.kubeconfig); !lost.empty()) note("overwrites " + lost);
  if (const auto written = write_kubeconfig(command.kubeconfig, cluster.kubeconfig()); !written)
    return complain(written.error().text());
  write_output(fmt::format("The embedded cluster answers at {}\n\n  kubectl --kubeconfig {} get nodes\n\nCtrl-C ends it{}.\n",
                           cluster.address(), command.kubeconfig,
                           command.data.empty() ? "; nothing is kept" : "; " + command.data + " keeps what is in it"));
  // Whoever started it, with a pipe perhaps, waits for these lines.
  if (const auto told = finish_output(ExitCode::kOk); told != ExitCode::kOk) return told;
  std::mutex mutex;
  std::condition_variable wakes;
  bool stopped = false;
  signals.listen([&] {
    const std::lock_guard lock(mutex);
    stopped = true;
    wakes.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    wakes.wait(lock, [&] { return stopped; });
  }
  cluster.stop();
  return finish_output(ExitCode::kOk);
}

}  // namespace

void add_cluster(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<ClusterCommand>();
  auto* app = program.add_subcommand("cluster", "Serve an embedded cluster: a Kubernetes API on this machine, without Kubernetes");
  app->add_option("--listen", command->listen, "address and port; port 0 takes any that is free")->capture_default_str();
  app->add_option("--write-kubeconfig", command->kubeconfig, "where to write the kubeconfig that leads to it")
      ->capture_default_str();
  app->add_option("--data", command->data, "a file that keeps everything; without one, all is gone with the process");
  auto* no_kubelets = app->add_flag("--no-kubelets", command->no_kubelets, "simulate no kubelets: pods stay as they are written");
  app->add_flag("--no-controllers", command->no_controllers, "no controllers: workloads get no pods, and pods no PodGroups");
  app->add_option("--evict-after", command->evict_after,
                  "seconds until pods of a node that is down are given up, at the latest; without it, as long as they tolerate it: "
                  "300 unless they say otherwise")
      ->check(whole_number(0, 86'400));
  app->add_option("--run-time", command->run_time,
                  "how long pods run that do not say it and have another restartPolicy than Always: 90s, or a range, 10s..2m, of "
                  "which each gets a time; without it, for ever")
      ->check(run_time_range())
      ->excludes(no_kubelets);
  app->add_option("--seed", command->seed, "other times for the same pods, out of the same ranges")
      ->capture_default_str()
      ->check(whole_number(0));
  app->footer(
      "Example:\n"
      "  muster cluster --data cluster.journal &\n"
      "  kubectl --kubeconfig muster.kubeconfig apply -f examples/namespaces.yaml -f examples/first-cluster\n\n"
      "docs/embedded-cluster.md says what it serves and what it does not.\n\n"
      "Exit status: 0 it was asked to end; 1 the address or a file cannot be used; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run_cluster(*command); }; });
}

}  // namespace muster::cli
