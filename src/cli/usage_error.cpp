#include "cli/usage_error.h"

#include <algorithm>

#include "base/nearest_name.h"

namespace muster::cli {
namespace {

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = nearest_name(typed, views);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App* chosen_command(const CLI::App& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return nullptr;
  for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == arguments.front()) return command;
  return nullptr;
}

bool gives_files(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& a) { return a.starts_with("-f") || a.starts_with("--filename"); });
}

std::string about_left_over(const CLI::App& command, const std::string& argument, const std::vector<std::string>& arguments) {
  if (argument.starts_with("-")) {
    const auto name = argument.substr(0, argument.find('='));
    return "unknown option " + name + did_you_mean(name, option_names(command));
  }
  std::string text = "unexpected argument " + argument;
  if (command.get_option_no_throw("--filename") != nullptr && gives_files(arguments))
    text += "; -f takes one path, so give -f before each: -f " + argument;
  return text;
}

std::string what_is_wrong(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "no command is given";
  const auto* command = chosen_command(program, arguments);
  const auto& first = arguments.front();
  if (command == nullptr && !first.starts_with("-"))
    return "unknown command " + first + did_you_mean(first, command_names(program));
  if (command == nullptr) return about_left_over(program, first, arguments);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (extras)
    if (const auto rest = command->remaining(); !rest.empty()) return about_left_over(*command, rest.front(), arguments);
  return error.what();
}

}  // namespace

std::string command_named(const CLI::App& program, const std::vector<std::string>& arguments) {
  const auto* command = chosen_command(program, arguments);
  return command == nullptr ? "muster" : "muster " + command->get_name();
}

std::string usage_error(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  return what_is_wrong(program, error, arguments) + "\nsee " + command_named(program, arguments) + " --help";
}

}  // namespace muster::cli
