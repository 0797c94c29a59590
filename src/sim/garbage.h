#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "sim/registry.h"
#include "sim/store.h"

namespace muster::sim {

// Removes what nobody needs any more: objects whose owners are all gone, owners that wait for their dependents (foreground
// deletion) or give them away (orphan), and namespaces with everything in them. It learns of changes from the store and works in
// run(), which its owner calls after every request.
class Garbage {
 public:
  Garbage(Registry& registry, Store& store);

  void run();

 private:
  using Place = std::pair<std::size_t, Key>;  // the kind's index, and the name

  void on_change(const Kind& kind, const Change& change);
  void index(const Kind& kind, const Object& object);
  void unindex(const Kind& kind, const Object& object);
  bool has_living_owner(const Object& object) const;
  std::set<Place> dependents_of(const std::string& uid) const;

  void remove_orphaned(const Place& place);
  void settle(const Place& place);
  void release(const Place& owner, const std::string& uid);
  void empty_namespace(const std::string& name);

  Registry& registry_;
  Store& store_;
  boost::unordered_flat_map<std::string, Place> alive_;                 // by uid
  boost::unordered_flat_map<std::string, std::set<Place>> dependents_;  // by the uid of the owner
  std::deque<Place> orphaned_;                                          // perhaps
  std::deque<Place> unsettled_;                                         // owners that wait for something, perhaps in vain
  std::set<std::string> ending_;                                        // namespaces
};

}  // namespace muster::sim
