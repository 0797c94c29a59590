#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/kai/job.h"
#include "policy/kai/session.h"

namespace muster::kai {

// Whether domains could have the GPUs that a job's sets of parts require within one: counted over all of their pods, also those
// that run, against what is free or would be once victims have left. Domains go by the label of their level alone.
class DomainCapacity {
 public:
  DomainCapacity(const Session& session, const Job& job);

  // A task that would leave its node.
  void free_room(PodId pod);
  // The sets, largest first, each in the roomiest domain that has enough left.
  bool suffices() const;

 private:
  struct Level {
    std::string topology, label;
    std::vector<double> needs;                        // of the sets that require it, largest first
    std::map<std::string, double, std::less<>> free;  // by the label's value
  };
  void require(const Job& job, SubGroupId set);
  double need_of(const Job& job, SubGroupId id) const;
  static bool suffices(const Level& level);

  const Session& session_;
  std::vector<Level> levels_;
};

}  // namespace muster::kai
