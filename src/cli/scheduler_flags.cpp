#include "cli/scheduler_flags.h"

#include <algorithm>
#include <vector>

#include "app/kai_setup.h"

namespace muster::cli {
namespace {

using enum FlagUse;

constexpr SchedulerFlag kVolcanoFlags[] = {
    {"add_dir_header", "false", kNoEffect, "lines of the log name no source file"},
    {"alsologtostderr", "false", kNoEffect, "the log goes to standard error only"},
    {"ca-cert-file", "", kRefused, "metrics and health are served without TLS"},
    {"cache-dump-dir", "/tmp", kSame, "the folder of dumps"},
    {"cache-dumper", "true", kDiffers,
     "on SIGUSR1 write snapshot-SECONDS.json (since 1970) into the folder, of objects as the API server has them; on SIGUSR2 log "
     "nodes and jobs as the next cycle sees them"},
    {"csi-storage", "true", kNoEffect,
     "CSI drivers and storage capacities are always followed, and change no decision: the space that is left is not looked at"},
    {"default-queue", "default", kSame, "the queue of PodGroups that name none; made at the start if it is missing"},
    {"disable-default-scheduler-config", "false", kDiffers,
     "no start without a configuration that can be read; a bad one later leaves the old one in force and the process alive"},
    {"enable-healthz", "false", kSame, "serve /healthz, and here also /livez and /readyz, on an address of their own"},
    {"enable-metrics", "false", kSame, "serve /metrics, and the health endpoints besides, on the listen address"},
    {"enable-pprof", "false", kDiffers,
     "serve /debug/pprof/profile, and none of the others, on the listen address, to this machine and to who has the token"},
    {"feature-gates", "", kDiffers,
     "PriorityClass=false is --priority-class=false; SchedulingGatesQueueAdmission=true is refused; all others have no effect"},
    {"gate-removal-worker-num", "5", kNoEffect, "no scheduling gates are removed in this version"},
    {"healthz-address", ":11251", kSame, "where health is served"},
    {"ignored-provisioners", "", kSame,
     "storage provisioners whose volumes do not count as attached, besides `rancher.io/local-path` and `hostpath.csi.k8s.io`; "
     "name `kubernetes.io/no-provisioner` where claims wait for local volumes"},
    {"kube-api-burst", "2000", kDiffers, "writes at once; reads are not counted"},
    {"kube-api-qps", "2000", kDiffers, "writes per second; 0: as many as the server takes; reads are not counted"},
    {"kubeconfig", "", kSame, "how to reach the cluster; without it as kubectl does, or as the pod that it is"},
    {"leader-elect", "true", kDiffers,
     "decide and write only while holding the lease; who loses it goes on following and does not exit"},
    {"leader-elect-lease-duration", "15s", kSame, "how long a lease holds without renewal"},
    {"leader-elect-renew-deadline", "10s", kSame, "how long a leader goes on without renewal"},
    {"leader-elect-resource-lock", "leases", kDiffers, "leases; there are no others"},
    {"leader-elect-resource-name", "volcano", kSame, "the name of the lease: the one that Volcano's scheduler holds"},
    {"leader-elect-resource-namespace", "volcano-system", kSame, "the namespace of the lease"},
    {"leader-elect-retry-period", "2s", kSame, "the time between two attempts at it"},
    {"listen-address", ":8080", kSame, "where metrics are served"},
    {"lock-object-namespace", "", kSame, "the namespace of the lease, by its old name; wins"},
    {"log_backtrace_at", "", kNoEffect, "the log shows no stacks"},
    {"log_dir", "", kNoEffect, "the log goes to standard error"},
    {"log_file", "", kNoEffect, "the log goes to standard error"},
    {"log_file_max_size", "1800", kNoEffect, "the log goes to standard error"},
    {"logtostderr", "true", kNoEffect, "it always does"},
    {"master", "", kSame,
     "the address of the API server instead of the kubeconfig's, completed as one of a kubeconfig; alone it is enough"},
    {"minimum-feasible-nodes", "100", kNoEffect, "all nodes are considered"},
    {"minimum-percentage-nodes-to-find", "5", kNoEffect, "all nodes are considered"},
    {"node-selector", "", kSame, "only nodes with any of these labels, key:value; a list, or repeated"},
    {"node-worker-threads", "20", kNoEffect, "one thread takes in all changes"},
    {"one_output", "false", kNoEffect, "there is one log"},
    {"percentage-nodes-to-find", "0", kNoEffect, "all nodes are considered"},
    {"plugins-dir", "", kRefused, "plugins from outside are for the offline commands only in this version"},
    {"priority-class", "true", kSame, "whether priority classes count"},
    {"resource-sync-timeout", "60s", kNoEffect, "nothing is decided before all objects are known, however long that takes"},
    {"resync-period", "0", kNoEffect, "every change is taken in once and in order"},
    {"schedule-period", "1s", kDiffers, "the longest wait from one cycle to the next; a change begins one within milliseconds"},
    {"scheduler-conf", "", kDiffers,
     "the configuration, read again when it changes; strictly, so that a start with a bad one fails: --lenient-config"},
    {"scheduler-name", "volcano", kSame, "pods of this spec.schedulerName are placed; a list, or repeated"},
    {"scheduler-sharding-mode", "none", kDiffers, "none, hard or soft; anything else is refused"},
    {"scheduler-sharding-name", "volcano", kSame, "the NodeShard of this scheduler"},
    {"skip_headers", "false", kNoEffect, "lines of the log always begin with time and level"},
    {"skip_log_headers", "false", kNoEffect, "the log goes to standard error"},
    {"stderrthreshold", "2", kNoEffect, "the log goes to standard error"},
    {"tls-cert-file", "", kRefused, "metrics and health are served without TLS"},
    {"tls-private-key-file", "", kRefused, "metrics and health are served without TLS"},
    {"v", "2", kDiffers, "how much is said: more than 3 is everything, any other number the usual"},
    {"version", "", kDiffers, "refused with the place to look: muster --version"},
    {"vmodule", "", kNoEffect, "there is one level for all"},
};

// Those of KAI's scheduler that change no decision. The others are in the table of the dialect.
constexpr SchedulerFlag kKaiFlags[] = {
    {"burst", "2000", kDiffers, "writes at once; reads are not counted; the original's default is 300"},
    {"enable-profiler", "false", kDiffers,
     "serve /debug/pprof/profile, and none of the others, to this machine and to who has the token"},
    {"feature-gates", "", kNoEffect, "there are none"},
    {"leader-elect", "true", kDiffers,
     "on unless it is switched off; decide and write only while holding the lease; who loses it goes on following"},
    {"listen-address", ":8080", kSame, "where metrics are served, and the health endpoints besides"},
    {"log-flush-frequency", "5s", kNoEffect, "every line of the log is written at once"},
    {"log-json", "false", kSame, "lines of the log are JSON"},
    {"metrics-namespace", "kai", kSame, "how KAI's metrics begin"},
    {"namespace", "kai-scheduler", kSame, "the namespace of the lease, which is called like the scheduler, and like its shard"},
    {"num-of-status-recording-workers", "5", kNoEffect, "statuses are written with everything else"},
    {"plugin-server-port", "8081", kDiffers,
     "where /get-snapshot and /get-job-order are served, to this machine alone and whether or not their plugins are listed; 0: "
     "nowhere"},
    {"profiler-port", "8182", kSame, "where profiles are served"},
    {"pyroscope-address", "", kNoEffect, "profiles are sent nowhere"},
    {"pyroscope-block-profiler-rate", "5", kNoEffect, "profiles are sent nowhere"},
    {"pyroscope-mutex-profiler-rate", "5", kNoEffect, "profiles are sent nowhere"},
    {"qps", "2000", kDiffers,
     "writes per second; 0: as many as the server takes; reads are not counted; the original's default is 50"},
    {"schedule-period", "1s", kDiffers, "the longest wait from one cycle to the next; a change begins one within milliseconds"},
    {"scheduler-conf", "", kDiffers,
     "the configuration, read again when it changes; strictly, so that a start with a bad one fails: --lenient-config"},
    {"scheduler-name", "kai-scheduler", kSame, "pods of this spec.schedulerName are placed"},
    {"update-pod-eviction-condition", "false", kSame, "a pod gets the condition DisruptionTarget before it is evicted"},
    {"v", "3", kDiffers, "how much is said: more than 3 is everything, any other number the usual"},
    {"version", "", kDiffers, "refused with the place to look: muster --version"},
};

constexpr SchedulerFlag kOwnFlags[] = {
    {"api-names", "", kOwn,
     "names besides localhost under which clients on this machine may ask for /api/v1, such as a proxy's; a list, or repeated"},
    {"api-token-file", "", kOwn,
     "a file with the token that clients from elsewhere need for /api/v1; without it, it is for this machine alone"},
    {"audit-rate", "20", kOwn, "objects per second that are compared with the API server while running; 0: none"},
    {"behaviour", "safe", kOwn, "safe, or exact: with the original's quirks; it also decides --eviction where that is not given"},
    {"bind", "request", kOwn, "kai: request: BindRequests for KAI's binder; direct: muster binds itself, all but shares of GPUs"},
    {"context", "", kOwn, "a context of the kubeconfig instead of its current one"},
    {"dialect", "volcano", kOwn, "whose scheduler to speak like: volcano or kai"},
    {"eviction", "", kOwn,
     "api: by the eviction API, which keeps disruption budgets; delete: past them; by default api, with --behaviour exact delete"},
    {"group-pods", "false", kOwn, "make PodGroups for pods that have none, as the original's controllers do: docs/grouping.md"},
    {"lenient-config", "false", kOwn, "pass over what the original would pass over in the configuration, and say so"},
    {"logging-format", "text", kOwn, "text, or json: one object per line"},
    {"record", "", kOwn, "a folder to which everything goes that is needed to replay what was decided: docs/replay.md"},
    {"record-max-bytes", "1Gi", kOwn, "how much a recording may take on disk before its oldest part goes"},
    {"whatif", "true", kOwn,
     "answer POST /api/v1/whatif where metrics are shown; keeps every object once more in memory: docs/whatif.md"},
};

// Flags of Volcano's scheduler about what KAI's has no flags for.
constexpr std::string_view kCommon[] = {"disable-default-scheduler-config",
                                        "enable-healthz",
                                        "enable-metrics",
                                        "healthz-address",
                                        "kubeconfig",
                                        "leader-elect-lease-duration",
                                        "leader-elect-renew-deadline",
                                        "leader-elect-retry-period",
                                        "master"};

}  // namespace

std::string_view name_of(FlagUse use) {
  switch (use) {
    case kSame: return "same";
    case kDiffers: return "differs";
    case kNoEffect: return "no effect";
    case kRefused: return "refused";
    case kOwn: return "muster's own";
  }
  return "";
}

std::span<const SchedulerFlag> volcano_flags() { return kVolcanoFlags; }

std::span<const SchedulerFlag> kai_flags() {
  static const auto kDeciding = kai_flag_options();
  static const auto kAll = [] {
    std::vector<SchedulerFlag> flags(std::begin(kKaiFlags), std::end(kKaiFlags));
    for (const auto& flag : kDeciding) flags.push_back({flag.name, flag.default_text, kSame, flag.meaning});
    std::ranges::sort(flags, {}, &SchedulerFlag::name);
    return flags;
  }();
  return kAll;
}

std::span<const SchedulerFlag> own_flags() { return kOwnFlags; }

bool is_common(std::string_view volcano_flag) { return std::ranges::find(kCommon, volcano_flag) != std::end(kCommon); }

std::vector<ConfigurationKey> flags_in_force(Dialect dialect, const std::map<std::string, std::string>& given) {
  const bool is_kai = dialect == Dialect::kKai;
  std::vector<ConfigurationKey> out;
  const auto add = [&](const SchedulerFlag& flag) {
    const bool has_meaning = flag.use == kSame || flag.use == kDiffers || flag.use == kOwn;
    if (!has_meaning || flag.name == "version" || std::ranges::find(out, flag.name, &ConfigurationKey::key) != out.end()) return;
    const auto value = given.find(std::string(flag.name));
    const bool is_given = value != given.end();
    out.push_back({.key = std::string(flag.name),
                   .value = is_given ? value->second : std::string(flag.default_text),
                   .usual = std::string(flag.default_text),
                   .is_written = is_given,
                   .meaning = std::string(flag.meaning)});
  };
  std::ranges::for_each(own_flags(), add);
  if (is_kai) std::ranges::for_each(kai_flags(), add);
  for (const auto& flag : volcano_flags())
    if (!is_kai || is_common(flag.name)) add(flag);
  std::ranges::sort(out, {}, &ConfigurationKey::key);
  return out;
}

std::string flag_value(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out.append(out.empty() ? "" : ",").append(item);
  return out;
}

}  // namespace muster::cli
