#pragma once

#include "model/json.h"
#include "model/quantity.h"
#include "sim/tree.h"

namespace muster::sim {

// Amounts as objects write them.
Tree resources_of(const ResourceList& amounts);
// Reads the same; null for nothing.
ResourceList amounts_of(const Tree* resources);

// What a pod of a template counts for, as one of grouping/pod_usage.h computes it of its spec; nullptr for no template.
using AmountsOfSpec = ResourceList (*)(const Json* pod_spec);
ResourceList template_amounts(const Tree* pod_template, AmountsOfSpec amounts);

}  // namespace muster::sim
