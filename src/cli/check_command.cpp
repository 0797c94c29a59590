#include "app/config_report.h"
#include "app/extension_library.h"
#include "cli/cluster_options.h"
#include "cli/command.h"

namespace muster::cli {
namespace {

struct Check {
  std::string file;
  std::string output = "text";
  std::string plugins_dir;
};

ExitCode run(const Check& command) {
  const auto extensions = load_extensions(given(command.plugins_dir));
  if (!extensions) return complain(extensions.error().text());
  const auto checked = check_config(command.file, volcano::Strictness::kStrict, *extensions);
  if (!checked) return complain(checked.error().text());
  write_output(command.output == "json" ? config_report_json(*checked) + "\n" : config_report_text(*checked, output_paint()));
  return finish_output(checked->good() ? ExitCode::kOk : ExitCode::kBadInput);
}

}  // namespace

void add_check(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<Check>();
  auto* app = program.add_subcommand("check", "Validate a scheduler configuration strictly, with line and column");
  app->add_option("CONF", command->file, "a Volcano scheduler configuration, or -")->required();
  app->add_option("-o,--output", command->output, "text for people, json for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_plugins_dir(*app, command->plugins_dir);
  app->footer(
      "Example:\n"
      "  muster check examples/first-cluster.conf\n\n"
      "Exit status: 0 good; 1 problems, or a file that cannot be read; 2 wrong usage.");
  app->callback([command, &chosen] { chosen = [command] { return run(*command); }; });
}

}  // namespace muster::cli
