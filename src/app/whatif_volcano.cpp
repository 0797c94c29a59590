#include "app/whatif_volcano.h"

#include <algorithm>

#include "app/extender_http.h"
#include "app/offline_setup.h"
#include "app/volcano_setup.h"
#include "app/wall_clock.h"
#include "app/whatif_copy.h"
#include "app/whatif_group.h"
#include "app/whatif_watch.h"

namespace muster {
namespace {

std::unique_ptr<volcano::Cluster> copied_cluster(const std::vector<Object>& objects, const VolcanoCopies& copies,
                                                 const WhatIfQuestion& question, const std::set<std::string>& without) {
  auto cluster = std::make_unique<volcano::Cluster>(copies.options);
  for_each_object(objects, question, without, [&](const Object& object) {
    if (const auto* map = std::get_if<ConfigMap>(&object)) (void)take_device_config(*map, *cluster);  // it was taken before
    cluster->apply(object);
  });
  cluster->settle();
  if (copies.measured) copies.measured(*cluster);
  return cluster;
}

// One cycle in which some jobs are explained.
class ExplainedCycle {
 public:
  ExplainedCycle(const volcano::Cluster& cluster, const std::vector<std::string>& jobs) : explainers_(cluster, jobs) {
    recorder_.at_opening([this](volcano::Session& session) { explainers_.at_opening(session); });
    recorder_.after_actions([this](volcano::Session& session) { explainers_.after_actions(session); });
  }
  ExplainedCycle(const ExplainedCycle&) = delete;  // the recorder calls it
  ExplainedCycle& operator=(const ExplainedCycle&) = delete;

  const std::optional<Error>& error() const { return explainers_.error(); }
  CycleRecorder& recorder() { return recorder_; }
  std::vector<Explanation> explanations(const std::vector<Eviction>& evictions) { return explainers_.take(evictions); }

 private:
  WhatIfExplainers<Explainer> explainers_;
  CycleRecorder recorder_;
};

// Pods that are about to go.
std::vector<std::string> releasing_pods(const Books& books) {
  std::vector<std::string> keys;
  for (const auto pod : IdRange<PodId>(books.pod_count()))
    if (!books.removed(pod) && books.pod(pod).state == PodState::kReleasing) keys.push_back(books.pod_key(pod));
  return keys;
}

class VolcanoWhatIf final : public CopiedObjects<VolcanoCopies> {
 public:
  using CopiedObjects::CopiedObjects;

  Dialect dialect() const override { return Dialect::kVolcano; }
  WorkloadScene scene() const override { return {.scheduler_names = copies().options.scheduler_names}; }

  std::string why_not_ours(const Pod& pod) const override {
    const auto& ours = copies().options.scheduler_names;
    if (std::ranges::find(ours, pod.spec.scheduler_name) != ours.end()) return {};
    return placed_by_another(pod, ours);
  }

  Result<std::vector<WhatIfRun>> run(const WhatIfQuestion& question, const std::set<std::string>& without) override {
    volcano::Scheduler scheduler(copied_cluster(objects(), copies(), question, without), copies().config, copies().behaviour,
                                 copies().search);
    if (asks_extender(copies().config)) scheduler.set_extender(std::make_shared<HttpExtender>());
    WhatIfWatch watch(question, dialect());
    BetweenCycles cluster_life(Between::kBoundPodsRun, Budgets::kSpent);
    std::vector<Eviction> evictions;
    for (int number = 1; !watch.is_over(); ++number) {
      if (auto interrupted = interruption()) return fail(std::move(*interrupted));
      ExplainedCycle cycle(scheduler.cluster(), watch.waiting());
      if (cycle.error()) return fail(*cycle.error());
      scheduler.run_cycle(copies().time_of(number), cycle.recorder());
      const auto done = cycle.recorder().take();
      evictions.insert(evictions.end(), done.evictions.begin(), done.evictions.end());
      watch.take(done.binds, done.evictions, cycle.explanations(evictions));
      if (!done.nominated.empty()) watch.take_change();  // who was given hope of a node is looked at otherwise in the next cycle
      auto leaving = releasing_pods(scheduler.cluster().books());
      cluster_life.play(scheduler.cluster(), cycle.recorder().outbox());
      std::erase_if(leaving, [&](const std::string& pod) { return static_cast<bool>(scheduler.cluster().find_pod(pod)); });
      watch.take_left(leaving);
    }
    return watch.take_runs();
  }
};

}  // namespace

std::unique_ptr<WhatIfCluster> volcano_whatif(SharedObjects objects, VolcanoCopies copies) {
  return std::make_unique<VolcanoWhatIf>(std::move(objects), std::move(copies));
}

Result<std::unique_ptr<WhatIfCluster>> volcano_whatif_from(OfflineOptions options, const Progress& progress,
                                                           std::vector<std::string>& notes) {
  if (!options.now) options.now = wall_clock();
  auto setup = offline_setup(options, Objects::kKept, progress);
  if (!setup) return fail(std::move(setup.error()));
  notes = std::move(setup->notes);
  VolcanoCopies copies{.config = std::move(setup->config),
                       .options = setup->loaded.cluster->options(),
                       .behaviour = options.exact ? volcano::Behaviour::exact() : volcano::Behaviour::safe(),
                       .search = options.search,
                       .time_of = [options](int cycle) { return options.time_of(cycle); }};
  if (!setup->measured.empty())
    copies.measured = [measured = std::move(setup->measured), now = *options.now](volcano::Cluster& cluster) {
      std::vector<std::string> said_before;
      apply_usage(cluster, measured, now, said_before);
    };
  return volcano_whatif(std::make_shared<const std::vector<Object>>(std::move(setup->loaded.objects)), std::move(copies));
}

}  // namespace muster
