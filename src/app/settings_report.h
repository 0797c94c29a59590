#pragma once

#include <string>

#include "app/text_table.h"
#include "engine/extension/extension.h"

namespace muster {

// Everything that a configuration may say, from the one table that reading checks against.
// Plugins and actions from outside stand at the end.
std::string settings_text(Paint paint, const ExtensionSet& extensions = {});
std::string settings_json(const ExtensionSet& extensions = {});

}  // namespace muster
