#pragma once

#include <string>

#include "app/text_table.h"
#include "engine/extension/extension.h"

namespace muster {

// Everything that a configuration of KAI's scheduler and its command line may say, from the one table that reading checks against.
// Plugins and actions from outside stand at the end.
std::string kai_settings_text(Paint paint, const ExtensionSet& extensions = {});
std::string kai_settings_json(const ExtensionSet& extensions = {});

}  // namespace muster
