#include "policy/kai/actions/scenario.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace muster::kai {

std::vector<VictimBatch> Scenario::victims() const {
  std::vector<VictimBatch> all;
  boost::unordered_flat_map<GroupId, std::size_t> places;
  for (const auto* batches : {&recorded, &potential})
    for (const auto& batch : *batches) {
      const auto [place, fresh] = places.try_emplace(batch.job, all.size());
      if (fresh) all.push_back({batch.job, {}});
      auto& tasks = all[place->second].tasks;
      tasks.insert(tasks.end(), batch.tasks.begin(), batch.tasks.end());
    }
  return all;
}

}  // namespace muster::kai
