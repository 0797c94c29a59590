#include "sim/finalizers.h"

#include <algorithm>

namespace muster::sim {
namespace {

const Tree::List* finalizers_of(const Tree& object) {
  const auto* found = object.at("metadata.finalizers");
  return found == nullptr ? nullptr : found->as_list();
}

}  // namespace

bool has_finalizers(const Tree& object) {
  const auto* finalizers = finalizers_of(object);
  return finalizers != nullptr && !finalizers->empty();
}

bool has_finalizer(const Tree& object, std::string_view name) {
  const auto* finalizers = finalizers_of(object);
  return finalizers != nullptr && std::find(finalizers->begin(), finalizers->end(), Tree(name)) != finalizers->end();
}

void add_finalizer(Tree& object, std::string_view name) {
  if (!has_finalizer(object, name)) object["metadata"]["finalizers"].push_back(Tree(name));
}

void remove_finalizer(Tree& object, std::string_view name) {
  auto* finalizers = object.at("metadata.finalizers");
  if (finalizers != nullptr && finalizers->is_list()) std::erase(*finalizers->as_list(), Tree(name));
}

}  // namespace muster::sim
