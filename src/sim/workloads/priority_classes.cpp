#include "sim/workloads/priority_classes.h"

namespace muster::sim {

const PriorityClass* class_named(const Surroundings& surroundings, std::string_view name) {
  const PriorityClass* out = nullptr;
  for (const auto& one : surroundings.priority_classes) {
    const bool is_meant = name.empty() ? one.global_default && (out == nullptr || one.value < out->value) : one.meta.name == name;
    if (is_meant) out = &one;
  }
  return out;
}

std::optional<std::int64_t> priority_of_class(const Surroundings& surroundings, std::string_view name) {
  if (const auto* found = class_named(surroundings, name)) return found->value;
  if (name == "system-node-critical") return 2'000'001'000;
  if (name == "system-cluster-critical") return 2'000'000'000;
  return std::nullopt;
}

std::int64_t named_priority(const Surroundings& surroundings, std::string_view name) {
  return name.empty() ? 0 : priority_of_class(surroundings, name).value_or(0);
}

}  // namespace muster::sim
