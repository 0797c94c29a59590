#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <utility>
#include <vector>

#include "daemon/effects.h"

namespace muster::daemon {

// Lets an event pass when it says something new of its object: cycles say what holds again and again, people want to hear it once.
// Numbers are no news: those of nodes, say, change for all pods with every pod that comes or goes.
class EventFilter {
 public:
  // Whether this is not, but for numbers, what was said last of the object with that reason; from now on it is.
  bool is_news(const Event& event);
  // It was not said after all.
  void take_back(const Event& event);
  // The object is gone.
  void forget(const std::string& uid) { said_.erase(uid); }
  // Somebody else may have said something since.
  void clear() { said_.clear(); }
  std::size_t size() const { return said_.size(); }

  // Objects: answers that come when theirs has gone are remembered for nobody. Beyond that all are forgotten, and some said again.
  static constexpr std::size_t kMost = 500'000;

 private:
  // By uid: reasons, and the hash of the words that were said last with each.
  boost::unordered_flat_map<std::string, std::vector<std::pair<std::string, std::size_t>>> said_;
};

}  // namespace muster::daemon
