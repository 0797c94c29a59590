#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/workloads/expansion.h"

namespace muster::sim {

// The class of a pod: by its name, or the one that holds for all who name none; nothing: there is no such class.
const PriorityClass* class_named(const Surroundings& surroundings, std::string_view name);
// The value of a class by its name, those of Kubernetes itself included.
std::optional<std::int64_t> priority_of_class(const Surroundings& surroundings, std::string_view name);
// The same as operators rank roles by it: 0 for one that names no class, whatever holds for its pods, or one that is not there.
std::int64_t named_priority(const Surroundings& surroundings, std::string_view name);

}  // namespace muster::sim
