#include "engine/filters/namespace_labels.h"

namespace muster {

void NamespaceLabels::set(const Namespace& object) {
  const auto [at, added] = labels_.try_emplace(object.meta.name, object.meta.labels);
  if (!added && at->second == object.meta.labels) return;
  at->second = object.meta.labels;
  ++version_;
}

void NamespaceLabels::remove(std::string_view name) { version_ += labels_.erase(std::string(name)); }

const StringMap& NamespaceLabels::of(std::string_view name) const {
  static const StringMap kNone;
  const auto found = labels_.find(std::string(name));
  return found == labels_.end() ? kNone : found->second;
}

}  // namespace muster
