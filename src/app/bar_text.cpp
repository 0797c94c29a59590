#include "app/bar_text.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

// How many characters stand for an amount.
std::size_t characters_for(double amount, double whole, std::size_t width) {
  if (!(amount > 0) || !(whole > 0)) return 0;
  if (amount >= whole) return width;
  const auto exact = amount / whole * static_cast<double>(width);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(exact)), 1, std::max<std::size_t>(width, 2) - 1);
}

}  // namespace

std::string bar_text(std::size_t width, double whole, std::span<const BarPart> parts, std::optional<double> mark_at) {
  if (width == 0) return {};
  std::string bar(width, ' ');
  std::size_t from = 0;
  for (const auto& part : parts) {
    const auto until = std::min(characters_for(part.until, whole, width), width);
    for (; from < until; ++from) bar[from] = part.mark;
  }
  if (mark_at && *mark_at > 0 && whole > 0)
    bar[std::clamp<std::size_t>(characters_for(*mark_at, whole, width), 1, width) - 1] = '|';
  return "[" + bar + "]";
}

}  // namespace muster
