#include "daemon/effects.h"

#include <iterator>
#include <utility>

namespace muster::daemon {

void Effects::note_cycle(std::uint64_t cycle) {
  const auto note = [cycle](auto& writes) {
    for (auto& write : writes)
      if (write.cycle == 0) write.cycle = cycle;
  };
  note(deletions);
  note(steps);
  note(binds);
  note(evictions);
  note(creations);
  note(patches);
  note(events);
  for (auto& eviction : evictions) {
    if (eviction.announced) eviction.announced->cycle = eviction.cycle;
    for (auto& event : eviction.told) event.cycle = eviction.cycle;
  }
}

void Effects::add(Effects more) {
  const auto move_behind = [](auto& ours, auto& others) {
    ours.insert(ours.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  };
  move_behind(deletions, more.deletions);
  move_behind(steps, more.steps);
  move_behind(binds, more.binds);
  move_behind(evictions, more.evictions);
  move_behind(creations, more.creations);
  move_behind(patches, more.patches);
  move_behind(events, more.events);
  move_behind(complete, more.complete);
  move_behind(gone, more.gone);
}

}  // namespace muster::daemon
