#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/fit.h"
#include "model/objects.h"
#include "model/workload.h"
#include "policy/volcano/resource.h"
#include "policy/volcano/sub_job.h"

namespace muster::volcano {

enum class Phase : std::uint8_t { kPending, kInqueue, kRunning, kUnknown, kCompleted };
Phase phase_of(std::string_view text);  // empty or unknown text counts as Pending
std::string_view name_of(Phase phase);

// Texts are shared: one message often stands on thousands of pods.
using Text = std::shared_ptr<const std::string>;

// Why a task found no node.
struct FitErrors {
  std::string domain;  // the HyperNode that the search was confined to; empty: it was not
  std::string head;    // empty: "0/<nodes> nodes are unavailable"
  std::size_t nodes = 0;
  std::vector<std::pair<ReasonId, std::size_t>> reasons;  // how many times each reason was given
  Text text;                                              // made on first use

  const Text& message(const FitTable& table);
};

// What a task's last undone transaction had planned for it: shown to users although nothing of it is left.
struct LastTransaction {
  PodState state = PodState::kPending;
  NodeId node;
  bool evicted_others = false;
  bool had_room = false;  // in this transaction or an earlier one of the cycle, without anybody having to leave
};

// What a cycle learned about a job; gone with the cycle.
struct JobNotes {
  struct Task {
    PodId pod;
    std::shared_ptr<FitErrors> errors;
    std::optional<LastTransaction> last;
    bool evicted_others = false;  // it is pipelined, and others are to leave for it
  };
  // A role, within a sub-job if the job has any, of a task that found no node.
  struct FailedRole {
    SymbolId role;
    SubJobId sub_job;
    bool operator==(const FailedRole&) const = default;
  };
  std::vector<FailedRole> failed_roles;
  bool unschedulable = false;  // this cycle wrote the Unschedulable condition
  Text fit_error;              // made once, when the cycle closes

  Task& task(PodId pod);
  const Task* find(PodId pod) const;
  const std::vector<Task>& tasks() const { return tasks_; }
  bool role_failed(SymbolId role, SubJobId sub_job) const {
    return std::find(failed_roles.begin(), failed_roles.end(), FailedRole{role, sub_job}) != failed_roles.end();
  }
  // Why tasks found no node.
  struct Errors {
    std::vector<std::pair<PodId, std::shared_ptr<FitErrors>>> tasks;
    std::vector<FailedRole> roles;
  };
  Errors errors() const;
  void set_errors(const Errors& errors);
  // Forgets them: all, or those of one sub-job.
  void forget_errors();
  void forget_errors(const SubJobs& sub_jobs, SubJobId sub_job);

 private:
  static constexpr std::size_t kFew = 8;  // up to so many are found by looking at all
  std::vector<Task> tasks_;               // only tasks of which there is something to say
  boost::unordered_flat_map<PodId, std::uint32_t> places_;
};

// The status of a PodGroup object.
struct GroupStatus {
  Phase phase = Phase::kPending;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  boost::container::small_vector<std::shared_ptr<const Condition>, 2> conditions;  // never changed, only replaced
};

// How a job's last attempt ended when it was hopeless from its first task on. As long as nothing of it changes, the next attempt
// would end in the same way, so it is not made and its outcome stands.
struct Stuck {
  PodId pod;      // the task that found no node
  SymbolId role;  // its role
  std::shared_ptr<FitErrors> errors;
  std::uint64_t refusals = 0;  // stamp of the search's refusals
  std::uint64_t group_version = 0;
  StateCounts count{};
  Phase phase = Phase::kPending;  // when the attempt was made
};

// Pods of one role ("task spec") of a job.
struct Role {
  SymbolId name;  // none: pods without a role
  std::int32_t minimum = 0;
  bool has_minimum = false;
  StateCounts count{};
  std::uint32_t waiting_best_effort = 0;
};

// A PodGroup with its pods. Indexed by the books' GroupId.
struct Job {
  // What every cycle asks of every job that waits, close together.
  GroupId id;
  QueueId queue;  // none: the queue does not exist
  std::int32_t min_available = 0;
  std::int32_t role_minimum_total = 0;  // sum of minTaskMember
  std::int32_t priority = 0;
  std::uint32_t waiting_best_effort = 0;  // pending pods that ask for nothing
  std::uint32_t gated = 0;
  HyperNodeId nominated;  // as a sub-job's, for a job that has none
  bool has_pod_group = false;
  bool never_written = false;     // the object came without a phase, or does not have what was written
  bool still_stuck = false;       // during a cycle: the attempt was not made, what `stuck` says holds
  std::int32_t gang_missing = 0;  // where gang_condition says Unschedulable: how many pods the gang lacked
  Timestamp created;
  std::unique_ptr<JobNotes> notes;    // only during a cycle, only if there are any
  std::unique_ptr<Stuck> stuck;       // how the last cycle ended for the job, if it can be told in this way
  std::unique_ptr<SubJobs> sub_jobs;  // only with sub-group policies or a topology
  GroupStatus status;                 // as the cycle sees and changes it
  boost::container::small_vector<Role, 1> roles;

