#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "app/text_table.h"
#include "base/result.h"
#include "engine/extension/extension.h"

namespace muster {

struct ConfigCheckRequest {
  std::string file;
  std::optional<Dialect> dialect;  // none: what the file looks like, and Volcano's where it may be either
  bool json = false;
  Paint paint = Paint::none();
};

struct ConfigCheckResult {
  bool good = false;
  std::string report;
  std::vector<std::string> notes;
};

// What `muster check` says of a file.
Result<ConfigCheckResult> check_config_of_any_dialect(const ConfigCheckRequest& request, const ExtensionSet& extensions);

}  // namespace muster
