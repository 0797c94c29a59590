#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::cli {

// "; did you mean kai?", or nothing where no known name is near.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known);

// What is wrong with the arguments, and how they were probably meant: the nearest command or option, a forgotten -f, and whose
// --help to read.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments);

// Whether the first argument stands where a command would, and is none.
bool names_unknown_command(const CLI::App& program, const std::vector<std::string>& arguments);

// "muster schedule": the command that the arguments name, or the program alone.
std::string command_named(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace muster::cli
