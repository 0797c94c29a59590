#pragma once

#include "grouping/object.h"
#include "sim/tree.h"

namespace muster::sim {

// A pod as a template says, owned by an object of this kind. Without a name; what has no template makes an empty pod.
Tree pod_from(const Tree* pod_template, const grouping::ObjectKind& kind, const Tree& owner);
Tree controller_reference(const grouping::ObjectKind& kind, const Tree& owner);

}  // namespace muster::sim
