#pragma once

#include <string>

#include "app/text_table.h"

namespace muster {

// Everything that a configuration of KAI's scheduler and its command line may say, from the one table that reading checks against.
std::string kai_settings_text(Paint paint);
std::string kai_settings_json();

}  // namespace muster
