#pragma once

#include "codec/case_reader.h"
#include "policy/kai/usage.h"

namespace muster {

// What queues used before the case begins: as it says itself, else by the sums over the window that it gives, else by its samples.
// Windows other than the sliding one bring nothing: the original asks for them in a way that no answer fits.
kai::QueueUsage usage_of_case(const Case& scenario, const kai::UsageParams& params);

}  // namespace muster
