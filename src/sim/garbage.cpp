#include "sim/garbage.h"

#include <algorithm>

#include "sim/finalizers.h"

namespace muster::sim {
namespace {

const Kind& kind_at(std::size_t index) { return kinds()[index]; }

bool is_namespace_kind(const Kind& kind) { return kind.group.empty() && kind.kind == "Namespace"; }

Tree without_finalizer(Tree object, std::string_view name) {
  remove_finalizer(object, name);
  return object;
}

Tree without_owner(Tree object, std::string_view uid) {
  auto* owners = object.at("metadata.ownerReferences");
  if (owners != nullptr && owners->is_list())
    std::erase_if(*owners->as_list(), [&](const Tree& owner) { return owner.text_at("uid") == uid; });
  return object;
}

}  // namespace

Garbage::Garbage(Registry& registry, Store& store, const Owners& owners) : registry_(registry), store_(store), owners_(owners) {
  // What a restart left half done.
  for (const auto& kind : kinds())
    for (const auto& [key, object] : store_.objects(kind)) {
      if (object->is_deleting) unsettled_.emplace_back(index_of(kind), key);
      if (!object->owners.empty() && !owners_.has_living_owner(*object)) orphaned_.emplace_back(index_of(kind), key);
      if (object->is_deleting && is_namespace_kind(kind)) ending_.insert(key.name);
    }
  store_.on_change([this](const Kind& kind, const Change& change) { on_change(kind, change); });
}

void Garbage::on_change(const Kind& kind, const Change& change) {
  const auto& object = *change.now;
  const Place place{index_of(kind), object.key};
  if (change.type == ChangeType::kDeleted) {
    for (const auto& dependent : owners_.dependents_of(object.uid)) orphaned_.push_back(dependent);
    for (const auto& owner : object.owners)
      if (const auto* found = owners_.place_of(owner)) unsettled_.push_back(*found);
    if (kind.namespaced) {
      const auto home = store_.find(kind_named("", "namespaces"), {"", object.key.ns});
      if (home && home->is_deleting) ending_.insert(object.key.ns);
    }
    return;
  }
  if (!object.owners.empty() && !owners_.has_living_owner(object)) orphaned_.push_back(place);
  // One that its owner waits for may have got another owner, or none.
  if (change.before && change.before->owners != object.owners)
    for (const auto& owner : change.before->owners)
      if (const auto* found = owners_.place_of(owner)) unsettled_.push_back(*found);
  if (!object.is_deleting) return;
  if (is_namespace_kind(kind)) ending_.insert(object.key.name);
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
  if (!object || object->owners.empty() || owners_.has_living_owner(*object) || object->is_deleting) return;
  static_cast<void>(registry_.remove(kind_at(place.first), place.second, {.uid = object->uid}));  // gone already is as well
}

void Garbage::settle(const Place& place) {
  const auto& kind = kind_at(place.first);
  const auto object = store_.find(kind, place.second);
  if (!object || !object->is_deleting) return;
  const auto tree = object->tree();
  if (has_finalizer(tree, kOrphanFinalizer)) release(place, object->uid);
  if (!has_finalizer(tree, kForegroundFinalizer)) return;
  const auto dependents = owners_.dependents_of(object->uid);  // a copy: they go meanwhile
  for (const auto& dependent : dependents) remove_dependent(dependent, object->uid);
  const auto& left = owners_.dependents_of(object->uid);
  if (std::any_of(left.begin(), left.end(), [&](const Place& one) { return blocks(one, object->uid); }))
    return;  // each of them tells when it has gone
  static_cast<void>(registry_.change(kind, place.second, Part::kAll,
                                     [](Tree now) { return without_finalizer(std::move(now), kForegroundFinalizer); }));
}

void Garbage::remove_dependent(const Place& place, const std::string& owner) {
  const auto& kind = kind_at(place.first);
  const auto dependent = store_.find(kind, place.second);
  if (!dependent || dependent->is_deleting || !blocks(place, owner)) return;
  if (is_needed_without(*dependent, owner))
    static_cast<void>(
        registry_.change(kind, place.second, Part::kAll, [&](Tree now) { return without_owner(std::move(now), owner); }));
  else
    static_cast<void>(registry_.remove(kind, place.second, {.uid = dependent->uid}));
}

bool Garbage::is_needed_without(const Object& dependent, const std::string& owner) const {
  return std::any_of(dependent.owners.begin(), dependent.owners.end(), [&](const auto& uid) {
    const auto* place = uid == owner ? nullptr : owners_.place_of(uid);
    const auto other = place == nullptr ? nullptr : store_.find(kind_at(place->first), place->second);
    return other && !(other->is_deleting && has_finalizer(other->tree(), kForegroundFinalizer));
  });
}

bool Garbage::blocks(const Place& place, const std::string& owner) const {
  const auto dependent = store_.find(kind_at(place.first), place.second);
  // The text is looked at first: an owner may have thousands of them.
  if (!dependent || dependent->text.find("\"blockOwnerDeletion\":true") == std::string::npos) return false;
  const auto tree = dependent->tree();
  const auto* references = tree.at("metadata.ownerReferences");
  return references != nullptr && references->is_list() &&
         std::any_of(references->as_list()->begin(), references->as_list()->end(),
                     [&](const Tree& one) { return one.text_at("uid") == owner && one.true_at("blockOwnerDeletion"); });
}

void Garbage::release(const Place& owner, const std::string& uid) {
  const auto dependents = owners_.dependents_of(uid);  // a copy: they go meanwhile
  for (const auto& [index, key] : dependents)
    static_cast<void>(
        registry_.change(kind_at(index), key, Part::kAll, [&](Tree now) { return without_owner(std::move(now), uid); }));
  static_cast<void>(registry_.change(kind_at(owner.first), owner.second, Part::kAll,
                                     [](Tree now) { return without_finalizer(std::move(now), kOrphanFinalizer); }));
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
  // One that somebody holds is looked at again when it is let go.
  if (is_empty && !has_finalizers(home->tree())) static_cast<void>(registry_.erase(namespaces, home, false));
}

}  // namespace muster::sim
