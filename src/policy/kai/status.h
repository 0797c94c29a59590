#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/pod_state.h"

namespace muster::kai {

// Where a task stands. Allocated and Pipelined exist only within a cycle.
enum class Status : std::uint8_t {
  kPending,
  kGated,
  kAllocated,
  kPipelined,
  kBinding,
  kBound,
  kRunning,
  kReleasing,
  kStuckInReleasing,  // has been leaving for so long that nobody counts on it any more
  kSucceeded,
  kFailed,
  kUnknown,
};
inline constexpr std::size_t kStatuses = 12;

constexpr std::string_view name_of(Status status) {
  constexpr std::array<std::string_view, kStatuses> kNames = {"Pending",          "Gated",     "Allocated", "Pipelined",
                                                              "Binding",          "Bound",     "Running",   "Releasing",
                                                              "StuckInReleasing", "Succeeded", "Failed",    "Unknown"};
  return kNames[static_cast<std::size_t>(status)];
}

class StatusSet {
 public:
  template <class... S>
  explicit constexpr StatusSet(S... statuses) : bits_(((1u << static_cast<unsigned>(statuses)) | ... | 0u)) {}
  constexpr bool contains(Status status) const { return ((bits_ >> static_cast<unsigned>(status)) & 1u) != 0; }

 private:
  std::uint32_t bits_;
};

// Counts as part of the gang's quorum.
inline constexpr StatusSet kActiveAllocated{Status::kAllocated, Status::kPipelined, Status::kBinding, Status::kBound,
                                            Status::kRunning};
// Holds something on a node.
inline constexpr StatusSet kActiveUsed{Status::kAllocated, Status::kPipelined, Status::kBinding,         Status::kBound,
                                       Status::kRunning,   Status::kReleasing, Status::kStuckInReleasing};
inline constexpr StatusSet kAlive{Status::kAllocated, Status::kPipelined, Status::kBinding, Status::kBound,
                                  Status::kRunning,   Status::kPending,   Status::kGated};
// Counts against its queue's quota when a cycle opens.
inline constexpr StatusSet kQuotaAllocated{Status::kAllocated, Status::kBound, Status::kBinding, Status::kRunning};

// How the books know a task in this status.
constexpr PodState state_of(Status status) {
  switch (status) {
    case Status::kPending:
    case Status::kGated: return PodState::kPending;
    case Status::kAllocated: return PodState::kAllocated;
    case Status::kPipelined: return PodState::kPipelined;
    case Status::kBinding: return PodState::kBinding;
    case Status::kBound: return PodState::kBound;
    case Status::kRunning:
    case Status::kStuckInReleasing: return PodState::kRunning;
    case Status::kReleasing: return PodState::kReleasing;
    case Status::kSucceeded: return PodState::kSucceeded;
    case Status::kFailed: return PodState::kFailed;
    case Status::kUnknown: return PodState::kUnknown;
  }
  return PodState::kUnknown;
}

}  // namespace muster::kai
