#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/outlook_facts.h"
#include "app/pending_reason.h"
#include "policy/volcano/session.h"

namespace muster {

enum class JobState {
  kRunning,    // everything had a place before
  kPlaced,     // everything has a place now
  kPartial,    // its minimum has a place, other pods wait
  kPipelined,  // has been given room that others are leaving
  kWaiting,
  kEnding,    // every pod has ended or is being deleted
  kFinished,  // every pod has ended
};
std::string_view name_of(JobState state);

// Why nodes refuse a pod: how many nodes gave each reason, most frequent first. A node may give several.
struct NodeRefusals {
  PodId id;
  std::string pod;
  std::size_t nodes = 0;
  std::vector<std::pair<std::string, std::size_t>> reasons;
};

// How a job stands when all actions of a cycle are done and nothing has been undone yet.
struct JobOutlook {
  std::string name;      // "namespace/name"
  std::string workload;  // "Kind/name" of what its PodGroup was made for; empty: nobody knows
  std::string queue;     // as named, existing or not
  std::string phase;
  JobState state = JobState::kWaiting;
  std::int64_t minimum = 0;
  std::int64_t pods = 0;
  std::int64_t holding = 0;    // pods with a node
  std::int64_t pending = 0;    // pods without
  std::int64_t gated = 0;      // of those, held back by scheduling gates
  std::int64_t refused = 0;    // others of those, held back because their binds came to nothing
  std::int64_t leaving = 0;    // pods that are being deleted
  std::int64_t succeeded = 0;  // pods that have ended well
  std::int64_t failed = 0;
  std::int64_t would_fit = 0;                              // pods that found a node and lost it again because others did not
  std::vector<std::pair<std::string, std::size_t>> nodes;  // where its pods are, and how many
  PendingReason reason = PendingReason::kNone;
  std::string sentence;         // the reason in particular, or what became of its pods; empty when there is nothing to say
  QueueId full_queue;           // whose limit or share is in the way, if that is the reason: its own queue or one above
  bool room_came_late = false;  // that queue has room by now: pods of it were evicted after the last attempt to place others
  NodeRefusals refusals;
};

// What became of the pods of a job that is ending or has ended: "2 pods succeeded, 1 failed, 1 is being deleted".
std::string ended_text(const JobOutlook& job);

// Its names, its counts and its state alone, which ask no node: no phase, no reason.
JobOutlook standing_of(const volcano::Session& session, const volcano::Job& job);

// Looks at one job after the last action and before the session closes. With a pod, refusals are those of that pod if it has any.
JobOutlook outlook_of(volcano::Session& session, const volcano::Job& job, const OutlookFacts& facts, PodId pod = PodId());

// The outlook of every job, in the order of arrival.
std::vector<JobOutlook> outlooks_of(volcano::Session& session, const RefusedBinds& refused = nothing_refused());

}  // namespace muster
