#pragma once

// What really happens when a job is submitted, told by the cycles of `muster schedule --cycles --between bound-pods-run`, to be
// compared with what a question was answered. What happens is found out without what answers questions.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/whatif.h"
#include "model/objects.h"

namespace muster {

// Decisions of one cycle.
struct SubmittedCycle {
  std::map<std::string, std::string> binds;
  std::map<std::string, std::string> evicted_for;  // by pod: the job, or nothing
};

struct Submitted {
  std::string verdict;
  std::map<std::string, std::string> placement;
  std::set<std::string> victims;
  bool operator==(const Submitted&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Submitted& what);

// A cluster and a job that is not in it yet, or waits in it.
struct Submission {
  std::string job;
  std::vector<Object> cluster;
  std::vector<Object> objects;  // of the job
  bool waits = false;           // it is in the cluster: the objects are its PodGroup and its pods that have no node

  // The same with a change that would make the job fit.
  Submission with(const FitsIf& change) const;
  std::int32_t minimum() const;
  // The cluster of which the question is asked.
  std::vector<Object> before() const;
};
// Its jobs, a line each: minimum, where pods are, what they want.
std::string in_words(const Submission& submission);
// "namespace/name" of the PodGroup that an object is or names.
std::optional<std::string> job_of(const Object& object);
// "minTaskMember is enforced only if minMember is at least its sum; otherwise it is ignored everywhere."
bool enforces_roles(const PodGroup& group);
// Has a node, and neither leaves it nor is done there.
bool is_placed(const Pod& pod);

// `leaving`: pods are on their way out before the first cycle.
Submitted what_happened(const Submission& submission, const std::vector<SubmittedCycle>& cycles, bool leaving);

// --- what a question is answered

Submitted told_by(const WhatIfRun& run);
// The one job of the submission in this cluster, of which the submission's objects are part only if it waits there.
WhatIfRun answer_to(WhatIfCluster& cluster, const Submission& submission, int tries);

// ---- laws

using Submit = std::function<Submitted(const Submission&)>;
// How often what was seen, so that a law that has never met what it is about does not hold.
using Seen = std::map<std::string, int>;
// Prints what was seen, and fails where that is less, unless the laws were tried on a single cluster or have failed already.
void expect_seen(const Seen& seen, const Seen& at_least);

class Laws {
 public:
  Laws(Submit submit, Seen& seen) : submit_(std::move(submit)), seen_(seen) {}

  // The answer is what happens then.
  void check_answer(const WhatIfRun& run, const Submission& submission);
  // With every change that is offered the job starts.
  void check_changes(const WhatIfRun& run, const Submission& submission);
  // With none that is smaller, and with none that comes before one that is offered. That takes most of the time, and is done for
  // one cluster in four, or for all where the variable MUSTER_EVERY_SMALLEST is set.
  void check_smallest(const WhatIfRun& run, const Submission& submission);

 private:
  void check_none_starts(const std::vector<FitsIf>& changes, const std::string& as, const Submission& submission);

  Submit submit_;
  Seen& seen_;
};

}  // namespace muster
