#include "cli/usage_error.h"

#include <algorithm>

#include "base/nearest_name.h"

namespace muster::cli {
namespace {

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

bool is_typed(const std::vector<std::string>& arguments, const std::string& option) {
  return std::ranges::any_of(arguments, [&](const std::string& a) { return a == option || a.starts_with(option + "="); });
}

// "-f": an option as it was typed, and otherwise as most people type it.
std::string typed_name(const CLI::Option& option, const std::vector<std::string>& arguments) {
  if (option.get_snames().empty() || is_typed(arguments, option.get_name())) return option.get_name();
  return "-" + option.get_snames().front();
}

// Whether an argument stands behind the path of a -f, as if that took several.
bool is_behind_file(const std::string& argument, const std::vector<std::string>& arguments) {
  const auto brings_path = [](const std::string& a) { return (a.starts_with("-f") && a != "-f") || a.starts_with("--filename="); };
  for (std::size_t at = 1; at < arguments.size(); ++at) {
    if (arguments[at] != argument) continue;
    if (brings_path(arguments[at - 1])) return true;
    if (at > 1 && (arguments[at - 2] == "-f" || arguments[at - 2] == "--filename")) return true;
  }
  return false;
}

// The argument that is given by its place and was given already.
std::string about_place_taken(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (option->get_positional() && option->count() != 0)
      return "; " + command.get_name() + " takes one " + option->get_name() + ", and that is " + option->results().front();
  return {};
}

// What has to be given and was not may be what an argument without an option was meant for.
std::string about_required(const CLI::App& command, const std::string& argument, const std::vector<std::string>& arguments) {
  for (const auto* option : command.get_options())
    if (option->get_required() && !option->get_positional() && option->count() == 0)
      return "; " + typed_name(*option, arguments) + " is required: " + typed_name(*option, arguments) + " " + argument;
  return {};
}

std::string about_left_over(const CLI::App& command, const std::string& argument, const std::vector<std::string>& arguments) {
  if (argument.starts_with("-")) {
    const auto name = argument.substr(0, argument.find('='));
    return "unknown option " + name + did_you_mean(name, option_names(command));
  }
  const auto text = "unexpected argument " + argument;
  const auto* files = command.get_option_no_throw("--filename");
  if (files != nullptr && files->get_items_expected_max() > 1 && is_behind_file(argument, arguments))
    return text + "; -f takes one path, so give -f before each: -f " + argument;
  return text + about_place_taken(command) + about_required(command, argument, arguments);
}

// What the library says of one option begins with its name.
std::string about_option(const CLI::App& command, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const std::string said = error.what();
  const auto name = said.substr(0, said.find_first_of(": "));
  const auto* option = name.empty() ? nullptr : command.get_option_no_throw(name);
  if (option == nullptr) return said;
  const auto typed = typed_name(*option, arguments);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return typed + said.substr(name.size());
  const bool too_often = option->count() > static_cast<std::size_t>(option->get_items_expected_max());
  return typed + (too_often ? ": is given more than once" : ": needs a value");
}

std::string what_is_wrong(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "no command is given";
  const auto* command = chosen_command(program, arguments);
  const auto& first = arguments.front();
  if (command == nullptr && first == "version") return "unknown command version; muster --version tells it";
  if (command == nullptr && !first.starts_with("-"))
    return "unknown command " + first + did_you_mean(first, command_names(program));
  if (command == nullptr) return about_left_over(program, first, arguments);
  // What is missing is often there under a mistyped name.
  const bool unplaced =
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (unplaced)
    if (const auto rest = command->remaining(); !rest.empty()) return about_left_over(*command, rest.front(), arguments);
  return about_option(*command, error, arguments);
}

}  // namespace

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = nearest_name(typed, views);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

bool names_unknown_command(const CLI::App& program, const std::vector<std::string>& arguments) {
  return !arguments.empty() && !arguments.front().starts_with("-") && chosen_command(program, arguments) == nullptr;
}

std::string command_named(const CLI::App& program, const std::vector<std::string>& arguments) {
  const auto* command = chosen_command(program, arguments);
  return command == nullptr ? "muster" : "muster " + command->get_name();
}

std::string usage_error(const CLI::App& program, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  return what_is_wrong(program, error, arguments) + "\nsee " + command_named(program, arguments) + " --help";
}

}  // namespace muster::cli
