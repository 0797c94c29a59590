#include "app/batch.h"

#include <optional>

#include "app/between_cycles.h"
#include "app/cycle_recorder.h"
#include "app/extender_http.h"
#include "app/kai_batch.h"
#include "app/outcome_json.h"
#include "app/volcano_setup.h"
#include "codec/case_reader.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

// A case and the cluster that its objects make.
struct LoadedCase {
  Case scenario;
  std::unique_ptr<volcano::Cluster> cluster;
  volcano::Config config;
  std::optional<Error> refusal = std::nullopt;  // it is a case, and cannot be run
};

Result<LoadedCase> load_with(CaseReader& reader, const CaseLine& line, volcano::ClusterOptions options) {
  auto cluster = std::make_unique<volcano::Cluster>(std::move(options));
  auto read = reader.read(line, [&](Object&& object, const Location&) -> Result<void> {
    cluster->apply(object);
    if (const auto* map = std::get_if<ConfigMap>(&object)) (void)take_device_config(*map, *cluster);  // else the default holds
    return {};
  });
  if (!read) return fail(read.error());
  cluster->settle();
  return LoadedCase{std::move(*read), std::move(cluster), {}};
}

// Flags and configuration usually come after the objects. So objects are taken in as they are read, and once more in the rare case
// that either changes how they are to be taken.
Result<LoadedCase> load_case(CaseReader& reader, const CaseLine& line, const ExtensionSet& extensions) {
  auto loaded = load_with(reader, line, {});
  if (!loaded) return loaded;
  const auto& scenario = loaded->scenario;
  const auto refuse = [&](Error error) {
    loaded->refusal = std::move(error);
    return std::move(loaded);
  };
  if (scenario.dialect != "volcano") return refuse(Error("the dialect \"" + scenario.dialect + "\" is not built into this muster"));
  auto config = read_volcano_config(scenario.config, "config", Strictness::kExact, extensions);
  if (!config) return refuse(config.error());
  if (asks_extender(config->config))
    return refuse(
        Error("the plugin \"extender\" asks an HTTP service, and a batch asks nobody: run the case with muster schedule -f"));
  auto options = volcano_options(scenario.flags);
  if (!options) return refuse(options.error());
  if (volcano::remember_for(config->config, *options) || !scenario.flags.empty()) {
    loaded = load_with(reader, line, std::move(*options));
    if (!loaded) return loaded;
  }
  loaded->config = std::move(config->config);
  return loaded;
}

std::string error_json(const std::string& id, const std::string& text) {
  std::string out;
  JsonWriter(out).begin_object().member("id", id).member("error", text).end_object();
  return out;
}

// Reading tells a line that is no case from a case with an object in it that is wrong.
bool is_case(const Result<LoadedCase>& loaded) { return loaded || !loaded.error().object.empty(); }

Result<std::string> run_case(Result<LoadedCase> loaded, std::int64_t load_time, const BatchOptions& options) {
  if (!loaded) return fail(loaded.error());
  if (loaded->refusal) return fail(*loaded->refusal);
  const auto& scenario = loaded->scenario;
  const auto between = parse_between(scenario.between);
  if (!between) return fail(between.error());
  if (*between == Between::kRecreate) return fail("\"between\": \"recreate\" is of the KAI dialect");

  const auto behaviour = options.safe ? volcano::Behaviour::safe() : volcano::Behaviour::exact();
  volcano::Scheduler scheduler(std::move(loaded->cluster), std::move(loaded->config), behaviour, options.search);
  CaseTiming timing;
  timing.load = load_time;
  std::vector<VolcanoCycle> cycles;
  BetweenCycles cluster_life(*between);
  for (int cycle = 0; cycle < scenario.cycles; ++cycle) {
    CycleRecorder observer;
    scheduler.run_cycle(scenario.now, observer);
    cycles.push_back(observer.take());
    timing.cycles.push_back(observer.timing());
    if (cycle + 1 < scenario.cycles) cluster_life.play(scheduler.cluster(), observer.outbox());
  }
  return outcome_json(scenario.id, cycles, options.timing ? &timing : nullptr);
}

Result<std::string> run_volcano_case(CaseReader& reader, const CaseLine& line, const BatchOptions& options, bool& broken) {
  Stopwatch load_watch;
  auto loaded = load_case(reader, line, options.extensions);
  broken = !is_case(loaded);
  const auto load_time = load_watch.lap();
  return run_case(std::move(loaded), load_time, options);
}

}  // namespace

Result<BatchOutcome> run_batch(const std::string& path, const BatchOptions& options,
                               const std::function<void(const std::string&)>& emit) {
  const auto input = Input::read(path);
  if (!input) return fail(input.error());
  CaseReader reader(*input);
  BatchOutcome batch;
  while (const auto line = reader.next()) {
    bool broken = false;
    const auto outcome = reader.dialect_of(*line) == "kai" ? run_kai_case(reader, *line, options, broken)
                                                           : run_volcano_case(reader, *line, options, broken);
    if (broken && !batch.first_broken) batch.first_broken = outcome.error();
    ++(outcome ? batch.done : broken ? batch.broken : batch.refused);
    emit(outcome ? *outcome : error_json(reader.id_of(*line), outcome.error().text()));
  }
  return batch;
}

}  // namespace muster
