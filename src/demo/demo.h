#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "demo/dialect.h"
#include "demo/job_stream.h"
#include "demo/scenario.h"
#include "sim/cluster.h"

namespace muster::demo {

struct DemoSettings {
  Dialect dialect = Dialect::kVolcano;
  double speed = 1;      // how much faster jobs come and end
  double load = 1;       // see JobStream
  bool has_jobs = true;  // otherwise there are nodes and queues alone
};

struct JobCounts {
  std::size_t running = 0;  // as many of its pods as must start together have a node
  std::size_t waiting = 0;
  std::size_t done = 0;
  std::size_t begun_again = 0;  // pods that were evicted
  std::int64_t gpus_used = 0;
  std::size_t refused = 0;   // pods that the server does not take, for now
  std::string refusal = {};  // what it says of the last one
};

// Fills an embedded cluster with a scenario, and looks after its jobs as controllers of workloads would: pods that were evicted are
// made again, jobs that have ended are taken away after a while. A job whose group somebody deletes has gone; pods that the server
// refuses are tried again. For one thread.
class Demo {
 public:
  Demo(sim::Cluster& cluster, const Scenario& scenario, const DemoSettings& settings);

  // What is there before the first job.
  Result<void> build();
  // Everything that is due so long after the beginning; to be called about once a second.
  JobCounts advance(std::int64_t millis);

 private:
  struct Job {
    PlannedJob plan;
    std::string group_uid;
    std::optional<std::int64_t> ended_at = {};  // millis
    bool has_begun = false;                     // there were pods of it
  };
  // How the pods of a job are.
  struct PodCounts {
    std::int64_t placed = 0;
    std::int64_t ended = 0;
    std::int64_t missing = 0;
  };
  using JobKey = std::pair<std::string, std::string>;  // queue and name

  void submit(sim::Registry& registry, const PlannedJob& plan);
  // False: there is nothing more to look after.
  bool look_after(sim::Registry& registry, Job& job, std::int64_t millis);
  PodCounts count_pods(const sim::Registry& registry, const Job& job) const;
  // How many were made.
  std::size_t make_missing(sim::Registry& registry, const Job& job);

  sim::Cluster& cluster_;
  const Scenario& scenario_;
  DemoSettings settings_;
  JobStream stream_;
  std::map<JobKey, Job> jobs_;
  JobCounts counts_;
};

}  // namespace muster::demo