  GroupStatus written;              // as the API server has it
  std::string_view gang_condition;  // type of the condition that the last cycle wrote for the gang; empty: none
  Text last_event;                  // the last event's message, to tell a change of reason

  std::string ns;
  std::string name;
  std::string uid;
  JobWorkload workload;  // for people
  StringMap annotations;
  StringMap labels;
  std::string queue_name;
  std::string priority_class;
  std::optional<ResourceList> min_resource_list;  // as written
  std::optional<Resource> min_resources;
  Amounts min_amounts;  // the same, for sums

  bool schedulable() const { return has_pod_group && queue; }
  // Whether its PodGroup says that its pods are not to be evicted for a gang. Silence permits it.
  bool forbids_eviction() const;
  Role* find_role(SymbolId role);
  // Forgets what its PodGroup says of roles, and roles of which nothing is left.
  void forget_role_minimums();
  void drop_empty_roles();
  JobNotes& take_notes();
};

// Counts over the states of a job's pods.
class JobCounts {
 public:
  JobCounts(const Books& books, const Job& job) : group_(books.group(job.id)), job_(job) {}

  std::int64_t of(PodState state) const { return group_.count[static_cast<std::size_t>(state)]; }
  std::int64_t tasks() const { return static_cast<std::int64_t>(group_.pods.size()); }
  std::int64_t holding() const { return count_holding(group_.count); }
  std::int64_t ready() const { return holding() + of(PodState::kSucceeded); }
  std::int64_t waiting() const { return of(PodState::kPipelined); }
  std::int64_t valid() const { return ready() + of(PodState::kPipelined) + of(PodState::kPending); }
  bool is_ready() const { return ready() + job_.waiting_best_effort >= job_.min_available; }
  bool is_pipelined() const { return waiting() + ready() + job_.waiting_best_effort >= job_.min_available; }

  // Minimums per role are only looked at when the job's own minimum is at least their sum.
  bool roles_matter() const { return job_.min_available >= job_.role_minimum_total; }
  bool roles_valid() const;
  bool roles_ready() const;
  bool roles_pipelined() const;
  // The same for sub-jobs.
  bool sub_jobs_valid() const { return !job_.sub_jobs || job_.sub_jobs->valid(); }
  bool sub_jobs_ready() const { return !job_.sub_jobs || job_.sub_jobs->ready(); }
  bool sub_jobs_pipelined() const { return !job_.sub_jobs || job_.sub_jobs->pipelined(); }

 private:
  const GroupRecord& group_;
  const Job& job_;
};

inline std::int64_t role_holding(const Role& role) { return count_holding(role.count); }
// Pods of a role that hold resources, have succeeded, or ask for nothing.
std::int64_t role_ready(const Role& role);

}  // namespace muster::volcano
