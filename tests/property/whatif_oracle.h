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

// A cluster and a job that is not in it yet.
struct Submission {
  std::string job;
  std::vector<Object> cluster;
  std::vector<Object> objects;  // of the job

  // The same with a change that would make the job fit.
  Submission with(const FitsIf& change) const;
  std::int32_t minimum() const;
};
// The last job of a scenario as if it were new.
Submission last_job_of(std::vector<Object> objects);
// Has the job go before all others, in one queue with them where that is Volcano's, and to any node.
void make_urgent(Submission& submission);

// Has the job ask for so many whole nodes within one half of them, as each dialect says it, and nobody else for anything.
void ask_for_whole_nodes(Submission& submission, std::size_t pods);

// `leaving`: pods are on their way out before the first cycle.
Submitted what_happened(const Submission& submission, const std::vector<SubmittedCycle>& cycles, bool leaving);

// --- what a question is answered

Submitted told_by(const WhatIfRun& run);
// The one job of the submission in this cluster, of which the submission's objects are no part.
WhatIfRun answer_to(WhatIfCluster& cluster, const Submission& submission, int tries);

// --- laws: the answer is what happens then; with every change that is offered the job starts; of members one more is too many

using Submit = std::function<Submitted(const Submission&)>;
void check_answer(const WhatIfRun& run, const Submission& submission, const Submit& submit);
void check_changes(const WhatIfRun& run, const Submission& submission, const Submit& submit);
void check_smallest(const WhatIfRun& run, const Submission& submission, const Submit& submit);

}  // namespace muster
