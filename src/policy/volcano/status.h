#pragma once

#include "policy/volcano/session.h"

namespace muster::volcano {

// The end of a cycle: phases, conditions, events and texts of PodGroups, conditions of pods, status of queues.
void close_jobs(Session& session);
void close_queues(Session& session);

// "pod group is not ready, 3 Pending, 3 minAvailable; Pending: 3 Unschedulable. Origin reason is …"
std::string fit_error(Session& session, Job& job);
// The same, made once per cycle; only when nothing of the job changes any more.
const Text& fit_error_text(Session& session, Job& job);

// Why a task waits, as its pod's condition says it. An empty message stands for the job's own text.
struct TaskReason {
  std::string_view reason;
  Text message;
  NodeId nominated;
};
TaskReason task_reason(Session& session, Job& job, PodId pod);

// Replaces the condition of the same type, or appends it.
void set_condition(Job& job, std::shared_ptr<const Condition> condition);

// The phase that the states of a job's pods amount to.
Phase phase_after(Session& session, const Job& job, bool unschedulable);

}  // namespace muster::volcano
