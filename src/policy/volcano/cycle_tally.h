#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ids.h"

namespace muster::volcano {

// What a cycle did that its decisions alone do not tell.
struct CycleTally {
  std::vector<GroupId> placed;                    // the job, each time that pods of it were given nodes together
  std::vector<std::string_view> evictions;        // the action, for each plan that was carried out and evicts somebody
  std::uint64_t preemption_attempts = 0;          // nodes on which room was tried to be made for a pod
  std::optional<std::size_t> preemption_victims;  // on the node that was looked at last: pods that might have gone
};

}  // namespace muster::volcano
