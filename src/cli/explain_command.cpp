#include "app/explanation.h"
#include "app/explanation_reader.h"
#include "app/kai_explanation.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/server_options.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

struct Explain {
  ClusterOptions cluster;
  ServerOptions server;
  std::string name;
  std::string output = "text";
};

Result<Explanation> explain_name_in_kai(const Explain& command, const OfflineOptions& options) {
  ProgressLine line;
  auto run = KaiOfflineRun::prepare(options, line.listener());
  if (!run) return fail(std::move(run.error()));
  for (const auto& sentence : run->notes()) note(sentence);
  return explain_kai(*run, command.name, line.listener());
}

Result<Explanation> explain_name(const Explain& command, const OfflineOptions& options) {
  if (command.cluster.dialect() == Dialect::kKai) return explain_name_in_kai(command, options);
  ProgressLine line;
  auto run = OfflineRun::prepare(options, line.listener());
  if (!run) return fail(std::move(run.error()));
  for (const auto& sentence : run->notes()) note(sentence);
  return explain(*run, command.name, line.listener());
}

ExitCode run_explain(const Explain& command, const OfflineOptions& options) {
  const auto explanation = explain_name(command, options);
  if (!explanation) return complain(explanation.error().text());
  for (const auto& sentence : explanation->warnings) note(sentence);
  write_output(command.output == "json" ? explanation_json(*explanation) + "\n" : explanation_text(*explanation, output_paint()));
  return finish_output(ExitCode::kOk);
}

// What a running scheduler says, as it would be said of files.
ExitCode ask_to_explain(const Explain& command) {
  auto client = command.server.client();
  if (!client) return complain(client.error().text());
  const auto json = client->explain(command.name);
  if (!json) return complain(json.error().text());
  const auto explanation = explanation_of_json(*json);
  if (!explanation) return complain(client->server() + ": " + explanation.error().text());
  write_output(command.output == "json" ? *json : explanation_text(*explanation, output_paint()));
  return finish_output(ExitCode::kOk);
}

std::string check_name(const std::string& name) {
  if (name.find_first_of("*?") == std::string::npos) return {};
  return "is one name; muster jobs '" + name + "' lists those that a pattern chooses";
}

}  // namespace

void add_explain(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<Explain>();
  auto* app = program.add_subcommand("explain", "Say why a job waits, or where it would go");
  app->add_option("NAME", command->name,
                  "a job (PodGroup), a pod or a workload: name, namespace/name or, of workloads, namespace/kind/name")
      ->required()
      ->check(check_name);
  command->server.add_to(*app, command->cluster);
  app->add_option("-o,--output", command->output, "text for people, json for programs")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  app->footer(
      "Example:\n"
      "  muster explain research/train-large -f examples/first-cluster --config examples/first-cluster.conf\n"
      "  muster explain --dialect kai train-large -f snapshot.zip\n"
      "  muster explain research/train-large --server http://127.0.0.1:8080\n"
      "  muster explain research/job/train-large\n\n"
      "Exit status: 0 explained; 1 bad input, no answer, or nothing of that name; 2 wrong usage.");
  app->callback([command, &chosen] {
    if (command->server.asks())
      chosen = [command] { return ask_to_explain(*command); };
    else
      chosen = [command, options = command->cluster.read()] { return run_explain(*command, options); };
  });
}

}  // namespace muster::cli
