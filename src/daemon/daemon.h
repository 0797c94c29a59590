#pragma once

#include <memory>
#include <string>

#include "app/configuration_json.h"
#include "app/whatif_workloads.h"
#include "base/result.h"
#include "daemon/cycle_loop.h"
#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/outlets.h"
#include "daemon/trust.h"
#include "daemon/write_queue.h"
#include "kube/access.h"
#include "kube/audit.h"
#include "kube/leader_election.h"

namespace muster::daemon {

class StateKeeper;

struct DaemonOptions {
  std::string dialect;  // as it is told to others
  kube::AccessOptions access;
  bool leader_elect = true;
  bool only_follows = false;  // never leads, decides or writes
  kube::ElectionSettings election;
  std::string config;                        // a path; empty: the built-in default
  std::vector<ConfigurationKey> flags = {};  // as it is told to others; empty: nothing is
  CycleSettings cycles;
  WriteSettings writes;
  MonitorSettings monitor;
  OutletSettings outlets = {};
  kube::AuditSettings audit;
  TrustSettings trust;
  kube::Duration longest_farewell = std::chrono::seconds(10);  // until what is written is answered and the lease given back
  std::shared_ptr<StateKeeper> keeper = nullptr;               // of what its clusters are told, for questions; none: nobody may ask
  MakeOfWorkloads make_of_workloads = {};                      // of questions; none: they hold pods alone
};

// Makes the dialect's cluster for the text of a configuration. Called again when a new configuration asks for what the old cluster
// did not remember.
using MakeCluster = std::function<Result<std::unique_ptr<LiveCluster>>(const std::string& text, const std::string& file)>;

// `muster scheduler`: follows a cluster, decides, writes, until it is told to stop.
class Daemon {
 public:
  Daemon(DaemonOptions options, MakeCluster make_cluster, Log& log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Where metrics are shown: for families of a dialect, before it runs.
  metrics::Registry& registry();

  // For others in this process who write only while it leads: for how long a write may be under way. From any thread.
  kube::Duration time_left() const;
  // Before it runs: ends what they write, waiting so long for answers; before the lease is given back. False: some are missing.
  void before_farewell(std::function<bool(kube::Duration longest)> end);

  // Until stop(), which may come from any thread. An error is what keeps it from starting.
  Result<void> run();
  void stop();
  // Shows what it works on; from any thread, and nothing where it is not asked for or nothing runs. Does not wait.
  void dump(DumpTo where);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::daemon
