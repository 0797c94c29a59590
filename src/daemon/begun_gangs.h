#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "daemon/effects.h"
#include "engine/books.h"

namespace muster::daemon {

// Gangs of which some pods have their nodes already, as after a restart in the midst of their binds. They hold room and do nothing
// until the others follow, and fair shares put them behind gangs that hold nothing: so their binds are sent first.
class BegunGangs {
 public:
  explicit BegunGangs(const Books& books) : books_(books) {}

  bool contains(PodId pod) {
    const auto gang = books_.pod(pod).group;
    if (!gang) return false;
    const auto [known, is_new] = known_.try_emplace(gang, false);
    if (is_new) {
      const auto& pods = books_.group(gang).pods;
      known->second = std::any_of(pods.begin(), pods.end(), [&](PodId one) {
        const auto state = books_.pod(one).state;
        return state == PodState::kBound || state == PodState::kRunning;
      });
    }
    return known->second;
  }

  static void put_first(std::vector<Bind>& binds) {
    std::stable_partition(binds.begin(), binds.end(), [](const Bind& bind) { return bind.of_begun_gang; });
  }

 private:
  const Books& books_;
  std::map<GroupId, bool> known_;
};

}  // namespace muster::daemon
