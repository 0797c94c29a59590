#include "app/config_check.h"
#include "app/extension_library.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

struct Check {
  std::string file;
  std::string output = "text";
  std::string plugins_dir;
  std::string dialect;
};

ExitCode run_check(const Check& command) {
  const auto extensions = load_extensions(given(command.plugins_dir), dialect_named(command.dialect).value_or(Dialect::kVolcano));
  if (!extensions) return complain(extensions.error().text());
  const ConfigCheckRequest request{
      .file = command.file, .dialect = dialect_named(command.dialect), .json = command.output == "json", .paint = output_paint()};
  const auto checked = check_config_of_any_dialect(request, *extensions);
  if (!checked) return complain(checked.error().text());
  for (const auto& sentence : checked->notes) note(sentence);
  write_output(checked->report);
  return finish_output(checked->good ? ExitCode::kOk : ExitCode::kBadInput);
}

}  // namespace

void add_check(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<Check>();
  auto* app = program.add_subcommand("check", "Validate a scheduler configuration strictly, with line and column");
  app->add_option("CONF", command->file, "a scheduler configuration of Volcano or KAI, or -")->required();
  app->add_option("-o,--output", command->output, "text for people, json for programs")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  add_dialect(*app, command->dialect, "whose configuration it is; without it, what it looks like");
  add_plugins_dir(*app, command->plugins_dir);
  app->footer(
      "Example:\n"
      "  muster check examples/first-cluster.conf\n"
      "  muster check --dialect kai kai-scheduler.yaml\n\n"
      "Exit status: 0 good; 1 problems, or a file that cannot be read; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run_check(*command); }; });
}

}  // namespace muster::cli
