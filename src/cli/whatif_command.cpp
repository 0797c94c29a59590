#include <algorithm>

#include "app/kai_whatif.h"
#include "app/whatif_remote.h"
#include "app/whatif_volcano.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/server_options.h"
#include "cli/value_checks.h"
#include "cli/workload_pods.h"

namespace muster::cli {
namespace {

constexpr std::string_view kNote = "note: ";

struct WhatIf {
  ClusterOptions cluster;
  ServerOptions server;
  std::string question;
  std::string output = "text";
  int tries = WhatIfBounds().tries;
};

Result<WhatIfAnswer> answer_to(const WhatIf& command, const OfflineOptions& options) {
  ProgressLine line;
  const auto progress = line.listener();
  std::vector<std::string> notes;
  auto cluster = command.cluster.dialect() == Dialect::kKai ? kai_whatif_from(options, progress, notes)
                                                            : volcano_whatif_from(options, progress, notes);
  if (!cluster) return fail(std::move(cluster.error()));
  for (const auto& sentence : notes) note(sentence);
  const auto question = read_what_if_at(**cluster, command.question, make_of_workloads());
  if (!question) return fail(question.error());
  std::uint64_t tried = 0;
  return what_if(**cluster, *question, {.tries = command.tries, .enough = [&] {
                                          progress("trying changes", ++tried);
                                          return false;
                                        }});
}

// Lines of an error that begin with "note: " are notes, which are told first.
ExitCode refuse(const Error& error) {
  const auto text = error.text();
  std::string said;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.starts_with(kNote))
      note(line.substr(kNote.size()));
    else
      said += line + "\n";
    at = end + 1;
  }
  return complain(said);
}

ExitCode tell(const WhatIf& command, const Result<WhatIfAnswer>& answer, const std::string& json) {
  if (!answer) return refuse(answer.error());
  for (const auto& sentence : answer->notes) note(sentence);
  write_output(command.output == "json" ? json : whatif_text(*answer, output_paint()));
  return finish_output(ExitCode::kOk);
}

ExitCode run_whatif(const WhatIf& command, const OfflineOptions& options) {
  const auto answer = answer_to(command, options);
  return tell(command, answer, answer ? whatif_json(*answer) + "\n" : std::string());
}

ExitCode run_remote(const WhatIf& command) {
  auto client = command.server.client();
  if (!client) return complain(client.error().text());
  const auto json = ask_scheduler(*client, command.question);
  if (!json) return refuse(json.error());
  return tell(command, read_whatif_answer(*json), *json);
}

}  // namespace

void add_whatif(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<WhatIf>();
  auto* app = program.add_subcommand("whatif", "Say what would happen to a job before it is submitted");
  command->server.add_to(*app, command->cluster, "--cluster", {"--cycles", "--between"});  // as many cycles as it takes
  app->add_option("-f,--filename", command->question,
                  "file or - with the job: a workload, or a PodGroup and its pods, YAML or JSON")
      ->type_name("PATH")
      ->required();
  app->add_option("-o,--output", command->output, "text for people, json for programs")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  app->add_option("--tries", command->tries, "how many changes may be tried to find one that makes it fit")
      ->check(whole_number(0, 10'000))
      ->capture_default_str();
  app->footer(
      "Example:\n"
      "  muster whatif -f job.yaml --cluster examples/first-cluster --config examples/first-cluster.conf\n"
      "  muster whatif --dialect kai -f job.yaml --cluster snapshot.zip\n"
      "  muster whatif -f job.yaml --server localhost:8080\n\n"
      "Exit status: 0 answered, whatever the answer; 1 bad input, or a scheduler that gives no answer; 2 wrong usage.");
  app->callback([command, &chosen] {
    if (command->server.asks()) {
      chosen = [command] { return run_remote(*command); };
      return;
    }
    const auto options = command->cluster.read();
    const bool twice = command->question == "-" && std::ranges::find(options.files, "-") != options.files.end();
    if (twice) throw CLI::ValidationError("-", "standard input can be read only once");
    chosen = [command, options] { return run_whatif(*command, options); };
  });
}

}  // namespace muster::cli
