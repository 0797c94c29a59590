#include "policy/kai/actions/scenario.h"

#include <algorithm>

namespace muster::kai {

std::vector<VictimBatch> Scenario::victims() const {
  std::vector<VictimBatch> all;
  for (const auto* batches : {&recorded, &potential})
    for (const auto& batch : *batches) {
      auto known = std::find_if(all.begin(), all.end(), [&](const VictimBatch& other) { return other.job == batch.job; });
      if (known == all.end()) known = all.insert(all.end(), {batch.job, {}});
      known->tasks.insert(known->tasks.end(), batch.tasks.begin(), batch.tasks.end());
    }
  return all;
}

}  // namespace muster::kai
