#pragma once

#include <string>
#include <string_view>

#include "app/explanation.h"

namespace muster {

// Reads what explanation_json() wrote, so that what somebody else explains can be shown like an explanation of one's own. What the
// text of an explanation does not tell is not in it.
Result<Explanation> explanation_of_json(std::string_view json);

}  // namespace muster
