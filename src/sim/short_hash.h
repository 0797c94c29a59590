#pragma once

#include <string>
#include <string_view>

namespace muster::sim {

// Ten letters and digits that differ when the text differs.
std::string short_hash(std::string_view text);

}  // namespace muster::sim
