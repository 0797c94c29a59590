#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>

#include "model/time.h"

namespace muster::daemon {

// What was last told of why pods and PodGroups wait, so that it is told again only when it changes. Where only numbers change, such
// as of nodes, it is told a minute later at the earliest: they change for all pods with every pod that comes or goes.
class KaiNews {
 public:
  enum class News : std::uint8_t { kNone, kNumbers, kWords };
  // Counts as told from then on.
  News look_at(const std::string& object, const std::string& text, const Timestamp& now);
  void forget(const std::string& object) { told_.erase(object); }
  void clear() { told_.clear(); }

 private:
  struct Told {
    std::size_t hash = 0;
    std::size_t words = 0;  // without numbers
    std::int64_t seconds = 0;
  };
  boost::unordered_flat_map<std::string, Told> told_;  // pods by uid, PodGroups by namespace/name
};

}  // namespace muster::daemon
