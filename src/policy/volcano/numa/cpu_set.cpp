#include "policy/volcano/numa/cpu_set.h"

#include "base/split.h"

namespace muster::volcano {

std::optional<CpuSet> CpuSet::parse(std::string_view text) {
  CpuSet set;
  if (text.empty()) return set;
  for (const auto piece : split(text, ',')) {
    const auto dash = piece.find('-');
    const auto first = parse_integer(piece.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(piece.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) return std::nullopt;
    for (auto cpu = *first; cpu <= *last; ++cpu) set.insert(static_cast<std::size_t>(cpu));
  }
  return set;
}

}  // namespace muster::volcano
