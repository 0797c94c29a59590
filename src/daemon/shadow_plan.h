#pragma once

#include <map>
#include <memory>
#include <string>

#include "daemon/daemon.h"
#include "daemon/shadow_moves.h"
#include "daemon/tape_entries.h"

namespace muster::daemon::shadow {

// What one cycle decides in a state.
struct Plan {
  std::map<std::string, std::string> binds;      // node by pod ("namespace/name")
  std::map<std::string, std::string> evictions;  // by pod: the node that it has
  std::map<std::string, std::string> reasons;    // in words, by PodGroup or pod, for those who wait
  std::map<std::string, std::string> rules;      // by evicted pod: what it is for
  kube::Duration took{};                         // all of it, with telling the state

  // Of either kind.
  const std::map<std::string, std::string>& of(MoveKind kind) const { return kind == MoveKind::kBind ? binds : evictions; }
};

// Decides what a scheduler would that has just been told of the state and knows nothing else: no object, no decision and no memory
// of one state reaches the next, and nothing reaches the outside.
class Planner {
 public:
  Planner(MakeCluster make, std::string config, std::string file)
      : make_(std::move(make)), config_(std::move(config)), file_(std::move(file)) {}

  Result<Plan> decide(const State& state, const Timestamp& now) const;
  // Whether a scheduler would follow the kind.
  Result<std::unique_ptr<LiveCluster>> cluster() const { return make_(config_, file_); }

 private:
  const MakeCluster make_;
  const std::string config_, file_;
};

// Clusters of a dialect that are made again and again: what is odd about the configuration is said of the first one, and one alone
// asks for all of them what queues used in the past.
MakeCluster clusters_for_plans(const tape::Life& life, Log& log);

}  // namespace muster::daemon::shadow
