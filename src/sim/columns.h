#pragma once

#include <span>
#include <string_view>

#include "model/time.h"
#include "sim/kinds.h"
#include "sim/tree.h"

namespace muster::sim {

// A column of what `kubectl get` shows. The cell is what the function makes of an object or, without one, what stands at the path.
struct Column {
  std::string_view name;
  std::string_view type = "string";
  int priority = 0;  // 1: only with -o wide
  std::string_view path = {};
  Tree (*cell)(const Tree& object, Timestamp now) = nullptr;
  std::string_view absent = "<none>";  // where there is nothing at the path

  Tree value(const Tree& object, Timestamp now) const;
};

std::span<const Column> columns_of(const Kind& kind);

}  // namespace muster::sim
