#pragma once

#include <string>

#include "app/text_table.h"
#include "codec/json_writer.h"
#include "engine/extension/extension.h"

namespace muster {

// Everything that a configuration may say, from the one table that reading checks against.
// Plugins and actions from outside stand at the end.
std::string settings_text(Paint paint, const ExtensionSet& extensions = {});
std::string settings_json(const ExtensionSet& extensions = {});

// The part that is alike in every dialect: what comes from outside.
void add_extensions(TextTable& table, const ExtensionSet& extensions);
void write_extensions(JsonWriter& json, const ExtensionSet& extensions);

}  // namespace muster
