#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/registry.h"
#include "sim/store.h"

namespace muster::sim {

// What all controllers work with: who owns what, which objects to look at, and when to look at one again.
class Workbench {
 public:
  using Place = std::pair<std::size_t, Key>;  // the kind's index, and the name

  // Objects of the followed kinds are looked at when they, or something that they own, change.
  Workbench(Registry& registry, Store& store, const std::vector<const Kind*>& followed);

  Registry& registry() { return registry_; }
  const Store& store() const { return store_; }
  std::int64_t now() const { return registry_.outside().now().seconds; }
  std::string time_text() const { return registry_.outside().time_text(); }

  // The next object to look at, in the order of kinds and names.
  std::optional<Place> take();
  void look_at(const Kind& kind, const Key& key);
  // No later than at this second; only the earliest such promise for an object counts.
  void look_again(const Kind& kind, const Key& key, std::int64_t at);
  // Those that own the object, where somebody follows them.
  void look_at_owners(const Object& object);
  // What is due by now.
  void tick();

  // Nothing is made for this owner before that second: the server has refused it.
  void hold(const std::string& owner, std::int64_t until) { held_[owner] = until; }
  bool is_held(const std::string& owner) const;

  // Objects of a kind with this owner, by name.
  std::vector<ObjectPtr> owned(const std::string& owner, const Kind& kind) const;
  bool is_alive(const std::string& uid) const { return alive_.contains(uid); }

  // A Warning about an object, for `kubectl describe`; the same one again within the next minutes is counted, not repeated.
  void warn(const Kind& kind, const Object& about, std::string_view reason, const std::string& message);

 private:
  void on_change(const Kind& kind, const Change& change);
  void index(const Kind& kind, const Object& object);
  void unindex(const Kind& kind, const Object& object);

  Registry& registry_;
  Store& store_;
  std::vector<bool> is_followed_;
  boost::unordered_flat_map<std::string, Place> alive_;                 // by uid
  boost::unordered_flat_map<std::string, std::set<Place>> dependents_;  // by the uid of the owner
  std::set<Place> changed_;
  std::map<std::int64_t, std::set<Place>> due_;
  std::map<Place, std::int64_t> promised_;
  std::map<std::string, std::int64_t> held_;  // by the uid of the owner
};

}  // namespace muster::sim
