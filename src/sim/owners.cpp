#include "sim/owners.h"

#include <algorithm>

namespace muster::sim {

Owners::Owners(Store& store) {
  for (const auto& kind : kinds())
    for (const auto& [key, object] : store.objects(kind)) index(kind, *object);
  store.on_change([this](const Kind& kind, const Change& change) { on_change(kind, change); });
}

bool Owners::has_living_owner(const Object& object) const {
  return std::any_of(object.owners.begin(), object.owners.end(), [&](const auto& uid) { return alive_.contains(uid); });
}

const Place* Owners::place_of(const std::string& uid) const {
  const auto found = alive_.find(uid);
  return found == alive_.end() ? nullptr : &found->second;
}

const std::set<Place>& Owners::dependents_of(const std::string& uid) const {
  static const std::set<Place> kNobody;
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? kNobody : found->second;
}

void Owners::on_change(const Kind& kind, const Change& change) {
  if (change.before) unindex(kind, *change.before);
  if (change.type == ChangeType::kDeleted)
    alive_.erase(change.now->uid);
  else
    index(kind, *change.now);
}

void Owners::index(const Kind& kind, const Object& object) {
  alive_[object.uid] = {index_of(kind), object.key};
  for (const auto& owner : object.owners) dependents_[owner].emplace(index_of(kind), object.key);
}

void Owners::unindex(const Kind& kind, const Object& object) {
  for (const auto& owner : object.owners) {
    const auto found = dependents_.find(owner);
    if (found == dependents_.end()) continue;
    found->second.erase({index_of(kind), object.key});
    if (found->second.empty()) dependents_.erase(found);
  }
}

}  // namespace muster::sim
