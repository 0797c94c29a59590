#include "app/extension_library.h"
#include "app/kai_settings.h"
#include "app/settings_report.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

struct Plugins {
  std::string output = "table";
  std::string plugins_dir;
  std::string dialect = "volcano";
};

ExitCode run_plugins(const Plugins& command) {
  const auto dialect = dialect_named(command.dialect).value_or(Dialect::kVolcano);
  const auto extensions = load_extensions(given(command.plugins_dir), dialect);
  if (!extensions) return complain(extensions.error().text());
  if (dialect == Dialect::kKai)
    write_output(command.output == "json" ? kai_settings_json(*extensions) + "\n" : kai_settings_text(output_paint(), *extensions));
  else
    write_output(command.output == "json" ? settings_json(*extensions) + "\n" : settings_text(output_paint(), *extensions));
  return finish_output(ExitCode::kOk);
}

}  // namespace

void add_plugins(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<Plugins>();
  auto* app = program.add_subcommand("plugins", "List actions, plugins and their arguments");
  app->add_option("-o,--output", command->output, "table for people, json for programs")
      ->check(one_of({"table", "json"}))
      ->capture_default_str();
  add_dialect(*app, command->dialect, "whose actions and plugins; KAI's have flags as well")->capture_default_str();
  add_plugins_dir(*app, command->plugins_dir);
  app->footer(
      "Example:\n"
      "  muster plugins\n"
      "  muster plugins --dialect kai\n"
      "  muster plugins -o json | jq -r '.plugins[] | select(.implemented).name'\n\n"
      "Exit status: 0; 1 a library that cannot be used; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run_plugins(*command); }; });
}

}  // namespace muster::cli
