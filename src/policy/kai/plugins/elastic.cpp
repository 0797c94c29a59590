#include "policy/kai/plugins/elastic.h"

namespace muster::kai {

namespace {

enum class Level : std::uint8_t { kBelow, kExactly, kAbove };

Level level_of(const Job& job) {
  auto level = Level::kExactly;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    const auto active = static_cast<std::int64_t>(part.active_allocated);
    if (active < part.minimum) return Level::kBelow;
    if (active > part.minimum) level = Level::kAbove;
  }
  return level;
}

}  // namespace

int Elastic::compare_jobs(const Job& left, const Job& right) {
  const auto l = level_of(left);
  const auto r = level_of(right);
  return l == r ? 0 : l < r ? -1 : 1;
}

}  // namespace muster::kai
