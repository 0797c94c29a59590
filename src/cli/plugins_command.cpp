#include "app/settings_report.h"
#include "cli/command.h"

namespace muster::cli {

void add_plugins(CLI::App& program, Action& chosen) {
  auto output = std::make_shared<std::string>("table");
  auto* app = program.add_subcommand("plugins", "List actions, plugins and their arguments");
  app->add_option("-o,--output", *output, "table for people, json for programs")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app->footer(
      "Example:\n"
      "  muster plugins\n"
      "  muster plugins -o json | jq -r '.plugins[] | select(.implemented).name'\n\n"
      "Exit status: 0; 2 wrong usage.");
  app->callback([output, &chosen] {
    chosen = [output] {
      write_output(*output == "json" ? settings_json() + "\n" : settings_text(output_paint()));
      return finish_output(ExitCode::kOk);
    };
  });
}

}  // namespace muster::cli
