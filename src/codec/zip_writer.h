#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

// A zip archive of one file, deflated. An error: the file has 2 GiB or more, which is more than is read again.
Result<std::string> zip_of(std::string_view name, std::string_view content);

}  // namespace muster
