#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/books.h"

namespace muster {

// What a user's name stands for.
struct Subject {
  GroupId job;
  PodId pod;  // none: the job as a whole
};

// The jobs of a dialect, as "namespace/name".
using NamedJobs = std::vector<std::pair<GroupId, std::string>>;

// Finds the job that is meant by "job" or "namespace/job", or else the pod. An error names those that the name fits, or the nearest
// one.
Result<Subject> find_subject(const Books& books, const NamedJobs& jobs, const std::string& name);

}  // namespace muster
