// docs/flags.md and the options of `muster scheduler` repeat a table in the code, and are compared with it.

#include "cli/scheduler_flags.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "cli/command.h"
#include "cli/scheduler_options.h"
#include "daemon/uuid.h"

namespace muster::cli {
namespace {

const char* const kDocument = MUSTER_SOURCE_DIR "/docs/flags.md";

std::vector<std::string> rows_of_document() {
  std::ifstream file(kDocument);
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| `")) rows.push_back(line);
  return rows;
}

std::string row(const SchedulerFlag& flag) {
  const auto fallback = flag.default_text.empty() ? std::string(" ") : " `" + std::string(flag.default_text) + "` ";
  return "| `--" + std::string(flag.name) + "` |" + fallback + "| " + std::string(name_of(flag.use)) + " | " +
         std::string(flag.meaning) + " |";
}

struct Program {
  CLI::App app;
  Action chosen;
  Program() { add_scheduler(app, chosen); }
  CLI::App& scheduler() { return *app.get_subcommand("scheduler"); }
};

std::vector<SchedulerFlag> all_flags() {
  std::vector<SchedulerFlag> all;
  for (const auto flags : {volcano_flags(), kai_flags(), own_flags()}) all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

std::set<std::string_view> names_of(std::span<const SchedulerFlag> flags) {
  std::set<std::string_view> names;
  for (const auto& flag : flags) names.insert(flag.name);
  return names;
}

// Containers with the host's network share its name, and in each the process is the first one.
TEST(SchedulerOptions, AProcessHasANameThatNoOtherHas) {
  const auto options = daemon_options({});
  const auto& identity = options.election.identity;
  EXPECT_EQ(options.writes.instance, identity);
  const auto chance = identity.substr(identity.rfind('_') + 1);
  ASSERT_EQ(chance.size(), 36u) << identity;
  EXPECT_EQ(std::ranges::count(chance, '-'), 4);
  EXPECT_NE(daemon::uuid(kube::system_random()), daemon::uuid(kube::system_random()));
}

TEST(SchedulerOptions, HowToEvictIsTheBehavioursUnlessItIsGiven) {
  struct Case {
    const char *behaviour, *eviction;
    bool by_delete;
  };
  constexpr Case kCases[] = {
      {"safe", "", false}, {"safe", "api", false}, {"safe", "delete", true}, {"exact", "", true}, {"exact", "api", false}};
  for (const auto& [behaviour, eviction, by_delete] : kCases) {
    SchedulerCommand command;
    command.behaviour = behaviour;
    command.eviction = eviction;
    const auto options = daemon_options(command);
    EXPECT_EQ(options.writes.evict_by_delete, by_delete) << behaviour << " " << eviction;
    EXPECT_EQ(options.cycles.told == daemon::EvictionsTold::kAtOnce, command.is_exact());
  }
}

TEST(SchedulerFlags, TheDocumentIsTheTables) {
  std::vector<std::string> rows;
  for (const auto& flag : all_flags()) rows.push_back(row(flag));
  EXPECT_EQ(rows_of_document(), rows);
}

TEST(SchedulerFlags, TheCommandHasTheFlagsOfTheTablesAndNoOthers) {
  std::set<std::string> table;
  for (const auto& flag : all_flags()) table.insert(std::string(flag.name));
  Program program;
  std::set<std::string> command;
  for (const auto* option : program.scheduler().get_options())
    for (const auto& name : option->get_lnames())
      if (name != "help") command.insert(name);
  EXPECT_EQ(command, table);
}

// Those of the specification of Volcano's scheduler, section 1.7, and of its log.
TEST(SchedulerFlags, EveryFlagOfVolcanoIsThere) {
  const char* const volcano[] = {"master",
                                 "kubeconfig",
                                 "scheduler-name",
                                 "scheduler-conf",
                                 "schedule-period",
                                 "resync-period",
                                 "default-queue",
                                 "priority-class",
                                 "kube-api-qps",
                                 "kube-api-burst",
                                 "minimum-feasible-nodes",
                                 "minimum-percentage-nodes-to-find",
                                 "percentage-nodes-to-find",
                                 "plugins-dir",
                                 "csi-storage",
                                 "node-selector",
                                 "node-worker-threads",
                                 "gate-removal-worker-num",
                                 "ignored-provisioners",
                                 "resource-sync-timeout",
                                 "disable-default-scheduler-config",
                                 "scheduler-sharding-mode",
                                 "scheduler-sharding-name",
                                 "enable-healthz",
                                 "healthz-address",
                                 "enable-metrics",
                                 "enable-pprof",
                                 "listen-address",
                                 "cache-dumper",
                                 "cache-dump-dir",
                                 "leader-elect",
                                 "leader-elect-lease-duration",
                                 "leader-elect-renew-deadline",
                                 "leader-elect-retry-period",
                                 "leader-elect-resource-lock",
                                 "leader-elect-resource-name",
                                 "leader-elect-resource-namespace",
                                 "lock-object-namespace",
                                 "feature-gates",
                                 "tls-cert-file",
                                 "tls-private-key-file",
                                 "ca-cert-file",
                                 "version",
                                 "v",
                                 "vmodule",
                                 "logtostderr"};
  const auto table = names_of(volcano_flags());
  for (const auto* name : volcano) EXPECT_TRUE(table.contains(name)) << name;
}

// Those of the specification of KAI's scheduler, section 1.3.
TEST(SchedulerFlags, EveryFlagOfKaiIsThere) {
  const std::set<std::string_view> kai = {"scheduler-name",
                                          "max-consolidation-preemptees",
                                          "namespace",
                                          "qps",
                                          "burst",
                                          "metrics-namespace",
                                          "detailed-fit-errors",
                                          "resource-reservation-app-label",
                                          "update-pod-eviction-condition",
                                          "restrict-node-scheduling",
                                          "schedule-csi-storage",
                                          "nodepool-label-key",
                                          "use-scheduling-signatures",
                                          "partition-label-value",
                                          "full-hierarchy-fairness",
                                          "queue-label-key",
                                          "allow-consolidating-reclaim",
                                          "scheduler-conf",
                                          "num-of-status-recording-workers",
                                          "schedule-period",
                                          "default-staleness-grace-period",
                                          "leader-elect",
                                          "stuck-in-releasing-threshold",
                                          "version",
                                          "plugin-server-port",
                                          "listen-address",
                                          "cpu-worker-node-label-key",
                                          "enable-profiler",
                                          "gpu-worker-node-label-key",
                                          "profiler-port",
                                          "mig-worker-node-label-key",
                                          "pyroscope-address",
                                          "v",
                                          "pyroscope-mutex-profiler-rate",
                                          "pyroscope-block-profiler-rate",
                                          "log-json",
                                          "log-flush-frequency",
                                          "feature-gates"};
  EXPECT_EQ(names_of(kai_flags()), kai);
}

TEST(SchedulerFlags, CommonFlagsAreVolcanos) {
  const auto volcano = names_of(volcano_flags());
  const auto kai = names_of(kai_flags());
  for (const auto name : {"kubeconfig", "enable-healthz", "leader-elect-lease-duration"}) EXPECT_TRUE(is_common(name)) << name;
  for (const auto name : volcano)
    if (is_common(name)) {
      EXPECT_FALSE(kai.contains(name)) << name;
    }
}

// Of a flag that both have, the command shows Volcano's.
TEST(SchedulerFlags, DefaultsAreThoseOfTheTables) {
  Program program;
  std::map<std::string_view, std::string_view> defaults;
  for (const auto& flag : all_flags()) defaults.try_emplace(flag.name, flag.default_text);
  for (const auto& [name, text] : defaults) {
    const auto shown = program.scheduler().get_option("--" + std::string(name))->get_default_str();
    if (!shown.empty()) {
      EXPECT_EQ(shown, text) << name;
    }
  }
}

struct Line {
  std::vector<std::string> arguments;
  bool good;
};

TEST(SchedulerFlags, TakesAndRefuses) {
  const Line lines[] = {
      {{"--logtostderr", "-v=3", "--enable-healthz=true", "--leader-elect=false"}, true},
      {{"--logtostderr=true", "--percentage-nodes-to-find", "7", "--cache-dumper=false"}, true},
      {{"--priority-class=false", "--feature-gates=PriorityClass=false,ResourceTopology=true"}, true},
      {{"--scheduler-name=volcano", "--scheduler-name=other", "--node-selector=a:b,c:d"}, true},
      {{"--lock-object-namespace=x", "--leader-elect-resource-lock=leases"}, true},
      {{"--leader-elect-resource-lock=endpoints"}, false},
      {{"--dialect=kai"}, true},
      {{"--dialect=slurm"}, false},
      {{"--dialect=kai", "--scheduler-name=mine", "--namespace=k", "--partition-label-value=blue", "--leader-elect=true"}, true},
      {{"--dialect=kai", "--full-hierarchy-fairness=false", "--default-staleness-grace-period=-1s", "--v=5"}, true},
      {{"--dialect=kai", "--qps=50", "--burst", "300", "--log-json", "--feature-gates=Some", "--profiler-port=1"}, true},
      {{"--dialect=kai", "--enable-healthz=true", "--leader-elect-retry-period=1s", "--bind=direct"}, true},
      {{"--dialect=kai", "--bind=never"}, false},
      {{"--dialect=kai", "--stuck-in-releasing-threshold=soon"}, false},
      {{"--dialect=kai", "--scheduler-name=a", "--scheduler-name=b"}, false},
      {{"--dialect=kai", "--default-queue=x"}, false},
      {{"--dialect=kai", "--lock-object-namespace=x"}, false},
      {{"--dialect=kai", "--logtostderr"}, false},
      {{"--bind=direct"}, false},
      {{"--qps=50"}, false},
      {{"--restrict-node-scheduling"}, false},
      {{"--plugins-dir=/plugins"}, false},
      {{"--tls-cert-file=/x"}, false},
      {{"--schedule-period=soon"}, false},
      {{"--scheduler-sharding-mode=sometimes"}, false},
      {{"--feature-gates=SchedulingGatesQueueAdmission=true"}, false},
      {{"--feature-gates=PriorityClass"}, false},
      {{"--version"}, false},
      {{"--record=/recording", "--record-max-bytes=500Mi"}, true},
      {{"--dialect=kai", "--record", "/recording"}, true},
      {{"--record-max-bytes=1"}, false},
      {{"--record-max-bytes=much"}, false},
      {{"-v", "4"}, true},
      {{"--v=4"}, true},
      {{"-v=much"}, false},
      {{"--no-such-flag"}, false},
  };
  for (const auto& line : lines) {
    Program program;
    auto arguments = line.arguments;
    arguments.insert(arguments.begin(), "scheduler");
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    bool good = true;
    try {
      program.app.parse(arguments);
    } catch (const CLI::ParseError&) {
      good = false;
    }
    EXPECT_EQ(good, line.good) << line.arguments.front();
  }
}

TEST(SchedulerFlags, ThoseInForceAreThoseOfTheDialectWithWhatWasGiven) {
  for (const bool is_kai : {false, true}) {
    const auto flags = flags_in_force(is_kai ? Dialect::kKai : Dialect::kVolcano, {{"audit-rate", "5"}});
    const auto find = [&](std::string_view name) { return std::ranges::find(flags, name, &ConfigurationKey::key); };
    ASSERT_NE(find("audit-rate"), flags.end());
    EXPECT_EQ(find("audit-rate")->value, "5");
    EXPECT_EQ(find("audit-rate")->usual, "20");
    EXPECT_TRUE(find("audit-rate")->is_written);
    ASSERT_NE(find("schedule-period"), flags.end());
    EXPECT_EQ(find("schedule-period")->value, "1s");
    EXPECT_FALSE(find("schedule-period")->is_written);
    EXPECT_EQ(find("default-queue") == flags.end(), is_kai);
    EXPECT_EQ(find("metrics-namespace") == flags.end(), !is_kai);
    EXPECT_EQ(find("logtostderr"), flags.end()) << "has no effect";
    EXPECT_NE(find("kubeconfig"), flags.end());
  }
}

}  // namespace
}  // namespace muster::cli
