#include "app/batch.h"
#include "app/extension_library.h"
#include "app/kai_outlook.h"
#include "app/kai_run.h"
#include "app/kai_table.h"
#include "app/printable_text.h"
#include "app/schedule_report.h"
#include "app/yaml_text.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

struct Schedule {
  ClusterOptions cluster;
  std::string output = "table";
  std::string batch;
  bool timing = false;
  bool batch_is_safe = false;
};

ExitCode run_cases(const Schedule& command, const OfflineOptions& given) {
  auto extensions = load_extensions(given.plugins_dir);
  if (!extensions) return complain(extensions.error().text());
  const BatchOptions options{command.timing, command.batch_is_safe, given.search, std::move(*extensions)};
  const auto done = run_batch(command.batch, options, [](const std::string& line) { write_output(line + "\n"); });
  if (!done) return complain(done.error().text());
  if (done->broken != 0) {
    complain(done->first_broken->text());
    return finish_output(complain(command.batch + ": " + count_of(done->broken, "line") +
                                  (done->broken == 1 ? " is no case" : " are no cases") + " in the conformance format"));
  }
  if (done->done + done->refused == 0) return complain(command.batch + ": holds no case");
  if (done->refused == 0) return finish_output(ExitCode::kOk);
  note(count_of(done->refused, "case") + " of " + std::to_string(done->done + done->refused) +
       " could not be run; each outcome says why");
  return finish_output(ExitCode::kCasesRefused);
}

// What a case brings itself, or what a batch is not made for.
void refuse_beside_batch(const CLI::App& app, const std::string& output) {
  const auto refuse = [&](const std::string& name) {
    if (app.get_option(name)->count() != 0)
      throw CLI::ValidationError(name, "cannot be used with --batch: every case brings its own");
  };
  for (const auto& name : ClusterOptions::flags_of(Dialect::kKai)) refuse(name);
  for (const char* name : {"--filename", "--config", "--lenient-config", "--cycles", "--between", "--now", "--period", "--usage",
                           "--scheduler-name", "--default-queue", "--node-selector", "--ignored-provisioners", "--priority-class",
                           "--scheduler-sharding-mode", "--scheduler-sharding-name"})
    refuse(name);
  if (app.get_option("--output")->count() != 0 && output != "json")
    throw CLI::ValidationError("--output", "cannot be " + output + " with --batch: outcomes are lines of JSON");
}

std::string report(const std::string& output, const std::vector<JobOutlook>& jobs, const std::vector<VolcanoCycle>& cycles) {
  if (output == "table") return schedule_table(jobs, cycles, output_paint());
  const auto json = outcome_json(std::nullopt, cycles, nullptr);
  return output == "yaml" ? yaml_of_json(json) : json + "\n";
}

ExitCode run_files(const Schedule& command, const OfflineOptions& options) {
  std::vector<JobOutlook> jobs;
  std::vector<VolcanoCycle> cycles;
  {
    ProgressLine line;
    auto run = OfflineRun::prepare(options, line.listener());
    if (!run) return complain(run.error().text());
    for (const auto& sentence : run->notes()) note(sentence);
    OfflineRun::Looks looks;
    if (command.output == "table") looks.after_actions = [&](volcano::Session& session) { jobs = outlooks_of(session); };
    cycles = run->run(looks, line.listener());
  }
  for (const auto& sentence : warnings_of(cycles)) note(sentence);
  write_output(report(command.output, jobs, cycles));
  return finish_output(ExitCode::kOk);
}

Result<KaiRunOutcome> run_kai_cycles(const Schedule& command, const OfflineOptions& options, std::vector<JobOutlook>& jobs) {
  ProgressLine line;
  auto run = KaiOfflineRun::prepare(options, line.listener());
  if (!run) return fail(std::move(run.error()));
  for (const auto& sentence : run->notes()) note(sentence);
  KaiOfflineRun::Looks looks;
  if (command.output == "table") looks.after_actions = [&](kai::Session& session) { jobs = jobs_of(KaiOutlooks(session).all()); };
  return run->run(looks, line.listener());
}

ExitCode run_kai(const Schedule& command, const OfflineOptions& options) {
  std::vector<JobOutlook> jobs;
  const auto outcome = run_kai_cycles(command, options, jobs);
  if (!outcome) return complain(outcome.error().text());
  for (const auto& sentence : outcome->warnings) note(sentence);
  if (command.output == "table") {
    write_output(kai_schedule_table(jobs, outcome->cycles, output_paint()));
  } else {
    const auto json = kai_outcome_json(std::nullopt, outcome->cycles, outcome->final_pods, nullptr);
    write_output(command.output == "yaml" ? yaml_of_json(json) : json + "\n");
  }
  return finish_output(ExitCode::kOk);
}

}  // namespace

void add_schedule(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<Schedule>();
  auto* app = program.add_subcommand("schedule", "Decide where the pods of a cluster given as files would go");
  command->cluster.add_to(*app);
  app->add_option("-o,--output", command->output, "table for people; json and yaml with the keys of docs/cli.md")
      ->check(one_of({"table", "json", "yaml"}))
      ->capture_default_str();
  auto* batch = app->add_option("--batch", command->batch,
                                "run every case of a file in the conformance format; exact unless --behaviour safe is given")
                    ->type_name("CASES.jsonl");
  app->add_flag("--timing", command->timing, "with --batch: add times and work counters to each outcome")->needs(batch);
  app->footer(
      "Example:\n"
      "  muster schedule -f examples/first-cluster --config examples/first-cluster.conf\n"
      "  kubectl get nodes,pods,podgroups.scheduling.volcano.sh,queues.scheduling.volcano.sh,priorityclasses -A -o json | muster "
      "schedule -f -\n"
      "  muster schedule --dialect kai -f snapshot.zip\n\n"
      "Exit status: 0 decided, jobs may wait; 1 bad input; 2 wrong usage; 3 a batch with cases that cannot be run.");
  app->callback([command, app, batch, &chosen] {
    const auto options = command->cluster.read();
    if (batch->count() == 0 && options.files.empty()) throw CLI::RequiredError("-f or --batch");
    if (batch->count() != 0) refuse_beside_batch(*app, command->output);
    command->batch_is_safe = app->get_option("--behaviour")->count() != 0 && !options.exact;
    if (batch->count() != 0)
      chosen = [command, options] { return run_cases(*command, options); };
    else if (command->cluster.dialect() == Dialect::kKai)
      chosen = [command, options] { return run_kai(*command, options); };
    else
      chosen = [command, options] { return run_files(*command, options); };
  });
}

}  // namespace muster::cli
