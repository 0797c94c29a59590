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

  // A name is looked up between decisions, and a page that is open asks for one that is gone again and again.
  static constexpr std::size_t kMostCompared = 10'000;

  NamedJobs() = default;
  NamedJobs(const NamedJobs&) = delete;  // names are found by views of them
  NamedJobs& operator=(const NamedJobs&) = delete;

  void add(GroupId id, std::string name, std::string workload);
  const std::deque<Job>& all() const { return jobs_; }
  // Those that are meant by the very name "job" or "namespace/job".
  std::vector<const Job*> meant_by(std::string_view name) const;
  // Those that have it among their names (names_of_job), in any case and with or without a namespace.
  std::vector<const Job*> called(std::string_view name) const;
  // The one that is meant by a name, or else is called so; nothing: none. An error names those that the name fits.
  Result<const Job*> find(const std::string& name) const;
  // The name that was probably meant by one that nobody has: one that is nearly so, or begins so; empty: none does, or there are
  // too many to compare. It has a namespace only where that has one.
  std::string nearest(const std::string& name) const;

 private:
  std::deque<Job> jobs_;  // which stay where they are
  boost::unordered_flat_map<std::string_view, std::vector<const Job*>> by_name_;
};

// Finds the job that is meant by "job" or "namespace/job", or else the pod, or else the job that is called so in any other way, as
// by its workload. An error names those that the name fits, or the nearest one.
Result<Subject> find_subject(const Books& books, const NamedJobs& jobs, const std::string& name);

}  // namespace muster
