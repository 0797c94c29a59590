#include "base/nearest_name.h"
#include "cli/command.h"

namespace muster::cli {

void add_help(CLI::App& program, Action& chosen) {
  auto name = std::make_shared<std::string>();
  auto* app = program.add_subcommand("help", "Show the help of muster or of one command");
  app->add_option("COMMAND", *name, "a command of muster");
  app->footer(
      "Example:\n"
      "  muster help schedule\n\n"
      "Exit status: 0; 2 no such command.");
  app->callback([name, &program, &chosen] {
    const CLI::App* about = &program;
    if (!name->empty()) {
      std::vector<std::string> names;
      about = nullptr;
      for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
        if (names.back() == *name) about = command;
      }
      if (about == nullptr) {
        const std::vector<std::string_view> views(names.begin(), names.end());
        const auto near = nearest_name(*name, views);
        throw CLI::ValidationError("unknown command " + *name + (near.empty() ? "" : "; did you mean " + near + "?"));
      }
    }
    // Not App::help(), which would show the help of this command: it is the one that was asked for.
    const auto name_shown = about == &program ? std::string("muster") : "muster " + about->get_name();
    const auto text = about->get_formatter()->make_help(about, name_shown, CLI::AppFormatMode::Normal);
    chosen = [text] {
      write_output(text);
      return finish_output(ExitCode::kOk);
    };
  });
}

}  // namespace muster::cli
