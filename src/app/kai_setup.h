#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/kai/scheduler.h"

namespace muster {

// A KAI configuration from its text; an empty text is the built-in default.
Result<kai::ConfigReading> read_kai_config(const std::string& text, const std::string& file, const ExtensionSet& extensions = {});

// Has a cluster keep what plugins and actions of a configuration will ask for.
void remember_for(const kai::Config& config, kai::ClusterOptions& options);

// The options that command-line flags of the original stand for. Flags that do not change decisions are accepted and have no
// effect; what is not built yet is refused.
Result<kai::ClusterOptions> kai_options(const std::map<std::string, std::string>& flags);
// The other way round: what each of them is, as it would be given.
std::map<std::string, std::string> kai_flag_texts(const kai::ClusterOptions& options);
// The names of those that change decisions.
std::vector<std::string_view> kai_flags_taken();

// A flag of the original that is an option here too.
struct KaiFlag {
  std::string name;  // without dashes
  std::string meaning;
  std::string default_text;
  std::string description;  // both
  bool is_switch = false;
};
// Without --scheduler-name, which Volcano's scheduler has as well.
std::vector<KaiFlag> kai_flag_options();

}  // namespace muster
