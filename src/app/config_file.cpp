#include "app/config_file.h"

#include <fmt/format.h>

#include "codec/input.h"
#include "codec/utf8.h"
#include "codec/yaml_documents.h"
#include "codec/yaml_value.h"

namespace muster {
namespace {

// Why a document is an object and no configuration; empty when it is none. People export the object that holds the configuration
// and forget to take the configuration out of it, or mistake the files of the command line.
std::string not_a_config(const Value& root) {
  const auto* kind = root.find("kind");
  if (kind == nullptr || kind->as_string() == nullptr) return {};
  if (*kind->as_string() == "ConfigMap")
    return "this is the ConfigMap that holds a configuration; give the text of its data entry in a file of its own";
  if (*kind->as_string() == "SchedulingShard")
    return "this is the SchedulingShard from which KAI's operator makes a configuration; give that, the data entry of its "
           "ConfigMap";
  if (root.find("apiVersion") != nullptr && root.find("actions") == nullptr && root.find("tiers") == nullptr)
    return fmt::format("these are Kubernetes objects (the first is a {}), and not a scheduler's configuration", *kind->as_string());
  return {};
}

}  // namespace

Result<Value> read_config_value(const std::string& text, const std::string& file) {
  const auto refused_at = [&](const Value& document, std::string why) {
    return fail(Error(std::move(why), Location{file, document.line(), document.column()}));
  };
  auto root = read_yaml_value(text, file);
  if (root) {
    if (auto object = not_a_config(*root); !object.empty()) return refused_at(*root, std::move(object));
    return root;
  }
  if (find_bad_utf8(text)) return root;
  const auto first = YamlDocuments(text, file).next();  // the second may be what is wrong
  if (!first || !*first) return root;
  if (auto object = not_a_config(**first); !object.empty()) return refused_at(**first, std::move(object));
  return root;
}

Result<CheckedConfig> check_config(const std::string& path, Strictness strictness, const ExtensionSet& extensions) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  return check_config_text(std::string(input->text()), input->name(), strictness, extensions);
}

CheckedConfig check_config_text(const std::string& text, const std::string& file, Strictness strictness,
                                const ExtensionSet& extensions) {
  const auto root = read_config_value(text, file);
  if (!root) return CheckedConfig::refused(file, root.error().message, root.error().location);
  if (root->is_null()) return {file, true, volcano::ConfigReading{volcano::default_config(), {}}};
  auto reading = volcano::inspect_config(*root, file, strictness, extensions);
  if (reading.has_errors()) hint_at_dialect(Dialect::kVolcano, *root, file, reading.diagnostics);
  return {file, false, std::move(reading)};
}

void hint_at_dialect(Dialect dialect, const Value& root, const std::string& file, std::vector<Diagnostic>& diagnostics) {
  if (auto hint = misread_as(dialect, root); !hint.empty())
    diagnostics.push_back({Severity::kError, std::move(hint), Location{file, 0, 0}, {}});
}

Result<volcano::Config> usable_config(CheckedConfig checked, std::vector<std::string>& notes) {
  if (auto refused = refuse_errors(checked.reading.diagnostics, notes); !refused) return fail(std::move(refused.error()));
  return std::move(checked.reading.config);
}

Result<void> refuse_errors(const std::vector<Diagnostic>& diagnostics, std::vector<std::string>& notes) {
  std::string errors;
  for (const auto& problem : diagnostics) {
    if (problem.severity == Severity::kError)
      errors += problem_text(problem) + "\n";
    else
      notes.push_back(problem_text(problem));
  }
  if (!errors.empty()) return fail(std::move(errors));
  return {};
}

std::string problem_text(const Diagnostic& problem) {
  auto text = Error(problem.message, problem.location).text();
  if (!problem.suggestion.empty()) text += fmt::format("; did you mean \"{}\"?", problem.suggestion);
  return text;
}

}  // namespace muster
