#pragma once

#include <string>
#include <string_view>

namespace muster {

// The text as a gzip file, packed fast rather than small.
std::string gzip(std::string_view text);

}  // namespace muster
