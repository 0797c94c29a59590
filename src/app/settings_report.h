#pragma once

#include <string>

#include "app/text_table.h"

namespace muster {

// Everything that a configuration may say, from the one table that reading checks against.
std::string settings_text(Paint paint);
std::string settings_json();

}  // namespace muster
