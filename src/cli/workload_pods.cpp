#include "cli/workload_pods.h"

#include "app/whatif.h"
#include "sim/workloads/expansion.h"

namespace muster::cli {

static_assert(sim::kMostGroups == kMostWhatIfJobs, "each PodGroup is a job");

MakeOfWorkloads make_of_workloads() {
  return [](const std::vector<UnreadObject>& submitted, const WorkloadScene& scene) -> Result<MadeOfWorkloads> {
    auto made = sim::expand(submitted, {.grouper = scene.dialect == Dialect::kKai ? sim::Grouper::kKai : sim::Grouper::kVolcano,
                                        .scheduler_names = scene.scheduler_names,
                                        .node_pool_label = scene.node_pool_label,
                                        .priority_classes = scene.priority_classes});
    if (!made) return fail(std::move(made.error()));
    return MadeOfWorkloads{std::move(made->objects), std::move(made->kinds), std::move(made->notes), std::move(made->passed_over),
                           std::move(made->places)};
  };
}

}  // namespace muster::cli
