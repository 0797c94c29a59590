#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "app/explanation.h"
#include "app/fits_if.h"
#include "app/whatif_workloads.h"
#include "base/result.h"
#include "model/objects.h"

namespace muster {

// What would happen if a job were submitted, asked of copies of a cluster: the cluster itself stays as it is.

// A job that is asked about.
struct WhatIfJob {
  std::string name;                         // "namespace/name" of its PodGroup
  std::map<std::string, std::string> pods;  // its pods that are part of the question, and the role of each
  std::map<std::string, std::string> members =
      {};  // its pods that count besides, having a node or being done, and the role of each
  std::map<std::string, std::int32_t> role_minimums;  // Volcano's spec.minTaskMember
  bool is_new = false;                                // its PodGroup is part of the question too
  std::optional<FieldPlaces> places = {};             // in the workload that it was made of; nothing: it was made of none
};

// Whether Volcano looks at the minimums of roles at all: only where the job's own is at least their sum.
bool roles_matter(const std::map<std::string, std::int32_t>& role_minimums, std::int64_t minimum);

// Objects that are put beside a cluster, or in the place of those of the same name.
struct WhatIfQuestion {
  std::vector<Object> objects;
  std::vector<WhatIfJob> jobs;
  std::vector<std::string> notes;  // what was assumed, in sentences
};

// What of one job became visible in a run over a copy.
struct WhatIfRun {
  std::string job;
  std::optional<int> started;                    // in which cycle its minimum had nodes; nothing: in none
  std::map<std::string, std::string> placement;  // its pods that were bound up to then, and where
  std::vector<Eviction> victims;                 // who was evicted for it up to then
  std::vector<std::string> left;                 // pods that were gone by then besides: others', or its own
  std::set<std::string> evicted;                 // of these, who was evicted meanwhile; the others were leaving already
  Explanation explanation;                       // of the cycle in which it started, or of the last one
  std::optional<std::vector<FitsIf>> fits_if;    // best first; nothing: it starts, or the bounds left no try for it
};

// The objects of a cluster, of which nobody changes any.
using SharedObjects = std::shared_ptr<const std::vector<Object>>;

// A cluster of which copies can be made and run.
class WhatIfCluster {
 public:
  virtual ~WhatIfCluster() = default;

  virtual Dialect dialect() const = 0;
  // Without classes of priorities, which are among the objects.
  virtual WorkloadScene scene() const = 0;
  // Of a pod that this scheduler would not place, why not; empty: it would.
  virtual std::string why_not_ours(const Pod& pod) const = 0;
  virtual const std::vector<Object>& objects() const = 0;
  virtual Timestamp now() const = 0;
  // Runs cycles over a copy with the question in it and without some objects, named as object_name() does, until every job of the
  // question has started or nothing happens any more. Between cycles bound pods run, and who is evicted or leaves goes.
  virtual Result<std::vector<WhatIfRun>> run(const WhatIfQuestion& question, const std::set<std::string>& without) = 0;
};

enum class WhatIfVerdict { kStarts, kEvicts, kWaits };
std::string_view name_of(WhatIfVerdict verdict);
// Starts: beside everybody, with nobody gone. Evicts: when its victims have gone. Whatever else has to happen is waiting.
WhatIfVerdict verdict_of(const WhatIfRun& run);

struct WhatIfAnswer {
  std::vector<WhatIfRun> jobs;  // in the order of the question
  std::vector<std::string> notes;
};

// How much may be tried to find what would make a job fit.
struct WhatIfBounds {
  int tries = 48;                     // copies, for all jobs of a question together
  std::function<bool()> enough = {};  // asked before each: true ends the search
};

// So many jobs are asked about at once: each of them is explained, in every cycle of every copy.
inline constexpr std::size_t kMostWhatIfJobs = 1'000;

// What a question is made of: the objects as a new job's would be, stamped with the time of the cluster if they have none, without
// a status. Pods that name no PodGroup get one each. Errors: no pod, a pod that has a node or another scheduler, a job that is
// there, too many jobs.
Result<WhatIfQuestion> what_if_question(const WhatIfCluster& cluster, std::vector<Object> objects);
// The same of a text with Kubernetes objects, YAML or JSON, named `file` in errors; of a file, a directory or "-". Workloads are
// passed over where nobody is given who makes pods of them.
Result<WhatIfQuestion> read_what_if(const WhatIfCluster& cluster, std::string_view text, const std::string& file,
                                    const MakeOfWorkloads& make = {});
Result<WhatIfQuestion> read_what_if_at(const WhatIfCluster& cluster, const std::string& path, const MakeOfWorkloads& make = {});

// The question about a job that is in the cluster: its PodGroup and those of its pods that are to be placed, as they are. An error:
// there is no such job, or nothing of it to place.
Result<WhatIfQuestion> question_about(const WhatIfCluster& cluster, const std::string& job);

// The answer. Of jobs that do not start at once it tells what would make them fit.
Result<WhatIfAnswer> what_if(WhatIfCluster& cluster, const WhatIfQuestion& question, const WhatIfBounds& bounds);

std::string whatif_json(const WhatIfAnswer& answer);
// What was found out about a job of the cluster, as members that its explanation gets: "whatif", with the verdict and the notes or
// with the error, and "fits_if" where changes were tried.
std::string tried_members(const Result<WhatIfAnswer>& answer);
std::string whatif_text(const WhatIfAnswer& answer, Paint paint);

}  // namespace muster
