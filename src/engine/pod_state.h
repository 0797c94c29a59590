#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster {

// Where a pod stands. The first four of the placed states exist only inside muster: the API server knows a pod without a node, with
// a node, running, finished.
enum class PodState : std::uint8_t {
  kPending,    // no node
  kAllocated,  // placed on free resources, not yet decided
  kPipelined,  // placed on resources that others are about to free
  kBinding,    // bind decided and not yet seen on the API server
  kBound,      // has a node, does not run yet
  kRunning,
  kReleasing,  // being deleted
  kSucceeded,
  kFailed,
  kUnknown,
};
inline constexpr std::size_t kPodStates = 10;

constexpr std::string_view name_of(PodState state) {
  constexpr std::array<std::string_view, kPodStates> kNames = {"Pending", "Allocated", "Pipelined", "Binding", "Bound",
                                                               "Running", "Releasing", "Succeeded", "Failed",  "Unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

// A small set of states.
class PodStates {
 public:
  template <class... S>
  explicit constexpr PodStates(S... states) : bits_((bit(states) | ... | 0u)) {}
  constexpr bool contains(PodState state) const { return (bits_ & bit(state)) != 0; }

 private:
  static constexpr std::uint32_t bit(PodState state) { return 1u << static_cast<unsigned>(state); }
  std::uint32_t bits_;
};

// Pods in these states hold resources on behalf of their group.
inline constexpr PodStates kHoldingStates{PodState::kBound, PodState::kBinding, PodState::kRunning, PodState::kAllocated};

}  // namespace muster
