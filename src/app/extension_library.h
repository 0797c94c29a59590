#pragma once

#include <optional>
#include <string>

#include "app/config_dialect.h"
#include "base/result.h"
#include "engine/extension/extension.h"

namespace muster {

// Loads every shared library (*.so) of a directory, in the order of their names, and takes in the extension that each holds. A
// directory that cannot be read, a file that is no library, and a library that does not hold what include/muster/extension.h asks
// for are errors that name the file and what was expected.
// Names that are built into the dialect are taken.
Result<ExtensionSet> load_extensions(const std::string& directory, Dialect dialect = Dialect::kVolcano);
// None: no extensions.
Result<ExtensionSet> load_extensions(const std::optional<std::string>& directory, Dialect dialect = Dialect::kVolcano);

}  // namespace muster
