#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/ids.h"

namespace muster {

// Room that pods were evicted for, until those have it for whom it was made: by group, in the order in which it was promised.
class PromisedRoom {
 public:
  struct Place {
    PodId pod;          // may have gone, and another come in its stead
    std::string shape;  // its key: ids of shapes do not last as long as promises
    NodeId node;
  };
  struct Promise {
    GroupId group;
    std::vector<Place> places;
    int waited = 0;  // how many cycles nobody came for it
  };

  bool empty() const { return promises_.empty(); }
  std::vector<Promise>& promises() { return promises_; }

  // In addition to what the group was promised before for other pods.
  void promise(GroupId group, const Place& place) {
    auto known = std::find_if(promises_.begin(), promises_.end(), [&](const Promise& promise) { return promise.group == group; });
    if (known == promises_.end()) known = promises_.insert(known, {.group = group, .places = {}});
    std::erase_if(known->places, [&](const Place& old) { return old.pod == place.pod; });
    known->places.push_back(place);
  }
  void forget(GroupId group) {
    std::erase_if(promises_, [&](const Promise& promise) { return promise.group == group; });
  }

 private:
  std::vector<Promise> promises_;
};

}  // namespace muster
