#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/extension/extension.h"

namespace muster {

// Loads every shared library (*.so) of a directory, in the order of their names, and takes in the extension that each holds. A
// directory that cannot be read, a file that is no library, and a library that does not hold what include/muster/extension.h asks
// for are errors that name the file and what was expected.
Result<ExtensionSet> load_extensions(const std::string& directory);
// None: no extensions.
Result<ExtensionSet> load_extensions(const std::optional<std::string>& directory);

}  // namespace muster
