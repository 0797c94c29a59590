#include "daemon/kai_setup.h"

#include "app/kai_config.h"
#include "app/kai_setup.h"
#include "daemon/kai_cluster.h"

namespace muster::daemon {
namespace {

Result<kai::Config> config_of(const KaiLife& life, const std::string& text, const std::string& file, Log& log) {
  std::vector<std::string> notes;
  auto checked = check_kai_config_text(text, file, life.lenient ? Strictness::kExact : Strictness::kStrict);
  if (checked.is_default) log.info("no configuration is given: the built-in default of KAI is in force");
  auto config = usable_kai_config(std::move(checked), notes);
  for (const auto& note : notes) log.warn(note);
  return config;
}

}  // namespace

MakeCluster kai_clusters(KaiLife life, Log& log) {
  return [life = std::move(life), &log](const std::string& text, const std::string& file) -> Result<std::unique_ptr<LiveCluster>> {
    auto config = config_of(life, text, file, log);
    if (!config) return fail(std::move(config.error()));
    auto options = kai_options(life.flags);
    if (!options) return fail(std::move(options.error()));
    options->behaviour = life.exact ? kai::Behaviour::exact() : kai::Behaviour::safe();
    return std::make_unique<KaiCluster>(KaiSettings{
        .config = std::move(*config),
        .options = std::move(*options),
        .writing = life.writing,
        .gpu_groups = life.outside.own_names(),
        .numbers = life.numbers,
        .lenient = life.lenient,
        .share_names = life.outside.own_names(),
        .make_usage = life.outside.usage ? life.outside.usage : kai_usage_follower,
    });
  };
}

std::string kai_lease_name(const std::string& scheduler_name, const std::string& node_pool) {
  return node_pool.empty() ? scheduler_name : scheduler_name + "-" + node_pool;
}

}  // namespace muster::daemon
