#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::demo {

// Nodes that are alike.
struct PoolPlan {
  std::string name;
  double share = 1;  // of all nodes, in proportion to the other pools
  std::int64_t cpu = 1;
  std::int64_t memory_gi = 1;
  std::int64_t gpus = 0;
  std::string product;  // of its GPUs
};

struct QueuePlan {
  std::string name;
  std::string parent;  // empty: none
  double share = 0;    // what it deserves of everything that the cluster has, from 0 to 1
};

enum class RackWish { kAnywhere, kPreferred, kRequired };

struct Seconds {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// One job, or a kind of job that comes again and again.
struct JobPlan {
  std::string name;
  std::string queue;
  std::int64_t at = 0;                     // seconds after the beginning
  std::int64_t every = 0;                  // seconds from one to the next, on average; 0: all of them at once
  std::optional<std::int64_t> count = {};  // nothing: without end where they come again, otherwise one
  std::vector<std::int64_t> pods = {1};    // each job has one of these numbers
  std::int64_t least = 0;                  // how many must start together; 0: all
  std::int64_t cpu = 1;                    // of each pod
  std::int64_t memory_gi = 1;
  std::int64_t gpus = 0;
  std::optional<Seconds> run = {};  // nothing: it runs for ever
  std::string priority = {};        // the name of its class; empty: that of jobs that may be interrupted
  RackWish rack = RackWish::kAnywhere;
  std::string pool = {};  // whose nodes alone it may use; empty: any

  bool comes_once() const { return every == 0 && count.value_or(1) == 1; }  // and is called by its name alone
};

// What a demo shows: how the cluster is made, and which jobs come.
struct Scenario {
  std::uint64_t seed = 1;
  std::int64_t nodes = 240;
  std::int64_t nodes_per_rack = 16;
  std::int64_t racks_per_zone = 5;
  std::vector<PoolPlan> pools;
  std::vector<QueuePlan> queues;
  std::vector<JobPlan> jobs;
};

// Of a YAML text. Unknown keys, wrong values and names of queues that are not there are errors with line and column.
Result<Scenario> read_scenario(std::string_view text, const std::string& file);

// The first job that waits for ever because no node is large enough for a pod of it; nullptr: there is none. Jobs that come more
// than once are left out.
const JobPlan* too_large_job(const Scenario& scenario);

// What `muster demo` shows when it is told nothing else, as a text that read_scenario() takes.
std::string_view builtin_scenario();

}  // namespace muster::demo
