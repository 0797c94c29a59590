#pragma once

#include <string>
#include <string_view>

#include "model/time.h"

namespace muster::sim {

// "45s", "3m12s", "5h", "3d4h", "400d": how kubectl writes how long ago something was.
std::string duration_text(std::int64_t seconds);
// Since a time in RFC 3339; "<unknown>" when it is none.
std::string age_text(std::string_view since, Timestamp now);

}  // namespace muster::sim
