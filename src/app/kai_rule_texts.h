#pragma once

#include <string_view>

namespace muster {

// Why an action that only KAI has evicts; empty for others.
std::string_view kai_rule_text(std::string_view rule);

}  // namespace muster
