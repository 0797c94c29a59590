// Later cycles of KAI's dialect.

#include "app/kai_setup.h"
#include "later_cycles.h"
#include "policy/kai/scheduler.h"

namespace muster::bench {
namespace {

struct Kai {
  using Cluster = kai::Cluster;
  using Scheduler = kai::Scheduler;
  using Session = kai::Session;
  using Observer = kai::CycleObserver;
  using Group = KaiPodGroup;
  static constexpr auto kGroupAnnotation = "pod-group-name";
  static constexpr auto kSchedulerName = "kai-scheduler";

  static std::unique_ptr<Scheduler> scheduler(std::unique_ptr<Cluster> cluster, const std::string& text) {
    auto config = read_kai_config(text, "config");
    if (!config) return nullptr;
    return std::make_unique<Scheduler>(std::move(cluster), std::move(config->config), SearchKind::kIndex);
  }
  static bool runs(const Cluster& cluster, PodId pod) { return cluster.task(pod).status == kai::Status::kRunning; }
  static void prepare(Group&) {}
  static std::string first_queue(const Cluster& cluster) {
    return cluster.all_jobs().empty() ? "default" : cluster.job(cluster.all_jobs().front()).queue_name;
  }
  static void start_bound(Cluster& cluster, const Outbox& outbox) {
    for (const auto& decision : outbox)
      if (decision.kind == Decision::Kind::kBind)
        cluster.pod_runs(decision.pod);
      else
        cluster.remove_pod(decision.pod);
  }
};

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::run_main<muster::bench::Kai>(argc, argv); }
