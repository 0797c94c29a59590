#pragma once

#include <string>
#include <vector>

#include "app/config_dialect.h"

namespace muster {

// A key of a configuration as it is in force.
struct ConfigurationKey {
  std::string key;
  std::string value;
  std::string usual;        // without the file; empty: nothing
  bool is_written = false;  // in the file, or of a flag on the command line
  std::string meaning;
};

// An action or a plugin with its keys, or what holds for all of them.
struct ConfigurationSection {
  std::string name;
  std::string meaning;
  std::vector<ConfigurationKey> keys;
};
ConfigurationSection actions_section(const std::vector<std::string>& actions, const std::vector<std::string>& usual,
                                     bool is_written);
// Of the built-in default, which says something of some keys, too.
void mark_unwritten(std::vector<ConfigurationSection>& sections);
std::vector<ConfigurationSection> volcano_sections(const std::string& text, const std::string& file);
std::vector<ConfigurationSection> kai_sections(const std::string& text, const std::string& file);

// {"source", "text", "sections"}: a configuration that is in force, with every key that it may have and what each means. Without a
// text it is the built-in default. Flags, where they are given, are the last section.
std::string configuration_json(Dialect dialect, const std::string& text, const std::string& file,
                               const std::vector<ConfigurationKey>& flags = {});

}  // namespace muster
