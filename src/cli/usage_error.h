#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::cli {

// What is wrong with the arguments, and how they were probably meant: the nearest command or option, a forgotten -f, and whose
// --help to read.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments);

// "muster schedule": the command that the arguments name, or the program alone.
std::string command_named(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace muster::cli
