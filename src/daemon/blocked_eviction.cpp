#include "daemon/blocked_eviction.h"

namespace muster::daemon {
namespace {

std::string winner_of(const Evict& evict) { return evict.for_group.empty() ? evict.for_pod : evict.for_group; }

}  // namespace

Event event_of_blocked(const Evict& evict, const std::string& answer) {
  const auto winner = winner_of(evict);
  return {.about = evict.pod,
          .type = "Warning",
          .reason = "EvictionBlocked",
          .action = "Evict",
          .note = "Pod is to be evicted" + (winner.empty() ? "" : " for " + winner) +
                  (evict.rule.empty() ? "" : ", because of " + evict.rule) + ", and cannot be: " + answer,
          .cycle = evict.cycle};
}

}  // namespace muster::daemon
