#include "app/kai_run.h"

#include <algorithm>
#include <optional>

#include "app/extension_library.h"
#include "app/kai_between.h"
#include "app/kai_config.h"
#include "app/kai_eviction_text.h"
#include "app/kai_offline_setup.h"
#include "app/kai_setup.h"
#include "app/wall_clock.h"
#include "codec/kai_snapshot.h"

namespace muster {
namespace {

// Files in memory: what they say about the scheduler is needed before their objects are.
struct Files {
  std::vector<Input> inputs;
  std::optional<KaiSnapshotSettings> snapshot;
  std::string snapshot_name;
};

Result<Files> read_files(const std::vector<std::string>& paths, const Progress& progress) {
  Files out;
  for (const auto& path : paths) {
    const auto files = input_files(path);
    if (!files) return fail(files.error());
    for (const auto& file : *files) {
      progress("reading " + file, 0);
      auto input = Input::read(file);
      if (!input) return fail(std::move(input.error()));
      if (is_kai_snapshot(*input)) {
        if (out.snapshot)
          return fail("only one snapshot can be given, and there are " + out.snapshot_name + " and " + input->name());
        auto settings = read_kai_snapshot_settings(*input);
        if (!settings) return fail(std::move(settings.error()));
        out.snapshot = std::move(*settings);
        out.snapshot_name = input->name();
      }
      out.inputs.push_back(std::move(*input));
    }
  }
  return out;
}

// The configuration that counts: the one that is given, that of a snapshot, or the built-in one. Nobody wrote a snapshot's by hand,
// so it is read as the original reads it.
Result<kai::Config> config_of(const OfflineOptions& options, const Files& files, std::vector<std::string>& notes) {
  const auto extensions = load_extensions(options.plugins_dir, Dialect::kKai);
  if (!extensions) return fail(extensions.error());
  if (options.config) {
    const auto strictness = options.lenient_config ? Strictness::kExact : Strictness::kStrict;
    auto checked = check_kai_config(*options.config, strictness, *extensions);
    if (!checked) return fail(std::move(checked.error()));
    return usable_kai_config(std::move(*checked), notes);
  }
  if (files.snapshot && !files.snapshot->config.empty()) {
    notes.push_back("the configuration of the snapshot is in force; --config would take its place");
    return usable_kai_config(
        check_kai_config_text(files.snapshot->config, files.snapshot_name + ": config", Strictness::kExact, *extensions), notes);
  }
  notes.push_back("no --config is given: the built-in default of KAI is in force");
  return kai::default_config();
}

std::map<std::string, std::string> flags_of(const OfflineOptions& options, const Files& files) {
  auto flags = options.flags;
  if (files.snapshot) flags.insert(files.snapshot->flags.begin(), files.snapshot->flags.end());
  return flags;
}

Result<LoadedKaiCluster> load(std::vector<Input> inputs, kai::ClusterOptions options, Objects objects, const Progress& progress) {
  constexpr std::uint64_t kStride = 4096;
  KaiIntake intake(std::move(options), objects);
  for (const auto& input : inputs) {
    const auto read = read_objects(input, [&](Object&& object, const Location& location) {
      if (intake.objects() % kStride == 0) progress("reading objects", intake.objects());
      return intake.take(std::move(object), location);
    });
    if (!read) return fail(read.error());
    intake.count(*read);
  }
  return intake.finish();
}

KaiBetween between_of(Between between) {
  if (between == Between::kNothing) return KaiBetween::kNothing;
  return between == Between::kRecreate ? KaiBetween::kRecreate : KaiBetween::kBoundPodsRun;
}

// Where past usage comes from; none where nothing looks at it.
Result<std::optional<KaiUsageSource>> usage_for(const OfflineOptions& options, const kai::Config& config,
                                                std::vector<std::string>& notes) {
  std::optional<KaiUsageFile> file;
  if (options.usage) {
    auto read = read_kai_usage(*options.usage);
    if (!read) return fail(std::move(read.error()));
    file = std::move(*read);
  }
  const auto behaviour = options.exact ? kai::Behaviour::exact() : kai::Behaviour::safe();
  if (config.usage) return std::optional(KaiUsageSource(*config.usage, std::move(file), behaviour, notes));
  if (file) notes.push_back("--usage has no effect: the configuration has no usageDBConfig, so past usage does not count");
  return std::optional<KaiUsageSource>();
}

// Records a cycle and lets others look at it.
class Observer final : public kai::CycleObserver {
 public:
  Observer(KaiRecorder& recorder, const KaiOfflineRun::Looks& looks) : recorder_(recorder), looks_(looks) {}
  void opened(kai::Session& session) override {
    recorder_.opened(session);
    if (looks_.at_opening) looks_.at_opening(session);
  }
  void acted(kai::Session& session, std::string_view action) override { recorder_.acted(session, action); }
  void closed(kai::Session& session) override {
    recorder_.closed(session);
    why_evicted_ = kai_eviction_texts(session);
    warnings_ = session.warnings();
    if (looks_.after_actions) looks_.after_actions(session);
  }

