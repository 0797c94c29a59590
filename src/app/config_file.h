#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/extension/extension.h"
#include "policy/volcano/config.h"

namespace muster {

// A configuration file with everything there is to say about it.
struct CheckedConfig {
  std::string file;
  bool is_default = false;  // the file says nothing, so the built-in default is in force
  volcano::ConfigReading reading;

  bool good() const { return !reading.has_errors(); }
};

// Reads a file and collects every problem. An error is a file that cannot be read at all; broken YAML is a problem like others.
Result<CheckedConfig> check_config(const std::string& path, volcano::Strictness strictness = volcano::Strictness::kStrict,
                                   const ExtensionSet& extensions = {});
CheckedConfig check_config_text(const std::string& text, const std::string& file,
                                volcano::Strictness strictness = volcano::Strictness::kStrict, const ExtensionSet& extensions = {});

// The configuration if it is good; its warnings go to `notes`. The error has a line for each problem.
Result<volcano::Config> usable_config(CheckedConfig checked, std::vector<std::string>& notes);

// "conf:4:11: unknown plugin "ganng"; did you mean "gang"?"
std::string problem_text(const volcano::Diagnostic& problem);

}  // namespace muster
