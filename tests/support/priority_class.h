#pragma once

#include <string>

#include "model/objects.h"

namespace muster {

inline PriorityClass a_priority_class(const std::string& name, std::int32_t value, bool global_default = false) {
  PriorityClass made;
  made.meta.name = name;
  made.value = value;
  made.global_default = global_default;
  return made;
}

}  // namespace muster
