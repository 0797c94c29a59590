#include "sim/garbage.h"

#include <algorithm>

namespace muster::sim {
namespace {

const Kind& kind_at(std::size_t index) { return kinds()[index]; }

bool has_finalizer(const Tree& object, std::string_view name) {
  const auto* finalizers = object.at("metadata.finalizers");
  if (finalizers == nullptr || !finalizers->is_list()) return false;
  return std::find(finalizers->as_list()->begin(), finalizers->as_list()->end(), Tree(name)) != finalizers->as_list()->end();
}

Tree without_finalizer(Tree object, std::string_view name) {
  auto* finalizers = object.at("metadata.finalizers");
  if (finalizers != nullptr && finalizers->is_list()) std::erase(*finalizers->as_list(), Tree(name));
  return object;
}

Tree without_owner(Tree object, std::string_view uid) {
  auto* owners = object.at("metadata.ownerReferences");
  if (owners != nullptr && owners->is_list())
    std::erase_if(*owners->as_list(), [&](const Tree& owner) { return owner.text_at("uid") == uid; });
  return object;
}

}  // namespace

Garbage::Garbage(Registry& registry, Store& store) : registry_(registry), store_(store) {
  for (const auto& kind : kinds())
    for (const auto& [key, object] : store_.objects(kind)) index(kind, *object);
  // What a restart left half done.
  for (const auto& kind : kinds())
    for (const auto& [key, object] : store_.objects(kind)) {
      if (object->is_deleting) unsettled_.emplace_back(index_of(kind), key);
      if (!object->owners.empty() && !has_living_owner(*object)) orphaned_.emplace_back(index_of(kind), key);
      if (object->is_deleting && kind.group.empty() && kind.kind == "Namespace") ending_.insert(key.name);
    }
  store_.on_change([this](const Kind& kind, const Change& change) { on_change(kind, change); });
}

void Garbage::index(const Kind& kind, const Object& object) {
  alive_[object.uid] = {index_of(kind), object.key};
  for (const auto& owner : object.owners) dependents_[owner].emplace(index_of(kind), object.key);
}

void Garbage::unindex(const Kind& kind, const Object& object) {
  for (const auto& owner : object.owners) {
    const auto found = dependents_.find(owner);
    if (found == dependents_.end()) continue;
    found->second.erase({index_of(kind), object.key});
    if (found->second.empty()) dependents_.erase(found);
  }
}

bool Garbage::has_living_owner(const Object& object) const {
  return std::any_of(object.owners.begin(), object.owners.end(), [&](const auto& uid) { return alive_.contains(uid); });
}

std::set<Garbage::Place> Garbage::dependents_of(const std::string& uid) const {
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? std::set<Place>() : found->second;
}

void Garbage::on_change(const Kind& kind, const Change& change) {
  const auto& object = *change.now;
  const Place place{index_of(kind), object.key};
  if (change.before) unindex(kind, *change.before);
  if (change.type == ChangeType::kDeleted) {
    alive_.erase(object.uid);
    for (const auto& dependent : dependents_of(object.uid)) orphaned_.push_back(dependent);
    for (const auto& owner : object.owners)
      if (const auto found = alive_.find(owner); found != alive_.end()) unsettled_.push_back(found->second);
    if (kind.namespaced) {
      const auto home = store_.find(kind_named("", "namespaces"), {"", object.key.ns});
      if (home && home->is_deleting) ending_.insert(object.key.ns);
    }
    return;
  }
  index(kind, object);
  if (!object.owners.empty() && !has_living_owner(object)) orphaned_.push_back(place);
  if (!object.is_deleting) return;
  if (kind.group.empty() && kind.kind == "Namespace")
    ending_.insert(object.key.name);
  else
    unsettled_.push_back(place);
}

void Garbage::run() {
  while (!orphaned_.empty() || !unsettled_.empty() || !ending_.empty()) {
    if (!orphaned_.empty()) {
      const auto place = orphaned_.front();
      orphaned_.pop_front();
      remove_orphaned(place);
    } else if (!unsettled_.empty()) {
      const auto place = unsettled_.front();
      unsettled_.pop_front();
      settle(place);
    } else {
      const auto name = *ending_.begin();
      ending_.erase(ending_.begin());
      empty_namespace(name);
    }
  }
}

void Garbage::remove_orphaned(const Place& place) {
  const auto object = store_.find(kind_at(place.first), place.second);
  if (!object || object->owners.empty() || has_living_owner(*object) || object->is_deleting) return;
  static_cast<void>(registry_.remove(kind_at(place.first), place.second, {.uid = object->uid}));  // gone already is as well
}

void Garbage::settle(const Place& place) {
  const auto& kind = kind_at(place.first);
  const auto object = store_.find(kind, place.second);
  if (!object || !object->is_deleting) return;
  const auto tree = object->tree();
  if (has_finalizer(tree, "orphan")) release(place, object->uid);
  if (!has_finalizer(tree, "foregroundDeletion")) return;
  const auto dependents = dependents_of(object->uid);
  for (const auto& [index, key] : dependents) {
    const auto dependent = store_.find(kind_at(index), key);
    if (dependent && !dependent->is_deleting) static_cast<void>(registry_.remove(kind_at(index), key, {.uid = dependent->uid}));
  }
  if (!dependents_of(object->uid).empty()) return;  // each of them tells when it has gone
  static_cast<void>(registry_.change(kind, place.second, Part::kAll,
                                     [](Tree now) { return without_finalizer(std::move(now), "foregroundDeletion"); }));
}

void Garbage::release(const Place& owner, const std::string& uid) {
  for (const auto& [index, key] : dependents_of(uid))
    static_cast<void>(
        registry_.change(kind_at(index), key, Part::kAll, [&](Tree now) { return without_owner(std::move(now), uid); }));
  static_cast<void>(registry_.change(kind_at(owner.first), owner.second, Part::kAll,
                                     [](Tree now) { return without_finalizer(std::move(now), "orphan"); }));
}

void Garbage::empty_namespace(const std::string& name) {
  const auto& namespaces = kind_named("", "namespaces");
  const auto home = store_.find(namespaces, {"", name});
  if (!home || !home->is_deleting) return;
  bool is_empty = true;
  for (const auto& kind : kinds()) {
    if (!kind.namespaced || &stored_kind(kind) != &kind) continue;
    std::vector<Key> inside;
    const auto& objects = store_.objects(kind);
    for (auto at = objects.lower_bound({name, ""}); at != objects.end() && at->first.ns == name; ++at)
      if (!at->second->is_deleting)
        inside.push_back(at->first);
      else
        is_empty = false;
    for (const auto& key : inside) {
      const auto removed = registry_.remove(kind, key);
      is_empty = is_empty && removed && removed->gone;
    }
  }
  if (is_empty) static_cast<void>(registry_.erase(namespaces, home, false));
}

}  // namespace muster::sim
