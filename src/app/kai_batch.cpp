#include "app/kai_batch.h"

#include <utility>

#include "app/kai_between.h"
#include "app/kai_report.h"
#include "app/kai_setup.h"
#include "app/kai_usage.h"

namespace muster {
namespace {

struct LoadedCase {
  Case scenario;
  std::unique_ptr<kai::Cluster> cluster;
};

Result<LoadedCase> load_with(CaseReader& reader, const CaseLine& line, kai::ClusterOptions options) {
  auto cluster = std::make_unique<kai::Cluster>(std::move(options));
  auto read = reader.read(line, [&](Object&& object, const Location&) -> Result<void> {
    cluster->apply(object);
    return {};
  });
  if (!read) return fail(read.error());
  return LoadedCase{std::move(*read), std::move(cluster)};
}

}  // namespace

// Flags and the configuration come after the objects as often as before them, so the rare case where they matter is read once more.
Result<std::string> run_kai_case(CaseReader& reader, const CaseLine& line, const BatchOptions& options, bool& broken) {
  Stopwatch watch;
  kai::ClusterOptions plain;
  plain.behaviour = options.safe ? kai::Behaviour::safe() : kai::Behaviour::exact();
  auto loaded = load_with(reader, line, std::move(plain));
  broken = !loaded && loaded.error().object.empty();
  if (!loaded) return fail(loaded.error());
  auto config = read_kai_config(loaded->scenario.config, "config", options.extensions);
  if (!config) return fail(config.error());
  auto flags = kai_options(loaded->scenario.flags);
  if (!flags) return fail(flags.error());
  flags->behaviour = options.safe ? kai::Behaviour::safe() : kai::Behaviour::exact();
  remember_for(config->config, *flags);
  if (!loaded->scenario.flags.empty() || flags->numa_requests || flags->group_meta) {
    loaded = load_with(reader, line, std::move(*flags));
    if (!loaded) return fail(loaded.error());
  }
  const auto& scenario = loaded->scenario;
  const auto between = parse_kai_between(scenario.between);
  if (!between) return fail(between.error());
  if (config->config.usage) loaded->cluster->set_usage(usage_of_case(scenario, *config->config.usage));

  CaseTiming timing;
  timing.load = watch.lap();
  KaiBetweenCycles cluster_life(*between, *loaded->cluster, scenario.keep_terminating);
  kai::Scheduler scheduler(std::move(loaded->cluster), std::move(config->config), options.search);
  std::vector<KaiCycle> cycles;
  std::map<std::string, std::string> final_pods;
  for (int cycle = 0; cycle < scenario.cycles; ++cycle) {
    KaiRecorder recorder;
    scheduler.run_cycle(scenario.now, recorder);
    if (!recorder.refusal().empty()) return fail(recorder.refusal());
    cycles.push_back(recorder.take());
    timing.cycles.push_back(recorder.timing());
    cluster_life.play(scheduler.cluster(), recorder, scenario.now);
    // What pods are after this rule is told as the next cycle would find them.
    if (*between == KaiBetween::kRespawn && cycle + 1 == scenario.cycles) {
      scheduler.cluster().refresh(scenario.now);
      cycles.back().pods = pods_of(scheduler.cluster());
    }
    if (cycle + 1 == scenario.cycles && cycle > 0) final_pods = cluster_life.final_pods(scheduler.cluster(), recorder);
  }
  return kai_outcome_json(scenario.id, cycles, final_pods, options.timing ? &timing : nullptr);
}

}  // namespace muster
