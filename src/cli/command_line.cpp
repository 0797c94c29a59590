#include "cli/command_line.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/build_commit.h"
#include "cli/command.h"
#include "cli/usage_error.h"
#include "cli/view_commands.h"

namespace muster::cli {
namespace {

// Help and version are asked for, everything else is wrong usage, also the help of a command that there is not.
ExitCode explain_usage(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const bool is_asked_for = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
  if (is_asked_for && !names_unknown_command(program, arguments)) {
    std::ostringstream text;
    static_cast<void>(program.exit(error, text, text));
    write_output(text.str());
    return finish_output(ExitCode::kOk);
  }
  complain(usage_error(program, error, arguments));
  return ExitCode::kUsage;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App program("A batch and gang scheduler for Kubernetes: Volcano's and KAI's decisions, from files or on a running cluster.",
                   "muster");
  program.set_version_flag("--version", "muster " MUSTER_VERSION ", commit " + std::string(build_commit()));
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  program.footer(
      "Example:\n"
      "  muster schedule -f examples/first-cluster --config examples/first-cluster.conf\n\n"
      "Exit status: 0 success; 1 bad input or a failed check; 2 wrong usage; 3 a batch with cases that cannot be run;\n"
      "4 a replay or a shadow in which something was decided otherwise.\n"
      "muster help COMMAND shows all options of a command.\n"
      "Results go to standard output, notes and errors to standard error. NO_COLOR turns colours off.");
  Action chosen;
  add_schedule(program, chosen);
  add_explain(program, chosen);
  add_whatif(program, chosen);
  add_check(program, chosen);
  add_scheduler(program, chosen);
  add_record(program, chosen);
  add_replay(program, chosen);
  add_cluster(program, chosen);
  add_demo(program, chosen, argc > 0 ? argv[0] : "muster");
  add_shadow(program, chosen);
  add_plugins(program, chosen);
  add_views(program, chosen);
  add_help(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(explain_usage(program, error, {argv + std::min(argc, 1), argv + argc}));
  }
  return static_cast<int>(chosen());
}

}  // namespace muster::cli
