#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/daemon.h"
#include "daemon/kai_setup.h"
#include "daemon/tape_recorder.h"
#include "daemon/volcano_setup.h"
#include "grouper/service.h"

namespace CLI {
class App;
}

namespace muster::cli {

// The options of `muster scheduler` as they were given.
struct SchedulerCommand {
  std::string dialect = "volcano";
  std::string binder = "request";
  std::string behaviour = "safe";
  std::string eviction;  // "api", "delete"; empty: as the behaviour wants it
  std::string kubeconfig;
  std::string context;
  std::string master;
  std::string config;
  bool needs_config = false;
  bool lenient = false;
  std::string period = "1s";
  std::vector<std::string> scheduler_names;
  std::string default_queue;
  std::vector<std::string> node_selector;
  std::vector<std::string> ignored_provisioners;
  bool priority_class = true;
  std::string sharding_mode;
  std::string sharding_name;
  std::vector<std::string> gates;
  bool leader_elect = true;
  std::string lock_kind = "leases";
  std::string lease_name = "volcano";
  std::string lease_namespace = "volcano-system";
  std::string lock_namespace;
  std::string lease_duration = "15s";
  std::string renew_deadline = "10s";
  std::string retry_period = "2s";
  double audit_rate = 20;
  std::vector<std::string> api_names;
  bool group_pods = false;
  std::string api_token_file;
  bool whatif = true;
  bool metrics = false;
  bool pprof = false;                // --enable-pprof
  bool profiler = false;             // --enable-profiler, KAI's name of it
  int profiler_port = 8182;          // KAI's
  bool dumps = true;                 // --cache-dumper
  std::string dump_folder = "/tmp";  // --cache-dump-dir
  std::string listen = ":8080";
  bool healthz = false;
  std::string healthz_address = ":11251";
  double qps = 2000;
  double burst = 2000;
  std::string log_format = "text";
  std::string verbosity = "2";
  bool log_json = false;
  std::string lease_space = "kai-scheduler";  // --namespace
  std::string metrics_namespace = "kai";
  bool announce_evictions = false;
  int plugin_port = 8081;                          // --plugin-server-port; 0: none
  std::string record;                              // a folder; empty: nothing is recorded
  std::string record_most = "1Gi";                 // --record-max-bytes
  bool only_record = false;                        // muster record
  std::map<std::string, std::string> kai;          // flags of KAI's scheduler that change decisions, by name
  std::map<std::string, std::string> passed_over;  // flags that change nothing here, by name
  std::map<std::string, std::string> given;        // all that were given, by name, as they were written

  bool is_kai() const { return dialect == "kai"; }
  bool is_exact() const { return behaviour == "exact"; }
  bool evicts_by_delete() const { return eviction.empty() ? is_exact() : eviction == "delete"; }
  std::string scheduler_name() const;  // that events come from
  kube::AccessOptions access() const;
};

// For other commands that have the options of `muster scheduler`: adds them, throws what is wrong with them, and the log they ask
// for.
void add_scheduler_options(CLI::App& app, SchedulerCommand& command);
void check_scheduler_options(const CLI::App& app, const SchedulerCommand& command);
daemon::Log scheduler_log(const SchedulerCommand& command, const kube::Clock& clock);

// What they mean, for both dialects and for each.
daemon::DaemonOptions daemon_options(const SchedulerCommand& command);
daemon::VolcanoLife volcano_life(const SchedulerCommand& command);
daemon::KaiLife kai_life(const SchedulerCommand& command);
grouper::ServiceSettings grouping_settings(const SchedulerCommand& command);

// What a recording says of how it was taken, and where it goes.
daemon::tape::Life taped_life(const SchedulerCommand& command);
Result<std::uint64_t> recording_size(const std::string& text);
daemon::tape::RecorderSettings recorder_settings(const SchedulerCommand& command);

}  // namespace muster::cli
