#pragma once

// What an API server holds: objects by kind and name, in the order in which they came. A scheduler that has heard of every change
// must decide like one that reads the store anew.

#include <algorithm>
#include <string>
#include <vector>

#include "model/gone_object.h"

namespace muster {

inline const ObjectMeta& meta_of(const Object& object) {
  return std::visit([](const auto& known) -> const ObjectMeta& { return known.meta; }, object);
}
inline ObjectMeta& meta_of(Object& object) {
  return std::visit([](auto& known) -> ObjectMeta& { return known.meta; }, object);
}
// "7 namespace/name": its kind and name.
inline std::string identity(const Object& object) {
  return std::to_string(object.index()) + " " + meta_of(object).ns + "/" + meta_of(object).name;
}

class ObjectStore {
 public:
  const std::vector<Object>& all() const { return objects_; }
  bool empty() const { return objects_.empty(); }

  Object* find(const std::string& id) {
    const auto at = std::find_if(objects_.begin(), objects_.end(), [&](const Object& known) { return identity(known) == id; });
    return at == objects_.end() ? nullptr : &*at;
  }
  template <class Kind>
  Kind* find(const std::string& ns, const std::string& name) {
    Kind wanted;
    wanted.meta.ns = ns;
    wanted.meta.name = name;
    auto* known = find(identity(Object(wanted)));
    return known == nullptr ? nullptr : &std::get<Kind>(*known);
  }
  template <class Kind>
  Kind* find(const std::string& key) {
    const auto slash = key.find('/');
    return find<Kind>(key.substr(0, slash), key.substr(slash + 1));
  }
  // A new one goes to the end, a changed one stays where it was.
  void put(const Object& object) {
    if (auto* known = find(identity(object)))
      *known = object;
    else
      objects_.push_back(object);
  }
  void erase(const Object& object) {
    std::erase_if(objects_, [id = identity(object)](const Object& known) { return identity(known) == id; });
  }
  template <class Kind>
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::count_if(objects_.begin(), objects_.end(), [](const Object& object) { return std::holds_alternative<Kind>(object); }));
  }

 private:
  std::vector<Object> objects_;
};

}  // namespace muster
