#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster {

// A stretch of a bar: from where the one before it ends, up to this amount.
struct BarPart {
  double until = 0;
  char mark = '#';
};

// "[####++..|   ]": amounts against a whole, with brackets around as many characters as `width` says; empty when that is 0. A bar
// is full only when the whole is reached, and an amount above 0 has a character wherever there is one left. `mark_at` is where a
// '|' stands instead of what is there.
std::string bar_text(std::size_t width, double whole, std::span<const BarPart> parts, std::optional<double> mark_at = {});

}  // namespace muster