  KaiCycle take() {
    auto cycle = recorder_.take();
    for (auto& [pod, evictor] : cycle.evicted_by) evictor.why = why_evicted_[pod];
    return cycle;
  }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  KaiRecorder& recorder_;
  const KaiOfflineRun::Looks& looks_;
  std::map<std::string, std::string> why_evicted_;
  std::vector<std::string> warnings_;
};

}  // namespace

Result<KaiOfflineSetup> kai_offline_setup(const OfflineOptions& options, Objects objects, const Progress& progress) {
  std::vector<std::string> notes;
  auto files = read_files(options.files, progress);
  if (!files) return fail(std::move(files.error()));
  auto config = config_of(options, *files, notes);
  if (!config) return fail(std::move(config.error()));
  auto flags = kai_options(flags_of(options, *files));
  if (!flags) return fail(std::move(flags.error()));
  flags->behaviour = options.exact ? kai::Behaviour::exact() : kai::Behaviour::safe();
  remember_for(*config, *flags);
  auto loaded = load(std::move(files->inputs), std::move(*flags), objects, progress);
  if (!loaded) return fail(std::move(loaded.error()));
  notes.insert(notes.end(), loaded->notes.begin(), loaded->notes.end());
  auto usage = usage_for(options, *config, notes);
  if (!usage) return fail(std::move(usage.error()));
  if (*usage) (*usage)->bring(*loaded->cluster, options.time_of(1), notes);
  return KaiOfflineSetup{std::move(*config), std::move(*loaded), std::move(*usage), std::move(notes)};
}

Result<KaiOfflineRun> KaiOfflineRun::prepare(OfflineOptions options, const Progress& progress) {
  if (!options.now) options.now = wall_clock();
  auto setup = kai_offline_setup(options, Objects::kForgotten, progress);
  if (!setup) return fail(std::move(setup.error()));
  auto scheduler = std::make_unique<kai::Scheduler>(std::move(setup->loaded.cluster), std::move(setup->config), options.search);
  return KaiOfflineRun(std::move(scheduler), std::move(options), std::move(setup->notes), std::move(setup->usage));
}

Result<KaiRunOutcome> KaiOfflineRun::run(const Looks& looks, const Progress& progress) {
  KaiRunOutcome outcome;
  KaiBetweenCycles cluster_life(between_of(options_.between), cluster(), {});
  const Looks none;
  for (int cycle = 1; cycle <= options_.cycles; ++cycle) {
    progress("scheduling cycle", static_cast<std::uint64_t>(cycle));
    const bool last = cycle == options_.cycles;
    const auto now = options_.time_of(cycle);
    std::vector<std::string> warnings;
    if (usage_ && cycle > 1) usage_->bring(cluster(), now, warnings);
    KaiRecorder recorder;
    Observer observer(recorder, last ? looks : none);
    scheduler_->run_cycle(now, observer);
    if (!recorder.refusal().empty()) return fail(recorder.refusal());
    outcome.cycles.push_back(observer.take());
    warnings.insert(warnings.end(), observer.warnings().begin(), observer.warnings().end());
    for (const auto& warning : warnings)
      if (std::ranges::find(outcome.warnings, warning) == outcome.warnings.end()) outcome.warnings.push_back(warning);
    cluster_life.play(cluster(), recorder, now);
    if (last) outcome.final_pods = cluster_life.final_pods(cluster(), recorder);
  }
  return outcome;
}

}  // namespace muster
