#pragma once

#include <cstdint>

#include "model/json.h"
#include "model/quantity.h"

namespace muster::grouping {

// What a pod counts for in a quota, by the names that quotas have: cpu and requests.cpu, limits.cpu, pods and count/pods, and what
// there is of extended resources, with and without "requests." before it. The spec is a pod's or a template's.
ResourceList quota_usage(const Json* pod_spec);
// What the pod asks for: containers together, init containers at their peak, the pod as a whole, overhead.
ResourceList pod_requests(const Json* pod_spec);

// So many times; nothing for none.
ResourceList times(const ResourceList& amounts, std::int64_t count);
void add_to(ResourceList& sum, const ResourceList& more);
std::string resources_json(const ResourceList& amounts);

}  // namespace muster::grouping
