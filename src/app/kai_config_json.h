#pragma once

#include <string>

#include "base/result.h"

namespace muster {

// The text of a KAI configuration as JSON, as snapshots have it; of an empty text, the built-in default.
Result<std::string> kai_config_json(const std::string& text, const std::string& file);

}  // namespace muster
