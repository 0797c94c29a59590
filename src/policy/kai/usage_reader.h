#pragma once

#include <string>

#include "base/result.h"
#include "model/diagnostic.h"
#include "policy/kai/usage.h"

namespace muster::kai {

// Reads what stands under `usageDBConfig` of a configuration. What the original could not work with is refused.
Result<UsageParams> read_usage_params(const Value& root, const std::string& file);

// Reports the keys there that the original does not know.
void check_usage_keys(const Value& root, Reporter& reporter);

}  // namespace muster::kai
