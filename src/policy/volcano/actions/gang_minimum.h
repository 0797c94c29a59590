#pragma once

#include <optional>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// The fewest waiting pods with which the job would run, those that the plugins put first: of every role and sub-job what they lack,
// and then what the job lacks. None at all: it cannot be told, or the job does not stop starving when it has them, because other
// plugins than gang say who starves.
std::optional<std::vector<PodId>> fewest_to_run(Session& session, const Job& job);

}  // namespace muster::volcano
