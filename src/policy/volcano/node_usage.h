#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/time.h"

namespace muster::volcano {

// How busy a node really was, as a metrics source measured it. In percent of the node's capacity, 0 to 100.
struct NodeUsage {
  struct Average {
    double cpu_percent = 0;
    double memory_percent = 0;
  };

  double cpu_percent = 0;  // over every period that is not listed
  double memory_percent = 0;
  Timestamp at;  // when it was measured
  std::map<std::string, Average, std::less<>> periods = {};

  // The average over a period, spelled as the source spells it: "10m".
  Average over(std::string_view period) const {
    const auto found = periods.find(period);
    return found != periods.end() ? found->second : Average{cpu_percent, memory_percent};
  }
};

}  // namespace muster::volcano
