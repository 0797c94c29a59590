#pragma once

#include <cstddef>
#include <optional>

namespace muster::cli {

// The columns of the terminal that standard output is; none: it is no terminal, and lines may have any length.
std::optional<std::size_t> output_width();

}  // namespace muster::cli
