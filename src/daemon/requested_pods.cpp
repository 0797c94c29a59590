#include "daemon/requested_pods.h"

#include <boost/unordered/unordered_flat_set.hpp>

namespace muster::daemon {

std::size_t requested_pods(const Books& books, const Outbox& outbox) {
  boost::unordered_flat_set<PodId> pods;
  boost::unordered_flat_set<GroupId> groups;
  for (const auto& decision : outbox) {
    if (decision.kind != Decision::Kind::kEvict) continue;
    if (decision.for_whom.pod)
      pods.insert(decision.for_whom.pod);
    else if (decision.for_whom.group)
      groups.insert(decision.for_whom.group);
  }
  for (const auto group : groups)
    for (const auto pod : books.group(group).pods)
      if (const auto state = books.pod(pod).state; state == PodState::kPipelined || state == PodState::kAllocated) pods.insert(pod);
  return pods.size();
}

}  // namespace muster::daemon
