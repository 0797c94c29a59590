#include "app/kai_table.h"

#include <set>

#include "app/schedule_report.h"

namespace muster {

std::string kai_schedule_table(const std::vector<JobOutlook>& jobs, const std::vector<KaiCycle>& cycles, Paint paint) {
  RunTotals totals;
  std::vector<Eviction> evictions;
  std::set<std::string> nodes;
  for (const auto& cycle : cycles) {
    totals.bound += cycle.binds.size();
    totals.evicted += cycle.evicted.size();
    for (const auto& [pod, node] : cycle.binds) nodes.insert(node);
    for (const auto& [pod, evictor] : cycle.evicted_by)
      evictions.push_back({pod, "", evictor.node.empty() ? "-" : evictor.node, evictor.action, evictor.preemptor, "", evictor.why});
  }
  totals.nodes = nodes.size();
  totals.cycles = cycles.size();
  return schedule_table(jobs, evictions, totals, paint);
}

}  // namespace muster
