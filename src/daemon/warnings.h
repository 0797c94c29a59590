#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <string>

#include "daemon/log.h"

namespace muster::daemon {

// Warnings that come again with every cycle, and are said once.
class Warnings {
 public:
  explicit Warnings(Log& log) : log_(log) {}

  void once(const std::string& warning, const Decided& by, Log::Fields fields = {}) {
    if (said_.size() > kMostRemembered) said_.clear();
    if (said_.insert(warning).second) log_.warn(warning, by, fields);
  }

 private:
  static constexpr std::size_t kMostRemembered = 1000;

  Log& log_;
  boost::unordered_flat_set<std::string> said_;
};

}  // namespace muster::daemon
