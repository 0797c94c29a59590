#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/terminal.h"

namespace muster::cli {

// What a subcommand does once its options are read.
using Action = std::function<ExitCode()>;

// Each adds one subcommand and sets `chosen` when it is the one that was asked for.
void add_schedule(CLI::App& program, Action& chosen);
void add_explain(CLI::App& program, Action& chosen);
void add_whatif(CLI::App& program, Action& chosen);
void add_check(CLI::App& program, Action& chosen);
void add_scheduler(CLI::App& program, Action& chosen);
void add_record(CLI::App& program, Action& chosen);
void add_replay(CLI::App& program, Action& chosen);
void add_cluster(CLI::App& program, Action& chosen);
// `started_as` is how the program was called, for commands that people may copy.
void add_demo(CLI::App& program, Action& chosen, std::string started_as);
void add_shadow(CLI::App& program, Action& chosen);
void add_plugins(CLI::App& program, Action& chosen);
// After all others: its text is taken from them.
void add_help(CLI::App& program, Action& chosen);

}  // namespace muster::cli
