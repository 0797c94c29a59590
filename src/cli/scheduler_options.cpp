#include "cli/scheduler_options.h"

#include <algorithm>
#include <unistd.h>

#include "cli/scheduler_flags.h"
#include "cli/workload_pods.h"
#include "daemon/kai_annex.h"
#include "daemon/kai_requests.h"
#include "daemon/uuid.h"
#include "model/quantity.h"
#include "model/time.h"

namespace muster::cli {
namespace {

kube::Duration duration_of(const std::string& text) { return kube::Duration(parse_go_duration(text).value_or(0)); }

// Unique among all candidates. With the host's network the host's name is no pod's, and in every container the process is the first
// one: only chance tells them apart.
const std::string& identity() {
  static const auto kIdentity = [] {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    const auto random = kube::system_random();
    return std::string(name) + "_" + daemon::uuid(random);
  }();
  return kIdentity;
}

kube::ElectionSettings election(const SchedulerCommand& command) {
  kube::ElectionSettings settings{.ns = command.lock_namespace.empty() ? command.lease_namespace : command.lock_namespace,
                                  .name = command.lease_name,
                                  .identity = identity(),
                                  .lease_duration = duration_of(command.lease_duration),
                                  .renew_deadline = duration_of(command.renew_deadline),
                                  .retry_period = duration_of(command.retry_period)};
  if (!command.is_kai()) return settings;
  const auto pool = command.kai.find("partition-label-value");
  settings.ns = command.lease_space;
  settings.name = daemon::kai_lease_name(command.scheduler_name(), pool == command.kai.end() ? std::string() : pool->second);
  return settings;
}

}  // namespace

kube::AccessOptions SchedulerCommand::access() const { return {.kubeconfig = kubeconfig, .context = context, .server = master}; }

std::string SchedulerCommand::scheduler_name() const {
  if (scheduler_names.size() == 1) return scheduler_names.front();
  return is_kai() ? "kai-scheduler" : "volcano";
}

daemon::DaemonOptions daemon_options(const SchedulerCommand& command) {
  daemon::DaemonOptions options;
  options.make_of_workloads = make_of_workloads();
  options.access = command.access();
  options.leader_elect = command.leader_elect;
  options.only_follows = command.only_record;
  options.election = election(command);
  options.config = command.config;
  options.cycles.period = duration_of(command.period);
  if (command.metrics || (command.is_kai() && !command.only_record)) options.monitor.listen = command.listen;
  if (command.is_kai() ? command.profiler : command.pprof)
    options.monitor.profiles = command.is_kai() ? ":" + std::to_string(command.profiler_port) : command.listen;
  if (!command.is_kai() && command.dumps) options.outlets.dump_folder = command.dump_folder;
  if (command.healthz) options.monitor.healthz = command.healthz_address;
  options.dialect = command.dialect;
  options.monitor.token_file = command.api_token_file;
  options.monitor.names = command.api_names;
  if (command.is_kai() && !command.only_record && command.plugin_port != 0)
    options.outlets.annex = daemon::kai_annex("127.0.0.1:" + std::to_string(command.plugin_port), kai_life(command).flags);
  options.audit.per_second = command.audit_rate;
  options.writes.per_second = command.qps;
  options.writes.burst = command.burst;
  options.writes.scheduler_name = command.scheduler_name();
  options.writes.instance = identity();
  options.writes.evict_by_delete = command.evicts_by_delete();
  // KAI's binder goes on with an attempt of which it has said that it failed: meanwhile the place stays taken.
  if (command.is_kai() && command.binder != "direct") options.cycles.hold.first = daemon::kKaiBinderGoesOn;
  if (command.is_exact()) {
    options.cycles.told = daemon::EvictionsTold::kAtOnce;
    options.cycles.hold.first = kube::Duration(0);  // tries again in the next cycle
    options.cycles.gang_patience = kube::Duration(0);
  }
  return options;
}

daemon::VolcanoLife volcano_life(const SchedulerCommand& command) {
  daemon::VolcanoLife life{.exact = command.is_exact(), .lenient = command.lenient, .flags = {}};
  const auto give = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) life.flags[flag] = value;
  };
  give("scheduler-name", flag_value(command.scheduler_names));
  give("default-queue", command.default_queue);
  give("node-selector", flag_value(command.node_selector));
  give("ignored-provisioners", flag_value(command.ignored_provisioners));
  give("scheduler-sharding-mode", command.sharding_mode);
  give("scheduler-sharding-name", command.sharding_name);
  const bool gate = std::find(command.gates.begin(), command.gates.end(), "PriorityClass=false") == command.gates.end();
  give("priority-class", command.priority_class && gate ? "true" : "false");
  return life;
}

daemon::KaiLife kai_life(const SchedulerCommand& command) {
  daemon::KaiLife life{.exact = command.is_exact(),
                       .lenient = command.lenient,
                       .writing = {.binder = command.binder == "direct" ? daemon::KaiBinder::kDirect : daemon::KaiBinder::kRequests,
                                   .announce_evictions = command.announce_evictions},
                       .flags = {{"scheduler-name", command.scheduler_name()}}};
  for (const auto& [name, value] : command.kai)
    if (!value.empty()) life.flags[name] = value;
  return life;
}

grouper::ServiceSettings grouping_settings(const SchedulerCommand& command) {
  grouper::ServiceSettings settings;
  settings.access = command.access();
  settings.grouper.like = command.is_kai() ? grouper::GroupedLike::kKai : grouper::GroupedLike::kVolcano;
  if (!command.scheduler_names.empty()) settings.grouper.volcano.scheduler_names = command.scheduler_names;
  settings.grouper.kai.scheduler_name = command.scheduler_name();
  const auto take = [&](const std::string& flag, std::string& value) {
    if (const auto given = command.kai.find(flag); given != command.kai.end() && !given->second.empty()) value = given->second;
  };
  take("nodepool-label-key", settings.grouper.kai.node_pool_label);
  take("queue-label-key", settings.grouper.kai.queue_label);
  return settings;
}

daemon::tape::Life taped_life(const SchedulerCommand& command) {
  if (!command.is_kai()) {
    auto life = volcano_life(command);
    return {.dialect = "volcano", .exact = life.exact, .lenient = life.lenient, .flags = std::move(life.flags)};
  }
  auto life = kai_life(command);
  return {.dialect = "kai",
          .exact = life.exact,
          .lenient = life.lenient,
          .binds_directly = life.writing.binder == daemon::KaiBinder::kDirect,
          .announces_evictions = life.writing.announce_evictions,
          .flags = std::move(life.flags)};
}

Result<std::uint64_t> recording_size(const std::string& text) {
  const auto size = Quantity::parse(text);
  if (!size || size->units() < static_cast<std::int64_t>(daemon::tape::kLeastBytes))
    return fail("\"" + text + "\" is not a size of at least 1Mi, such as 500Mi or 2Gi");
  return static_cast<std::uint64_t>(size->units());
}

daemon::tape::RecorderSettings recorder_settings(const SchedulerCommand& command) {
  daemon::tape::RecorderSettings settings;
  settings.folder = command.record;
  settings.most_bytes = recording_size(command.record_most).value_or(settings.most_bytes);
  settings.version = MUSTER_VERSION;
  return settings;
}

}  // namespace muster::cli
