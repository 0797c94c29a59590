#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "app/printable_text.h"
#include "cli/command.h"
#include "cli/demo_parts.h"
#include "cli/embedded_access.h"
#include "cli/scheduler_options.h"
#include "cli/stop_signals.h"
#include "cli/value_checks.h"
#include "demo/demo.h"
#include "demo/layout.h"
#include "sim/cluster.h"

namespace muster::cli {
namespace {

constexpr auto kStep = std::chrono::milliseconds(500);
constexpr std::int64_t kLostPodSeconds = 10;  // a person who takes a node down wants to see what follows
constexpr std::int64_t kEventSeconds = 300;   // hundreds of jobs tell of themselves, and nobody cleans up
constexpr auto kBetweenReports = std::chrono::seconds(10);

struct DemoCommand {
  std::string dialect = "volcano";
  std::int64_t nodes = 0;  // 0: as many as the scenario says
  double speed = 1;
  std::string scenario;
  bool no_jobs = false;
  bool print_scenario = false;
  std::string listen = "127.0.0.1:8080";
  std::string started_as;

  bool is_kai() const { return dialect == "kai"; }
};

Result<demo::Scenario> scenario_of(const DemoCommand& command) {
  if (command.scenario.empty()) return demo::read_scenario(demo::builtin_scenario(), "built in");
  std::ifstream file(command.scenario, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(command.scenario + ": cannot be read");
  return demo::read_scenario(text.str(), command.scenario);
}

SchedulerCommand scheduler_of(const DemoCommand& command, const DemoFolder& folder, const DemoAddress& address) {
  SchedulerCommand out;
  out.dialect = command.dialect;
  out.binder = "direct";  // there is no binder beside it
  out.kubeconfig = folder.file("kubeconfig");
  out.leader_elect = false;
  out.metrics = true;
  out.listen = address.listen();
  const auto config = demo::scheduler_config(command.is_kai() ? demo::Dialect::kKai : demo::Dialect::kVolcano);
  if (config.empty()) return out;
  out.config = folder.file("scheduler.conf");
  std::ofstream(out.config) << config;
  return out;
}

// A command that can be copied, and what comes of it.
std::string worth_a_try(const std::string& line, std::string_view what) { return fmt::format("  {}\n      {}\n", line, what); }

std::string things_to_try(const DemoCommand& command, const demo::Scenario& scenario, const std::string& page) {
  const auto muster = shell_word(command.started_as);
  const auto server = "--server " + shell_word(page.substr(0, page.size() - 1));
  std::string out = worth_a_try(fmt::format("{} jobs {}", muster, server), "every job, and why it waits");
  const auto* waits = command.no_jobs ? nullptr : demo::too_large_job(scenario);
  if (waits != nullptr) {
    const auto comes =
        waits->at == 0 ? "" : fmt::format(" (it comes after {:.0f} s)", static_cast<double>(waits->at) / command.speed);
    out += worth_a_try(fmt::format("{} explain {}/{} {}", muster, waits->queue, waits->name, server),
                       "why this one waits" + comes + ", and what would help");
  }
  const auto gang = example_file(command.is_kai() ? "demo/kai-gang.yaml" : "demo/gang.yaml", command.started_as);
  if (!gang.empty() && command.scenario.empty())
    out += worth_a_try(fmt::format("{} whatif -f {} {}", muster, shell_word(gang), server),
                       "a gang that nobody has submitted: would it start, who would have to go, or why would it wait");
  return out + worth_a_try(fmt::format("kubectl annotate node {} sim.muster/down=true", demo::lay_out(scenario).front().name),
                           "a node fails, and its gangs begin again elsewhere; sim.muster/down- brings it back");
}

std::string welcome(const DemoCommand& command, const DemoFolder& folder, const demo::Scenario& scenario, const std::string& page) {
  return fmt::format(
      "A cluster of {} runs in this process, and {} schedules it.\n\n"
      "  dashboard   {}\n"
      "  kubectl     export KUBECONFIG={}\n"
      "  log         {}\n\n"
      "To try in another terminal, the last with kubectl (in Debian: apt-get install kubernetes-client):\n"
      "{}\n"
      "Ctrl-C ends it; nothing is kept.\n",
      count_of(static_cast<std::size_t>(scenario.nodes), "node"),
      command.is_kai() ? "muster in KAI's dialect" : "muster in Volcano's dialect", page, folder.file("kubeconfig"),
      folder.file("scheduler.log"), things_to_try(command, scenario, page));
}

std::string demo_report(std::int64_t seconds, const demo::JobCounts& counts) {
  return fmt::format("{:>5} s: {} jobs run on {} GPUs, {} wait, {} are done; {} evicted pods began again\n", seconds,
                     counts.running, counts.gpus_used, counts.waiting, counts.done, counts.begun_again);
}

Result<void> go_on(demo::Demo& show, DemoScheduler& scheduler, DemoPace& pace) {
  using std::chrono::steady_clock;
  const auto begun = steady_clock::now();
  auto next_report = begun + kBetweenReports;
  std::string told;  // each trouble once
  do {
    const auto now = steady_clock::now();
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun).count();
    const auto counts = show.advance(millis);
    if (counts.refused > 0 && counts.refusal != told)
      complain(fmt::format("{} pods are refused, and tried again: {}", counts.refused, counts.refusal));
    told = counts.refusal;
    if (auto fine = scheduler.look(); !fine) return fine;
    if (now < next_report) continue;
    next_report += kBetweenReports;
    write_output(demo_report(millis / 1000, counts));
    if (finish_output(ExitCode::kOk) != ExitCode::kOk) return fail("nobody reads what the demo says");
  } while (pace.wait(kStep));
  return {};
}

Result<void> show_demo(const DemoCommand& command, StopSignals& signals) {
  auto scenario = scenario_of(command);
  if (!scenario) return fail(std::move(scenario.error()));
  demo::DemoSettings settings{.dialect = command.is_kai() ? demo::Dialect::kKai : demo::Dialect::kVolcano,
                              .speed = command.speed,
                              .has_jobs = !command.no_jobs};
  if (command.nodes > 0) settings.load = static_cast<double>(command.nodes) / static_cast<double>(scenario->nodes);
  if (command.nodes > 0) scenario->nodes = command.nodes;

  DemoFolder folder;
  if (auto made = folder.make(); !made) return made;
  sim::ClusterSettings cluster_settings;
  cluster_settings.token = new_cluster_token();
  cluster_settings.controllers = true;  // for what people bring
  cluster_settings.usual_scheduler = command.is_kai() ? "kai-scheduler" : "volcano";
  cluster_settings.event_seconds = kEventSeconds;
  cluster_settings.controlling.lost_pod_seconds = kLostPodSeconds;
  cluster_settings.log = [](std::string_view text) { complain(text); };
  sim::Cluster cluster(std::move(cluster_settings));
  if (auto started = cluster.start(); !started) return started;
  if (auto written = write_kubeconfig(folder.file("kubeconfig"), cluster.kubeconfig()); !written) return written;
  demo::Demo show(cluster, *scenario, settings);
  if (auto built = show.build(); !built) return built;

  // Not before the cluster has its own port, which might be the same.
  const auto address = claim_address(command.listen);
  if (!address) return fail(address.error());
  DemoPace pace;
  DemoScheduler scheduler(scheduler_of(command, folder, *address), folder.file("scheduler.log"));
  write_output(welcome(command, folder, *scenario, address->page()));
  static_cast<void>(finish_output(ExitCode::kOk));
  signals.listen([&pace] { pace.stop(); });
  auto ended = go_on(show, scheduler, pace);
  signals.end();
  return ended;
}

ExitCode run_demo(const DemoCommand& command) {
  if (command.print_scenario) {
    write_output(demo::builtin_scenario());
    return finish_output(ExitCode::kOk);
  }
  StopSignals signals;
  if (const auto shown = show_demo(command, signals); !shown) return complain(shown.error().text());
  return finish_output(ExitCode::kOk);
}

}  // namespace

void add_demo(CLI::App& program, Action& chosen, std::string started_as) {
  auto command = std::make_shared<DemoCommand>();
  command->started_as = std::move(started_as);
  auto* app = program.add_subcommand(
      "demo", "Show it all in one process: a cluster, its nodes, jobs that come and go, the scheduler, the dashboard");
  app->add_option("--dialect", command->dialect, "whose objects and rules: volcano or kai")
      ->check(one_of({"volcano", "kai"}))
      ->capture_default_str();
  app->add_option("--nodes", command->nodes, "how many nodes; jobs come as much more often (default: as the scenario says, 240)")
      ->check(whole_number(1, 20'000));
  app->add_option("--speed", command->speed, "how much faster jobs come and end")
      ->check(real_number(0.1, 100))
      ->capture_default_str();
  app->add_option("--scenario", command->scenario, "a file that says which nodes, queues and jobs there are");
  app->add_flag("--no-jobs", command->no_jobs, "nodes and queues alone: bring your own jobs");
  app->add_option("--listen", command->listen, "where the dashboard is; port 0 takes any that is free")->capture_default_str();
  app->add_flag("--print-scenario", command->print_scenario, "print the scenario that is built in, to begin one's own with");
  app->footer(
      "Example:\n"
      "  muster demo\n"
      "  muster demo --dialect kai --nodes 1000 --speed 2\n\n"
      "docs/first-five-minutes.md walks through it.\n\n"
      "Exit status: 0 it was asked to end; 1 the address or the scenario is no good; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run_demo(*command); }; });
}

}  // namespace muster::cli
