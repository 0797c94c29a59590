#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/controllers/pods.h"

namespace muster::sim {

// Keeps batch/v1 Jobs: makes their pods, counts those that ended, and says when they are complete or have failed.
//
// A pod is counted once, whenever the process ends or a write fails. Until it is counted it holds the finalizer
// batch.kubernetes.io/job-tracking. First its uid is noted in status.uncountedTerminatedPods, then it is let go, then the counts
// take in what was noted. docs/embedded-cluster.md says what is simplified.
class Jobs {
 public:
  explicit Jobs(Workbench& bench) : bench_(bench) {}

  void reconcile(const Object& job);
  // A pod that was not counted when its Job went: it need not wait any longer.
  void release_orphan(const Object& pod);
  // A Job that has gone.
  void forget(const Key& job) { backoffs_.erase(job); }

 private:
  struct Count;
  struct Backoff {
    std::string uid;
    std::int64_t failures = 0;
    std::int64_t since = 0;
  };

  void keep_finished(const Object& job, const Tree& tree);
  Count count(const Object& job, const Tree& tree);
  // False: not all that ended could be noted and let go, and it is tried again later.
  bool settle_ended(const Object& job, const Count& count);
  void note_failures(const Object& job, std::int64_t failures);
  void run_job(const Object& job, const Tree& tree, Count& count);
  bool fail_if_due(const Object& job, const Tree& tree, Count& count);
  bool complete_if_done(const Tree& tree, Count& count);
  void suspend(Count& count);
  void make_pods(const Object& job, const Tree& tree, Count& count);
  std::int64_t backoff_until(const Object& job) const;
  // Deletes pods without counting them as failed.
  void dismiss(std::vector<ObjectPtr>& pods, std::size_t how_many);
  // Whether it is let go, or gone.
  bool release(const Object& pod);
  void write_status(const Object& job, const Count& count);

  Workbench& bench_;
  std::map<Key, Backoff> backoffs_;  // forgotten with the process, as by a real controller
};

// "0-2,5": indexes as the status of a Job lists them, and back.
std::string indexes_text(const std::set<std::int64_t>& indexes);
std::set<std::int64_t> parse_indexes(std::string_view text);

}  // namespace muster::sim
