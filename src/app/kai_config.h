#pragma once

#include <string>
#include <vector>

#include "app/config_file.h"
#include "app/text_table.h"
#include "base/result.h"
#include "policy/kai/config.h"

namespace muster {

using CheckedKaiConfig = Checked<kai::ConfigReading>;

// Reads a file and collects every problem. An error is a file that cannot be read at all; broken YAML is a problem like others.
Result<CheckedKaiConfig> check_kai_config(const std::string& path, Strictness strictness, const ExtensionSet& extensions = {});
CheckedKaiConfig check_kai_config_text(const std::string& text, const std::string& file, Strictness strictness,
                                       const ExtensionSet& extensions = {});

// The configuration if it is good; its warnings go to `notes`. The error has a line for each problem.
Result<kai::Config> usable_kai_config(CheckedKaiConfig checked, std::vector<std::string>& notes);

// Every problem as "error: file:line:column: …", then what is in force if there is none.
std::string kai_config_text(const CheckedKaiConfig& checked, Paint paint);
std::string kai_config_json(const CheckedKaiConfig& checked);

}  // namespace muster
