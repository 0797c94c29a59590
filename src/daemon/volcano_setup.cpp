#include "daemon/volcano_setup.h"

#include "app/config_file.h"
#include "app/volcano_setup.h"
#include "daemon/uuid.h"
#include "daemon/volcano_cluster.h"

namespace muster::daemon {
namespace {

Result<volcano::Config> config_of(const VolcanoLife& life, const std::string& text, const std::string& file, Log& log) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    log.info("no configuration is given: the built-in default of Volcano is in force (actions enqueue, allocate, backfill)");
    return volcano::default_config();
  }
  std::vector<std::string> notes;
  auto config = usable_config(check_config_text(text, file, life.lenient ? Strictness::kExact : Strictness::kStrict), notes);
  for (const auto& note : notes) log.warn(note);
  return config;
}

}  // namespace

MakeCluster volcano_clusters(VolcanoLife life, Log& log) {
  return [life = std::move(life), &log](const std::string& text, const std::string& file) -> Result<std::unique_ptr<LiveCluster>> {
    auto config = config_of(life, text, file, log);
    if (!config) return fail(std::move(config.error()));
    auto options = volcano_options(life.flags);
    if (!options) return fail(std::move(options.error()));
    return std::make_unique<VolcanoCluster>(VolcanoSettings{
        .config = std::move(*config),
        .behaviour = life.exact ? volcano::Behaviour::exact() : volcano::Behaviour::safe(),
        .options = std::move(*options),
        .lenient = life.lenient,
        .numbers = life.numbers,
        .share_names = life.outside.own_names(),
        .make_extender = life.outside.extender,
    });
  };
}

}  // namespace muster::daemon
