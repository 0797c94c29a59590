#pragma once

// What a recording is made of: every call that a LiveCluster gets, in order, with what others answered in the middle of it and what
// came of it. A LiveCluster knows the world by nothing else, so the same calls to a cluster that was made in the same way bring the
// same decisions.

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "codec/object_bytes.h"
#include "daemon/claim_work.h"
#include "daemon/effects.h"
#include "daemon/live_cluster.h"
#include "policy/volcano/extender_client.h"

namespace muster {

template <>
struct LastOf<kube::PatchType> {
  static constexpr auto kValue = kube::PatchType::kJson;
};

}  // namespace muster

namespace muster::daemon::tape {

// How the cluster of a dialect was made.
struct Life {
  std::string dialect;  // "volcano", "kai"
  bool exact = false;
  bool lenient = false;
  bool binds_directly = false;       // kai
  bool announces_evictions = false;  // kai
  std::map<std::string, std::string> flags = {};

  bool operator==(const Life&) const = default;
};

// Begins a segment. All segments of one life are one history; the first begins with a cluster that knows nothing, the others with
// the state that the inputs before them left.
struct Opening {
  std::uint64_t life_id = 0;
  std::uint64_t part = 0;    // of the life, from 0
  std::uint64_t cycles = 0;  // decided before it
  Life life;
  std::string config;  // its text
  std::string config_file;
  std::string gpu_groups;  // kai: how names of shared GPUs begin
  Timestamp begun;
};
// Part of the state at the beginning of a segment. One that follows the segment before it does not need it.
struct StateObject {
  Object object;
};
struct StateComplete {
  bool settled = false;
};

struct Applied {
  Object object;
};
struct Removed {
  std::string group;
  std::string kind;
  kube::Identity id;
};
struct TakenBack {
  kube::Identity pod;
};

// One write that was asked for, as far as two have to be told apart.
struct Wanted {
  std::string what;          // "patch /api/v1/…", "event Pod ns/a Unschedulable"
  std::uint64_t digest = 0;  // of all of it
  bool operator==(const Wanted&) const = default;
};
struct Placement {
  std::string pod;  // "namespace/name"
  std::string uid;
  std::string node;  // empty for evictions
  std::uint64_t digest = 0;
  bool operator==(const Placement&) const = default;
};
struct Decisions {
  std::vector<Placement> binds;
  std::vector<Placement> evictions;
  std::vector<Wanted> others;  // deletions, creations, statuses, events
  bool operator==(const Decisions&) const = default;
};
Decisions decisions_of(const Effects& effects);
std::vector<Placement> placements_of(const std::vector<FailedBind>& failed);

struct Settled {
  Decisions decisions;
};
struct Cycle {
  std::uint64_t number = 0;  // of the life, from 1
  Timestamp now;
  Decisions decisions;
};
struct Skipped {
  Timestamp now;
};
struct ToldBound {
  Bind bind;
};
struct ToldRefused {
  Bind bind;
  std::string answer;
  Timestamp now;
};
struct ToldNotDeleted {
  Delete deletion;
};
struct ToldNotCreated {
  Create creation;
};
struct ToldNotWritten {
  kube::ObjectPath object;
};
// Binds that others could not carry out were taken; asking in vain leaves no entry.
struct FailuresTaken {
  std::vector<Placement> binds;
};
struct ConfigGiven {
  std::string text;
  std::string file;
  bool good = false;
};

// From the next cycle on; the configuration says what they are when they are allowed. They are, where a life begins.
struct EvictionsSet {
  bool allowed = true;
};

// Pods that the next cycle is to evict.
struct GivenUp {
  std::string gang;
  std::vector<kube::Identity> pods;
  std::string why;
};

// Answers of others, before the cycle that they were for.
struct UsageTold {
  bool awaited = false;
  std::map<std::string, std::vector<double>> usage;  // of each queue, in the order of kai::kShares
  std::vector<std::string> notes;
  bool operator==(const UsageTold&) const = default;
};
struct ExtenderTold {
  std::string url;
  bool answered = false;
  volcano::ExtenderAnswer answer;
  volcano::ExtenderFailure failure;
};

// Ends a segment that another one follows, or the life.
struct Closed {
  bool goes_on = false;
};

using Entry = std::variant<Opening, StateObject, StateComplete, Applied, Removed, TakenBack, Settled, Cycle, Skipped, ToldBound,
                           ToldRefused, ToldNotDeleted, ToldNotCreated, ToldNotWritten, FailuresTaken, ConfigGiven, EvictionsSet,
                           GivenUp, UsageTold, ExtenderTold, Closed>;

// An entry as it is in a segment.
template <class One>
std::string bytes_of(const One& entry);
Result<Entry> read_entry(std::string_view bytes);
// Whether the bytes are an Applied, and the same bytes as part of a state.
bool is_applied(std::string_view bytes);
std::string as_state(std::string_view applied);

// Whether nothing is under way after it: a cycle was decided or passed over.
bool ends_a_turn(std::string_view bytes);

// How entries are laid out by this program.
std::uint64_t shape();

}  // namespace muster::daemon::tape
