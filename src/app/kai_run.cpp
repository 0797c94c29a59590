#include "app/kai_run.h"

#include <chrono>
#include <fmt/format.h>

#include "app/kai_between.h"
#include "app/kai_setup.h"
#include "codec/input.h"
#include "codec/object_reader.h"

namespace muster {
namespace {

Timestamp wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Timestamp{std::chrono::duration_cast<std::chrono::seconds>(since).count(), 0};
}

Result<kai::ConfigReading> config_of(const OfflineOptions& options, std::vector<std::string>& notes) {
  if (!options.config) {
    notes.push_back("no --config is given: the built-in default of KAI is in force");
    return kai::ConfigReading{kai::default_config(), {}};
  }
  const auto input = Input::read(*options.config);
  if (!input) return fail(input.error());
  return read_kai_config(std::string(input->text()), input->name());
}

Result<void> load(const OfflineOptions& options, kai::Cluster& cluster) {
  for (const auto& path : options.files) {
    const auto read = read_objects_at(path, [&](Object&& object, const Location&) -> Result<void> {
      cluster.apply(object);
      return {};
    });
    if (!read) return fail(read.error());
  }
  return {};
}

KaiBetween between_of(Between between) { return between == Between::kNothing ? KaiBetween::kNothing : KaiBetween::kBoundPodsRun; }

}  // namespace

Result<KaiRunOutcome> run_kai_files(const OfflineOptions& options) {
  KaiRunOutcome outcome;
  auto config = config_of(options, outcome.notes);
  if (!config) return fail(config.error());
  outcome.notes.insert(outcome.notes.end(), config->warnings.begin(), config->warnings.end());
  auto flags = kai_options(options.flags);
  if (!flags) return fail(flags.error());
  flags->behaviour = options.exact ? kai::Behaviour::exact() : kai::Behaviour::safe();
  flags->numa_requests = config->config.has_plugin("numa");
  auto cluster = std::make_unique<kai::Cluster>(std::move(*flags));
  if (const auto loaded = load(options, *cluster); !loaded) return fail(loaded.error());
  const auto now = options.now.value_or(wall_clock());
  KaiBetweenCycles cluster_life(between_of(options.between), *cluster, {});
  kai::Scheduler scheduler(std::move(cluster), std::move(config->config), options.search);
  for (int cycle = 0; cycle < options.cycles; ++cycle) {
    KaiRecorder recorder;
    scheduler.run_cycle(now, recorder);
    if (!recorder.refusal().empty()) return fail(recorder.refusal());
    outcome.cycles.push_back(recorder.take());
    cluster_life.play(scheduler.cluster(), recorder, now);
    if (cycle + 1 == options.cycles) outcome.final_pods = cluster_life.final_pods(scheduler.cluster(), recorder);
  }
  return outcome;
}

std::string kai_schedule_table(const KaiRunOutcome& outcome, Paint paint) {
  const auto heading = [](const char* text) { return TextTable::Cell(text, Tone::kHeading); };
  TextTable pods;
  pods.add({heading("POD"), heading("STATUS"), heading("NODE")});
  TextTable evictions;
  evictions.add({heading("EVICTED"), heading("BY"), heading("FOR")});
  bool any_evicted = false;
  std::size_t bound = 0;
  for (const auto& cycle : outcome.cycles) {
    bound += cycle.binds.size();
    for (const auto& [pod, evictor] : cycle.evicted_by) {
      evictions.add({pod, evictor.action, evictor.preemptor.empty() ? "-" : evictor.preemptor});
      any_evicted = true;
    }
  }
  if (!outcome.cycles.empty())
    for (const auto& [pod, place] : outcome.cycles.back().pods)
      pods.add({pod, place.status, place.node.empty() ? "-" : place.node});
  return pods.text(paint) + "\n" + (any_evicted ? evictions.text(paint) + "\n" : "") +
         fmt::format("{} pods bound in {} cycles\n", bound, outcome.cycles.size());
}

}  // namespace muster
