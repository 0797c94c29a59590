#pragma once

#include <string_view>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// Tells a job's users why it was not let in: "<what>: <verb> cpu, <verb> memory".
void refuse_enqueue(Session& session, const Job& job, std::string_view what, std::string_view verb,
                    const std::vector<ResourceId>& resources);
// The same for what is no resource.
void refuse_enqueue(Session& session, const Job& job, std::string_view what, std::string_view verb, std::string_view name);

}  // namespace muster::volcano
