#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/books.h"

namespace muster {

// What a user's name stands for.
struct Subject {
  GroupId job;
  PodId pod;  // none: the job as a whole
};

// The jobs of a dialect, as "namespace/name", and their workloads. A whole name is found without looking at all of them.
class NamedJobs {
 public:
  struct Job {
    GroupId id;
    std::string name;
    std::string workload;  // "Kind/name"; empty: nobody knows
  };

  NamedJobs() = default;
  NamedJobs(const NamedJobs&) = delete;  // names are found by views of them
  NamedJobs& operator=(const NamedJobs&) = delete;

  void add(GroupId id, std::string name, std::string workload);
  const std::deque<Job>& all() const { return jobs_; }
  // Those that are meant by "job" or "namespace/job".
  std::vector<const Job*> meant_by(std::string_view name) const;
  // Those whose workload is, as "train", "mine/train", "job/train" or "mine/job/train".
  std::vector<const Job*> made_for(std::string_view name) const;

 private:
  std::deque<Job> jobs_;  // which stay where they are
  boost::unordered_flat_map<std::string_view, std::vector<const Job*>> by_name_;
};

// Finds the job that is meant by "job" or "namespace/job", or else the pod, or else the job that was made for the workload of that
// name. An error names those that the name fits, or the nearest one.
Result<Subject> find_subject(const Books& books, const NamedJobs& jobs, const std::string& name);

}  // namespace muster
