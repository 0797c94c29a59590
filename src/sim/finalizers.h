#pragma once

#include <string_view>

#include "sim/tree.h"

namespace muster::sim {

// What holds an object that is being deleted: the names in metadata.finalizers.
bool has_finalizers(const Tree& object);
bool has_finalizer(const Tree& object, std::string_view name);
void add_finalizer(Tree& object, std::string_view name);  // once
void remove_finalizer(Tree& object, std::string_view name);

// Those by which a deletion waits for its dependents, or lets them go.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

}  // namespace muster::sim
