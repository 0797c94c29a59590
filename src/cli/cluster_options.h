#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/offline_run.h"

namespace muster::cli {

// The options that every command on a cluster from files has.
class ClusterOptions {
 public:
  void add_to(CLI::App& command);
  // The options as they were given; call after parsing. Throws CLI::ValidationError when they make no sense.
  OfflineOptions read() const;

 private:
  std::vector<std::string> files_;
  std::string config_;
  bool lenient_ = false;
  std::string behaviour_ = "safe";
  std::string search_ = "index";
  std::string between_ = "none";
  std::string now_;
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
