#pragma once

#include <deque>
#include <set>
#include <string>

#include "sim/owners.h"
#include "sim/registry.h"

namespace muster::sim {

// Removes what nobody needs any more: objects whose owners are all gone, owners that wait for their dependents (foreground
// deletion) or give them away (orphan), and namespaces with everything in them. It learns of changes from the store and works in
// run(), which its owner calls after every request.
class Garbage {
 public:
  Garbage(Registry& registry, Store& store, const Owners& owners);

  void run();

 private:
  void on_change(const Kind& kind, const Change& change);

  void remove_orphaned(const Place& place);
  void settle(const Place& place);
  void release(const Place& owner, const std::string& uid);
  // What must go before its owner may: deletes it, or takes the owner from it where others need it.
  void remove_dependent(const Place& place, const std::string& owner);
  // Whether somebody else than this owner needs the object: an owner that is there and does not wait for it to go.
  bool is_needed_without(const Object& dependent, const std::string& owner) const;
  // Whether its owner, in foreground deletion, waits for it.
  bool blocks(const Place& place, const std::string& owner) const;
  void empty_namespace(const std::string& name);

  Registry& registry_;
  Store& store_;
  const Owners& owners_;
  std::deque<Place> orphaned_;    // perhaps
  std::deque<Place> unsettled_;   // owners that wait for something, perhaps in vain
  std::set<std::string> ending_;  // namespaces
};

}  // namespace muster::sim
