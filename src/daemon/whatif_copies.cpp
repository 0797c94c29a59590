#include "daemon/whatif_copies.h"

#include <algorithm>

#include "app/config_file.h"
#include "app/extender_http.h"
#include "app/kai_config.h"
#include "app/kai_setup.h"
#include "app/kai_whatif.h"
#include "app/volcano_setup.h"
#include "app/whatif_volcano.h"
#include "daemon/placing_actions.h"

namespace muster::daemon {
namespace {

// Cycles are a second apart.
std::function<Timestamp(int)> seconds_from(const Timestamp& now) {
  return [now](int cycle) { return Timestamp{now.seconds + cycle - 1, now.nanos}; };
}

Strictness strictness_of(const tape::Life& life) { return life.lenient ? Strictness::kExact : Strictness::kStrict; }

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

// The objects are part of the state, which lives as long as they are used.
SharedObjects objects_of(const SharedState& state) { return {state, &state->objects}; }

Result<std::unique_ptr<WhatIfCluster>> volcano_copies_of(const SharedState& state, const Timestamp& now,
                                                         std::function<bool()> stopped) {
  std::vector<std::string> said_before;
  auto config = is_blank(state->config)
                    ? Result<volcano::Config>(volcano::default_config())
                    : usable_config(check_config_text(state->config, state->config_file, strictness_of(state->life)), said_before);
  if (!config) return fail(std::move(config.error()));
  if (asks_extender(*config)) return fail("the configuration has an extender, which would take a question for the truth");
  auto options = volcano_options(state->life.flags);
  if (!options) return fail(std::move(options.error()));
  volcano::remember_for(*config, *options);
  return volcano_whatif(objects_of(state),
                        {.config = state->may_evict ? std::move(*config) : placing_alone(std::move(*config)),
                         .options = std::move(*options),
                         .behaviour = state->life.exact ? volcano::Behaviour::exact() : volcano::Behaviour::safe(),
                         .search = SearchKind::kIndex,
                         .time_of = seconds_from(now),
                         .stopped = std::move(stopped)});
}

Result<std::unique_ptr<WhatIfCluster>> kai_copies_of(const SharedState& state, const Timestamp& now,
                                                     std::function<bool()> stopped) {
  std::vector<std::string> said_before;
  auto config =
      usable_kai_config(check_kai_config_text(state->config, state->config_file, strictness_of(state->life)), said_before);
  if (!config) return fail(std::move(config.error()));
  auto options = kai_options(state->life.flags);
  if (!options) return fail(std::move(options.error()));
  options->behaviour = state->life.exact ? kai::Behaviour::exact() : kai::Behaviour::safe();
  options->whole_gpus_only = state->life.binds_directly;
  remember_for(*config, *options);
  kai::QueueUsage usage;
  for (const auto& [queue, parts] : state->usage)
    std::ranges::copy_n(parts.begin(), static_cast<std::ptrdiff_t>(std::min(parts.size(), usage[queue].amounts.size())),
                        usage[queue].amounts.begin());
  return kai_whatif(objects_of(state), {.config = state->may_evict ? std::move(*config) : allocating_alone(std::move(*config)),
                                        .options = std::move(*options),
                                        .search = SearchKind::kIndex,
                                        .time_of = seconds_from(now),
                                        .usage = std::move(usage),
                                        .stopped = std::move(stopped)});
}

}  // namespace

Result<std::unique_ptr<WhatIfCluster>> copies_of(const SharedState& state, const Timestamp& now, std::function<bool()> stopped) {
  return state->life.dialect == "kai" ? kai_copies_of(state, now, std::move(stopped))
                                      : volcano_copies_of(state, now, std::move(stopped));
}

}  // namespace muster::daemon
