#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "app/offline_run.h"

namespace muster::cli {

// The choice of whose scheduler to speak like, and what was chosen; nothing: nothing was.
CLI::Option* add_dialect(CLI::App& command, std::string& dialect, const std::string& description);
std::optional<Dialect> dialect_named(const std::string& name);

// The flags of KAI's scheduler that change decisions, as options. Their values are kept as given, by name.
void add_kai_flags(CLI::App& command, std::map<std::string, std::string>& values);

// The options that every command on a cluster from files has.
class ClusterOptions {
 public:
  // The cluster is given by `files`, as the option is to be called.
  void add_to(CLI::App& command, const std::string& files = "-f,--filename");
  // The options as they were given; call after parsing. Throws CLI::ValidationError when they make no sense.
  OfflineOptions read() const;
  Dialect dialect() const { return dialect_named(dialect_).value_or(Dialect::kVolcano); }
  // The options that are flags of one of the original schedulers.
  static std::vector<std::string> flags_of(Dialect dialect);

 private:
  void add_volcano_flags(CLI::App& command);
  void refuse_foreign_flags() const;

  const CLI::App* command_ = nullptr;
  std::string dialect_ = "volcano";
  std::map<std::string, std::string> kai_flags_;  // by name, as given
  std::vector<std::string> files_;
  std::string config_;
  bool lenient_ = false;
  std::string behaviour_ = "safe";
  std::string search_ = "index";
  std::string between_ = "none";
  std::string now_;
  std::string period_ = "0s";
  std::string usage_;
  int cycles_ = 1;
  std::vector<std::string> scheduler_names_;
  std::vector<std::string> node_selector_;
  std::vector<std::string> ignored_provisioners_;
  std::string default_queue_;
  std::string priority_class_;
  std::string sharding_mode_;
  std::string sharding_name_;
  std::string plugins_dir_;
};

// The flag of the original that names a directory of plugins and actions from outside.
CLI::Option* add_plugins_dir(CLI::App& command, std::string& directory);

// What was given for an option; none: nothing.
std::optional<std::string> given(const std::string& value);

SearchKind search_of(const std::string& name);
// The choice of the two ways to search, which give the same answers.
void add_search(CLI::App& command, std::string& search);

}  // namespace muster::cli
