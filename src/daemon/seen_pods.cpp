#include "daemon/seen_pods.h"

#include <algorithm>
#include <string_view>

namespace muster::daemon {

std::vector<CompleteGang> SeenPods::take_gangs(const std::vector<Bind>& binds) {
  std::vector<CompleteGang> gangs;
  boost::unordered_flat_map<std::string_view, std::size_t> places;  // into them
  for (const auto& bind : binds) {
    const auto pod = pods_.find(bind.pod.uid);
    if (pod == pods_.end()) continue;
    const auto seen = pod->second;
    pods_.erase(pod);
    const auto [place, is_new] = places.try_emplace(bind.group.empty() ? bind.pod.uid : bind.group, gangs.size());
    if (is_new)
      gangs.push_back({bind.pod.uid, seen});
    else
      gangs[place->second].since = std::max(gangs[place->second].since, seen);
  }
  return gangs;
}

}  // namespace muster::daemon
