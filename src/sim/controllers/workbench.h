#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/owners.h"
#include "sim/registry.h"

namespace muster::sim {

// What all controllers work with: which objects to look at, when to look at one again, and how much may be made at once.
class Workbench {
 public:
  // Objects of the followed kinds are looked at when they, or something that they own, change.
  Workbench(Registry& registry, Store& store, const Owners& owners, const std::vector<const Kind*>& followed);

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

  // Nothing is made for this owner before that second: the server has refused it, or it was much already. 0 for no such second.
  void hold(const std::string& owner, std::int64_t until) { held_[owner].until = until; }
  std::int64_t held_until(const std::string& owner) const;
  bool is_held(const std::string& owner) const { return held_until(owner) > now(); }
  // Counts what was made; after so many in one second the owner is held until the next, so that everybody else is answered too.
  static constexpr std::int64_t kMostMadePerSecond = 500;
  void note_made(const std::string& owner);

  // Objects of a kind with this owner, by name.
  std::vector<ObjectPtr> owned(const std::string& owner, const Kind& kind) const;
  bool is_alive(const std::string& uid) const { return owners_.is_alive(uid); }

  // A Warning about an object, for `kubectl describe`; the same one again within the next minutes is counted, not repeated.
  void warn(const Kind& kind, const Object& about, std::string_view reason, const std::string& message);

 private:
  struct Pace {
    std::int64_t until = 0;   // it is held
    std::int64_t second = 0;  // in which so many were made
    std::int64_t made = 0;
  };

  void on_change(const Kind& kind, const Change& change);

  Registry& registry_;
  Store& store_;
  const Owners& owners_;
  std::vector<bool> is_followed_;
  std::set<Place> changed_;
  std::map<std::int64_t, std::set<Place>> due_;
  std::map<Place, std::int64_t> promised_;
  std::map<std::string, Pace> held_;  // by the uid of the owner
};

}  // namespace muster::sim
