#pragma once

#include <string>

namespace muster::metrics {

// A number as the originals' /metrics shows it: the shortest digits that read back as the same number, with an exponent below 1e-04
// and from 1e+06 on; "+Inf", "-Inf", "NaN".
std::string number_text(double value);

}  // namespace muster::metrics
