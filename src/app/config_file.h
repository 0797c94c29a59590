#pragma once

#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "base/result.h"
#include "engine/extension/extension.h"
#include "policy/volcano/config.h"

namespace muster {

// A configuration file of a dialect with everything there is to say about it.
template <class Reading>
struct Checked {
  std::string file;
  bool is_default = false;  // the file says nothing, so the built-in default is in force
  Reading reading;

  bool good() const { return !reading.has_errors(); }
  // Of a document that is not read at all.
  static Checked refused(const std::string& file, std::string message, Location location) {
    Checked checked{file, false, {}};
    checked.reading.diagnostics.push_back({Severity::kError, std::move(message), std::move(location), {}});
    return checked;
  }
};
using CheckedConfig = Checked<volcano::ConfigReading>;

// Reads a file and collects every problem. An error is a file that cannot be read at all; broken YAML is a problem like others.
Result<CheckedConfig> check_config(const std::string& path, Strictness strictness = Strictness::kStrict,
                                   const ExtensionSet& extensions = {});
CheckedConfig check_config_text(const std::string& text, const std::string& file, Strictness strictness = Strictness::kStrict,
                                const ExtensionSet& extensions = {});

// The one document of a configuration file. An error says what is wrong with the text, or that it is no configuration but
// Kubernetes objects, be it one that holds a configuration or that one is made from.
Result<Value> read_config_value(const std::string& text, const std::string& file);

// The configuration if it is good; its warnings go to `notes`. The error has a line for each problem.
Result<volcano::Config> usable_config(CheckedConfig checked, std::vector<std::string>& notes);

// Adds to the errors of a configuration that it seems to be another dialect's, if it does.
void hint_at_dialect(Dialect dialect, const Value& root, const std::string& file, std::vector<Diagnostic>& diagnostics);

// Warnings go to `notes`; the error has a line for each problem.
Result<void> refuse_errors(const std::vector<Diagnostic>& diagnostics, std::vector<std::string>& notes);

// "conf:4:11: unknown plugin "ganng"; did you mean "gang"?"
std::string problem_text(const Diagnostic& problem);

}  // namespace muster
