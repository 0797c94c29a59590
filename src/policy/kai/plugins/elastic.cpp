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

std::int64_t Elastic::job_rank(const Job& job) const { return static_cast<std::int64_t>(level_of(job)); }

}  // namespace muster::kai
