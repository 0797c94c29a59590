// Later cycles of Volcano's dialect.

#include "later_cycles.h"

#include "app/between_cycles.h"
#include "app/volcano_setup.h"
#include "policy/volcano/scheduler.h"

namespace muster::bench {
namespace {

struct Volcano {
  using Cluster = volcano::Cluster;
  using Scheduler = volcano::Scheduler;
  using Session = volcano::Session;
  using Observer = volcano::CycleObserver;
  using Group = PodGroup;
  static constexpr auto kGroupAnnotation = "scheduling.k8s.io/group-name";
  static constexpr auto kSchedulerName = "volcano";

  static std::unique_ptr<Scheduler> scheduler(std::unique_ptr<Cluster> cluster, const std::string& text) {
    cluster->settle();
    auto config = read_volcano_config(text, "config", Strictness::kExact);
    if (!config) return nullptr;
    return std::make_unique<Scheduler>(std::move(cluster), std::move(config->config), volcano::Behaviour::exact(),
                                       SearchKind::kIndex);
  }
  static bool runs(const Cluster& cluster, PodId pod) { return cluster.books().pod(pod).state == PodState::kRunning; }
  static void prepare(Group& group) { group.phase = "Pending"; }
  static std::string first_queue(const Cluster& cluster) {
    return cluster.job_count() > 0 ? cluster.job(GroupId(0)).queue_name : "default";
  }
  static void start_bound(Cluster& cluster, const Outbox& outbox) { BetweenCycles(Between::kBoundPodsRun).play(cluster, outbox); }
};

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run_main<muster::bench::Volcano>(argc, argv); }
