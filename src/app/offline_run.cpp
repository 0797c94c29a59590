#include "app/offline_run.h"

#include <algorithm>

#include "app/config_file.h"
#include "app/extender_http.h"
#include "app/extension_library.h"
#include "app/offline_setup.h"
#include "app/prometheus_usage.h"
#include "app/volcano_setup.h"
#include "app/wall_clock.h"

namespace muster {
namespace {

Result<volcano::Config> config_of(const OfflineOptions& options, std::vector<std::string>& notes) {
  const auto extensions = load_extensions(options.plugins_dir);
  if (!extensions) return fail(extensions.error());
  if (!options.config) {
    notes.push_back("no --config is given: the built-in default of Volcano is in force (actions enqueue, allocate, backfill)");
    return volcano::default_config();
  }
  const auto strictness = options.lenient_config ? Strictness::kExact : Strictness::kStrict;
  auto checked = check_config(*options.config, strictness, *extensions);
  if (!checked) return fail(std::move(checked.error()));
  return usable_config(std::move(*checked), notes);
}

volcano::Behaviour behaviour_of(const OfflineOptions& options) {
  return options.exact ? volcano::Behaviour::exact() : volcano::Behaviour::safe();
}

std::vector<std::string> node_names(const Books& books) {
  std::vector<std::string> names;
  for (const auto id : IdRange<NodeId>(books.node_count()))
    if (books.node(id).known) names.push_back(books.node(id).name);
  return names;
}

void note_closed_budgets(const volcano::Config& config, const Naming& budgets, std::vector<std::string>& notes) {
  const auto is_pdb = [](const volcano::PluginOption& plugin) { return plugin.name == "pdb"; };
  const bool counts =
      std::ranges::any_of(config.tiers, [&](const auto& tier) { return std::ranges::any_of(tier.plugins, is_pdb); });
  if (counts && budgets.count != 0)
    notes.push_back(budgets.text() +
                    ": status.disruptionsAllowed is 0, or its controller has not written it yet, so the plugin pdb lets no pod go "
                    "that it selects");
}

// Without measurements the plugins that look at them are idle, which nobody would guess from the decisions.
std::vector<MeasuredNode> ask_for_usage(const OfflineOptions& options, const volcano::Config& config, volcano::Cluster& cluster,
                                        std::vector<std::string>& notes) {
  const auto before = notes.size();
  std::vector<MeasuredNode> measured;
  if (const auto source = metrics_source(config, notes)) {
    measured = ask_prometheus(*source, node_names(cluster.books()), *options.now, behaviour_of(options), notes);
    apply_usage(cluster, measured, *options.now, notes);
  } else if (notes.size() == before) {
    notes.push_back("the configuration looks at the nodes' real load, and none is given: see --usage");
  }
  return measured;
}

Result<std::vector<MeasuredNode>> take_usage(const OfflineOptions& options, const volcano::Config& config,
                                             volcano::Cluster& cluster, std::vector<std::string>& notes) {
  if (!options.usage) return reads_usage(config) ? ask_for_usage(options, config, cluster, notes) : std::vector<MeasuredNode>();
  auto measured = read_usage(*options.usage, *options.now);
  if (!measured) return fail(measured.error());
  apply_usage(cluster, *measured, *options.now, notes);
  if (!reads_usage(config)) notes.push_back("--usage has no effect: no plugin of this configuration looks at the nodes' real load");
  return measured;
}

}  // namespace

Timestamp OfflineOptions::time_of(int cycle) const {
  const auto start = now ? *now : wall_clock();
  const auto nanos = start.nanos + (period_nanos % kNanosPerSecond) * (cycle - 1);
  return {start.seconds + (period_nanos / kNanosPerSecond) * (cycle - 1) + nanos / kNanosPerSecond,
          static_cast<std::int32_t>(nanos % kNanosPerSecond)};
}

Result<OfflineSetup> offline_setup(const OfflineOptions& options, Objects objects, const Progress& progress) {
  std::vector<std::string> notes;
  auto config = config_of(options, notes);
  if (!config) return fail(std::move(config.error()));
  auto cluster_options = volcano_options(options.flags);
  if (!cluster_options) return fail(std::move(cluster_options.error()));
  volcano::remember_for(*config, *cluster_options);
  auto loaded = load_cluster(options.files, std::move(*cluster_options), progress, objects);
  if (!loaded) return fail(std::move(loaded.error()));
  notes.insert(notes.end(), loaded->notes.begin(), loaded->notes.end());
  note_closed_budgets(*config, loaded->closed_budgets, notes);
  auto measured = take_usage(options, *config, *loaded->cluster, notes);
  if (!measured) return fail(std::move(measured.error()));
  return OfflineSetup{std::move(*config), std::move(*loaded), std::move(*measured), std::move(notes)};
}

Result<OfflineRun> OfflineRun::prepare(OfflineOptions options, const Progress& progress) {
  if (!options.now) options.now = wall_clock();
  auto setup = offline_setup(options, Objects::kForgotten, progress);
  if (!setup) return fail(std::move(setup.error()));
  auto scheduler = std::make_unique<volcano::Scheduler>(std::move(setup->loaded.cluster), std::move(setup->config),
                                                        behaviour_of(options), options.search);
  if (asks_extender(scheduler->config())) scheduler->set_extender(std::make_shared<HttpExtender>());
  return OfflineRun(std::move(scheduler), std::move(options), std::move(setup->notes));
}

std::vector<VolcanoCycle> OfflineRun::run(const Looks& looks, const Progress& progress) {
  std::vector<VolcanoCycle> cycles;
  BetweenCycles cluster_life(options_.between, Budgets::kSpent);
  for (int cycle = 1; cycle <= options_.cycles; ++cycle) {
    progress("scheduling cycle", static_cast<std::uint64_t>(cycle));
    const bool last = cycle == options_.cycles;
    CycleRecorder recorder;
    if (last) recorder.at_opening(looks.at_opening);
    if (last) recorder.after_actions(looks.after_actions);
    scheduler_->run_cycle(options_.time_of(cycle), recorder);
    cycles.push_back(recorder.take());
    if (!last) cluster_life.play(scheduler_->cluster(), recorder.outbox());
  }
  return cycles;
}

}  // namespace muster
