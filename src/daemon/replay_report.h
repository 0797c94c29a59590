#pragma once

#include <string>

#include "app/text_table.h"
#include "daemon/tape_player.h"

namespace muster::daemon::tape {

// A replay for people: a row for each segment, and the cycles that differ. With a last cycle that was asked for, what it decided.
std::string replay_text(const Replay& replay, bool with_last_cycle, Paint paint);
// The same for programs.
std::string replay_json(const Replay& replay, bool with_last_cycle);
// "42 cycles were replayed, all of them equal".
std::string replay_summary(const Replay& replay);

}  // namespace muster::daemon::tape
