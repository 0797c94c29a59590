#pragma once

#include <string>
#include <variant>

#include "model/objects.h"

namespace muster {

// An object that is gone: of a deleted one, its kind and name are all that has to be known.
template <class Kind>
struct Gone {
  std::string ns;  // empty for kinds without namespaces
  std::string name;

  std::string key() const { return ns + "/" + name; }
};

template <class Objects>
struct GoneOf;
template <class... Kinds>
struct GoneOf<std::variant<Kinds...>> {
  using type = std::variant<Gone<Kinds>...>;
};
using GoneObject = GoneOf<Object>::type;

// An object that is no more.
inline GoneObject gone(const Object& object) {
  return std::visit([]<class Kind>(const Kind& known) { return GoneObject(Gone<Kind>{known.meta.ns, known.meta.name}); }, object);
}

}  // namespace muster
