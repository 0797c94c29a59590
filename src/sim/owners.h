#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <set>
#include <string>
#include <utility>

#include "sim/store.h"

namespace muster::sim {

// Where an object is: the index of its kind, and its name.
using Place = std::pair<std::size_t, Key>;

// Who owns what: one index for garbage collection and all controllers. It listens to the store, so it must be made before those
// that listen as well and ask it.
class Owners {
 public:
  explicit Owners(Store& store);

  bool is_alive(const std::string& uid) const { return alive_.contains(uid); }
  bool has_living_owner(const Object& object) const;
  // nullptr where there is none.
  const Place* place_of(const std::string& uid) const;
  // By kind and name.
  const std::set<Place>& dependents_of(const std::string& uid) const;

 private:
  void on_change(const Kind& kind, const Change& change);
  void index(const Kind& kind, const Object& object);
  void unindex(const Kind& kind, const Object& object);

  boost::unordered_flat_map<std::string, Place> alive_;                 // by uid
  boost::unordered_flat_map<std::string, std::set<Place>> dependents_;  // by the uid of the owner
};

}  // namespace muster::sim
