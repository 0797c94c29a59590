#include "app/kai_whatif.h"

#include "app/kai_between.h"
#include "app/kai_eviction_text.h"
#include "app/kai_explanation.h"
#include "app/kai_offline_setup.h"
#include "app/wall_clock.h"
#include "app/whatif_copy.h"
#include "app/whatif_group.h"
#include "app/whatif_watch.h"

namespace muster {
namespace {

// A cycle in which some jobs are explained.
class ExplainedKaiCycle final : public kai::CycleObserver {
 public:
  ExplainedKaiCycle(const kai::Cluster& cluster, const std::vector<std::string>& jobs) : explainers_(cluster, jobs) {}

  void opened(kai::Session& session) override {
    recorder_.opened(session);
    explainers_.at_opening(session);
  }
  void acted(kai::Session& session, std::string_view action) override { recorder_.acted(session, action); }
  void closed(kai::Session& session) override {
    recorder_.closed(session);
    texts_ = kai_eviction_texts(session);
    explainers_.after_actions(session);
  }

  const std::optional<Error>& error() const { return explainers_.error(); }
  KaiRecorder& recorder() { return recorder_; }
  std::string why_evicted(const std::string& pod) { return texts_[pod]; }
  std::vector<Explanation> explanations(const std::vector<Eviction>& evictions) { return explainers_.take(evictions); }

 private:
  WhatIfExplainers<KaiExplainer> explainers_;
  KaiRecorder recorder_;
  std::map<std::string, std::string> texts_;  // why pods were evicted
};

std::vector<Eviction> evictions_in(const kai::Cluster& cluster, const KaiCycle& done, ExplainedKaiCycle& cycle) {
  std::vector<Eviction> out;
  for (const auto& [pod, evictor] : done.evicted_by) {
    const auto id = cluster.find_pod(pod);
    const auto group = id ? cluster.books().pod(id).group : GroupId();
    auto job = group ? pod.substr(0, pod.find('/') + 1) + cluster.job(group).name : std::string();
    out.push_back({pod, std::move(job), evictor.node, evictor.action, evictor.preemptor, "", cycle.why_evicted(pod)});
  }
  return out;
}

std::vector<std::string> deleted_pods(const kai::Cluster& cluster) {
  std::vector<std::string> keys;
  for (const auto pod : IdRange<PodId>(cluster.books().pod_count()))
    if (!cluster.books().removed(pod) && cluster.task(pod).facts.deleted) keys.push_back(cluster.books().pod_key(pod));
  return keys;
}

class KaiWhatIf final : public CopiedObjects<KaiCopies> {
 public:
  using CopiedObjects::CopiedObjects;

  Dialect dialect() const override { return Dialect::kKai; }
  WorkloadScene scene() const override {
    return {.dialect = Dialect::kKai,
            .scheduler_names = {copies().options.scheduler_name},
            .node_pool_label = copies().options.node_pool_key};
  }

  // As in the original, whoever is in a PodGroup, whatever scheduler it names.
  std::string why_not_ours(const Pod& pod) const override {
    const auto& ours = copies().options.scheduler_name;
    if (pod.spec.scheduler_name == ours || pod.meta.annotations.contains("pod-group-name")) return {};
    return placed_by_another(pod, {ours});
  }

  Result<std::vector<WhatIfRun>> run(const WhatIfQuestion& question, const std::set<std::string>& without) override {
    auto made = std::make_unique<kai::Cluster>(copies().options);
    for_each_object(objects(), question, without, [&](const Object& object) { made->apply(object); });
    made->set_usage(copies().usage);
    KaiBetweenCycles cluster_life(KaiBetween::kBoundPodsRun, *made, {});
    kai::Scheduler scheduler(std::move(made), copies().config, copies().search);
    WhatIfWatch watch(question, dialect());
    std::vector<Eviction> evictions;
    for (int number = 1; !watch.is_over(); ++number) {
      if (auto interrupted = interruption()) return fail(std::move(*interrupted));
      auto& cluster = scheduler.cluster();
      ExplainedKaiCycle cycle(cluster, watch.waiting());
      if (cycle.error()) return fail(*cycle.error());
      const auto now = copies().time_of(number);
      scheduler.run_cycle(now, cycle);
      if (!cycle.recorder().refusal().empty()) return fail(cycle.recorder().refusal());
      const auto done = cycle.recorder().take();
      const auto evicted = evictions_in(cluster, done, cycle);
      evictions.insert(evictions.end(), evicted.begin(), evicted.end());
      watch.take(done.binds, evicted, cycle.explanations(evictions));
      auto leaving = deleted_pods(cluster);
      cluster_life.play(cluster, cycle.recorder(), now);
      std::erase_if(leaving, [&](const std::string& pod) { return static_cast<bool>(cluster.find_pod(pod)); });
      watch.take_left(leaving);
    }
    return watch.take_runs();
  }
};

}  // namespace

std::unique_ptr<WhatIfCluster> kai_whatif(SharedObjects objects, KaiCopies copies) {
  return std::make_unique<KaiWhatIf>(std::move(objects), std::move(copies));
}

Result<std::unique_ptr<WhatIfCluster>> kai_whatif_from(OfflineOptions options, const Progress& progress,
                                                       std::vector<std::string>& notes) {
  if (!options.now) options.now = wall_clock();
  auto setup = kai_offline_setup(options, Objects::kKept, progress);
  if (!setup) return fail(std::move(setup.error()));
  notes = std::move(setup->notes);
  KaiCopies copies{.config = std::move(setup->config),
                   .options = setup->loaded.cluster->options(),
                   .search = options.search,
                   .time_of = [options](int cycle) { return options.time_of(cycle); },
                   .usage = setup->loaded.cluster->usage()};
  return kai_whatif(std::make_shared<const std::vector<Object>>(std::move(setup->loaded.objects)), std::move(copies));
}

}  // namespace muster
