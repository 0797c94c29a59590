#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/kai/job.h"
#include "policy/kai/queue.h"

namespace muster {
struct Decision;
}

namespace muster::kai {

class Session;

// What conditions and events say, in the words of KAI's scheduler: people search for them and dashboards read them.

// The pool of nodes that a job belongs to, as statuses and events name it.
std::string pool_name(const Job& job);

// Why a job found no room in this cycle, and with `detailed` all that is known of it.
enum class Detail : std::uint8_t { kCounts, kAll };
std::string unschedulable_text(const Job& job, Detail detail);
// The same for one of its pods that waits. In detail every node is asked again about the pod, as it is now.
std::string unschedulable_text(Session& session, const Job& job, PodId pod, Detail detail);
// Of a pod of a subgroup that the PodGroup does not have.
std::string left_out_text(const Session& session, const Job& job, PodId pod);

// What is missing of a job that waits for pods of its own, and of one that has run with too few of them for too long.
// `held` says how many pods of a part count as gated and have no gate of their own; the text is empty when no others are missing.
std::string not_ready_text(const Job& job, const std::function<std::uint32_t(SubGroupId)>& held = {});
std::string stale_text(const Job& job);

// Whether pods of a PodSet wait for others of it, because they have to start together.
bool is_short_of_minimum(const Job& job, const SubGroup& part);
// Why a pod found no node or its job has to wait, after how many others of the job found one.
std::string pod_error_text(const Session& session, const Job& job, PodId pod, std::size_t placed);
std::string pod_error_text(const Session& session, PodId pod, const std::string& why);
std::string delay_text(const Job& job);

// Why a queue has no room for a job, and the same for machines. "Fixed": of pods that cannot be preempted.
struct QueueDetails {
  std::string queue;
  ResourceList requested, deserved, allocated, allocated_fixed, limits;  // of the queue
  ResourceList group_requested, group_requested_fixed;
};
std::string shortage_text(const QueueTree& queues, FitReason reason, const QueueShortage& shortage);
QueueDetails details_of(const QueueTree& queues, const QueueShortage& shortage);

// Why a pod has to leave, asked when that is decided.
std::string eviction_text(const Session& session, const Decision& decision);

}  // namespace muster::kai
