#include "app/config_file.h"

#include <fmt/format.h>

#include "codec/input.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

using volcano::Severity;

volcano::ConfigReading refused(std::string message, Location location) {
  volcano::ConfigReading reading;
  reading.diagnostics.push_back({Severity::kError, std::move(message), std::move(location), {}});
  return reading;
}

// People export the object that holds the configuration and forget to take the configuration out of it.
bool is_config_map(const Value& root) {
  const auto* kind = root.find("kind");
  return kind != nullptr && kind->as_string() != nullptr && *kind->as_string() == "ConfigMap";
}

}  // namespace

Result<CheckedConfig> check_config(const std::string& path, volcano::Strictness strictness, const ExtensionSet& extensions) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return check_config_text(std::string(input->text()), input->name(), strictness, extensions);
}

CheckedConfig check_config_text(const std::string& text, const std::string& file, volcano::Strictness strictness,
                                const ExtensionSet& extensions) {
  const auto root = read_yaml_value(text, file);
  if (!root) return {file, false, refused(root.error().message, root.error().location)};
  if (root->is_null()) return {file, true, volcano::ConfigReading{volcano::default_config(), {}}};
  if (is_config_map(*root))
    return {file, false,
            refused("this is the ConfigMap that holds a configuration; give the text of its data entry in a file of its own",
                    Location{file, root->line(), root->column()})};
  return {file, false, volcano::inspect_config(*root, file, strictness, extensions)};
}

Result<volcano::Config> usable_config(CheckedConfig checked, std::vector<std::string>& notes) {
  std::string errors;
  for (const auto& problem : checked.reading.diagnostics) {
    if (problem.severity == Severity::kError)
      errors += problem_text(problem) + "\n";
    else
      notes.push_back(problem_text(problem));
  }
  if (!errors.empty()) return fail(std::move(errors));
  return std::move(checked.reading.config);
}

std::string problem_text(const volcano::Diagnostic& problem) {
  auto text = Error(problem.message, problem.location).text();
  if (!problem.suggestion.empty()) text += fmt::format("; did you mean \"{}\"?", problem.suggestion);
  return text;
}

}  // namespace muster
