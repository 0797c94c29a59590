#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/scheduler_options.h"
#include "cli/stop_signals.h"
#include "cli/value_checks.h"
#include "daemon/shadow.h"
#include "model/time.h"

namespace muster::cli {
namespace {

struct ShadowCommand {
  SchedulerCommand scheduler;
  std::string output = "text";
  std::string length;
  std::string grace = "5s";
  std::string skew = "2s";
  bool everything = false;
};

std::string check_length(const std::string& text) {
  const auto nanos = parse_go_duration(text);
  return nanos && *nanos > 0 ? "" : "\"" + text + "\" is not a time such as 30s or 10m";
}

kube::Duration time_of(const std::string& text) { return kube::Duration(parse_go_duration(text).value_or(0)); }

daemon::shadow::ShadowOptions shadow_options(const ShadowCommand& command) {
  const auto& scheduler = command.scheduler;
  daemon::shadow::ShadowOptions options;
  options.access = scheduler.access();
  options.config = scheduler.config;
  if (!command.length.empty()) options.length = time_of(command.length);
  options.subject.dialect = scheduler.dialect;
  options.subject.scheduler_names = scheduler.scheduler_names;
  if (options.subject.scheduler_names.empty()) options.subject.scheduler_names = {scheduler.scheduler_name()};
  options.watch.grace = time_of(command.grace);
  options.watch.judge.skew = time_of(command.skew);
  return options;
}

ExitCode run_shadow(const ShadowCommand& command) {
  StopSignals signals;
  const kube::SystemClock clock;
  auto log = scheduler_log(command.scheduler, clock);
  daemon::shadow::Shadow shadow(shadow_options(command), daemon::shadow::clusters_for_plans(taped_life(command.scheduler), log),
                                log);
  signals.listen([&] { shadow.stop(); });
  const bool is_json = command.output == "json";
  const auto summary = shadow.run([&](const daemon::shadow::Finding& finding) {
    if (!command.everything && !daemon::shadow::is_otherwise(finding.verdict)) return;
    const bool is_read =
        write_output(is_json ? daemon::shadow::finding_json(finding) : daemon::shadow::finding_text(finding, output_paint()));
    if (!is_read || std::fflush(stdout) != 0) shadow.stop();  // nobody reads any more
  });
  signals.end();  // what they would stop goes before them
  if (!summary) return complain(summary.error().text());
  write_output(is_json ? daemon::shadow::summary_json(*summary) : daemon::shadow::summary_text(*summary, output_paint()));
  return finish_output(summary->otherwise() == 0 ? ExitCode::kOk : ExitCode::kDiffers);
}

}  // namespace

void add_shadow(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<ShadowCommand>();
  auto* app = program.add_subcommand("shadow", "Watch a live Volcano or KAI scheduler and say where muster would decide otherwise");
  command->scheduler.behaviour = "exact";
  add_scheduler_options(*app, command->scheduler);
  app->add_option("-o,--output", command->output, "text for people, json for programs: a line for each finding, and a summary")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  app->add_option("--for", command->length, "how long, from when all objects are known; without it until SIGINT, SIGTERM or SIGHUP")
      ->check(check_length);
  app->add_option("--grace", command->grace, "how long the other may take for what muster would do at once")
      ->check(check_length)
      ->capture_default_str();
  app->add_option("--skew", command->skew, "by how much older or newer the other's view of the cluster may have been")
      ->check(check_length)
      ->capture_default_str();
  app->add_flag("--all", command->everything, "say what was decided the same, too");
  app->footer(
      "Example:\n"
      "  muster shadow --kubeconfig ~/.kube/config --scheduler-conf volcano-scheduler.conf --for 10m\n"
      "  muster shadow --dialect kai --kubeconfig ~/.kube/config --scheduler-conf kai-scheduler.conf -o json\n"
      "  muster shadow --scheduler-conf volcano-scheduler.conf --behaviour safe    # as muster would by default\n\n"
      "Give it the flags and the configuration of the scheduler that it watches. It writes nothing to the cluster and needs no\n"
      "right but to list and watch. docs/shadow.md says what is compared, and how.\n\n"
      "Exit status: 0 nothing would have been decided otherwise; 1 a configuration or an access that is no good; 2 wrong usage;\n"
      "4 something would have been decided otherwise.");
  app->callback([command, app, &chosen] {
    check_scheduler_options(*app, command->scheduler);
    chosen = [command] { return run_shadow(*command); };
  });
}

}  // namespace muster::cli
