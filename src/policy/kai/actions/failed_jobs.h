#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/kai/session.h"

namespace muster::kai {

// Jobs for which no room could be made, so that jobs that are no easier are not tried. Jobs are comparable when their pods have the
// same constraints; easier is one with fewer pods that wait, or with one that asks for less.
class FailedJobs {
 public:
  bool is_worth_trying(const Session& session, const Job& job) const;
  void remember(const Session& session, const Job& job);

 private:
  std::map<std::string, std::vector<PodId>> smallest_;  // pods that wait, by constraints
};

}  // namespace muster::kai
