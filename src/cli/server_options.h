#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/scheduler_client.h"
#include "cli/cluster_options.h"

namespace muster::cli {

// Where a running scheduler is asked, by a command that can look at files instead. What no option says is taken from MUSTER_SERVER
// and MUSTER_TOKEN_FILE.
class ServerOptions {
 public:
  // With the options of a cluster from files, which take their place: they are given by `files`, as the option is to be called, and
  // some of the options are left out.
  void add_to(CLI::App& command, ClusterOptions& cluster, const std::string& files = "-f,--filename",
              const std::vector<std::string>& without = {});
  // Whether the scheduler is to be asked: no files are given. Call after parsing. Throws CLI::ValidationError when options for
  // files and for a server are given together, or options for files without any.
  bool asks() const;
  // An error: the file of the token cannot be read, or has none in it.
  Result<SchedulerClient> client() const;

 private:
  std::vector<const CLI::Option*> about_files_;  // that which gives them first
  std::vector<const CLI::Option*> own_;
  std::string server_;
  std::string token_file_;
};

}  // namespace muster::cli
