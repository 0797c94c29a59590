#include "daemon/outlets.h"

#include "daemon/cache_dumper.h"

namespace muster::daemon {
namespace {

// A large cluster has a lot to tell.
constexpr auto kPatience = std::chrono::minutes(3);

std::unique_ptr<server::Server> serve_annex(const Annex& annex, const LiveSources& sources) {
  if (annex.listen.empty()) return nullptr;
  server::Settings settings;
  settings.listen = annex.listen;
  settings.limits.answer = kPatience;
  settings.limits.write = kPatience;
  settings.log = [&log = sources.log](std::string_view problem) { log.warn(problem, {{"part", "plugins"}}); };
  server::Router router;
  annex.add_routes(router, sources);
  auto made = std::make_unique<server::Server>(std::move(settings), std::move(router));
  if (auto started = made->start(); !started) {
    sources.log.warn("what plugins serve is not served: " + started.error().text(), {{"address", annex.listen}});
    return nullptr;
  }
  sources.log.info("what plugins serve is served", {{"address", annex.listen}, {"at", std::to_string(made->port())}});
  return made;
}

}  // namespace

Outlets::Outlets() = default;
Outlets::~Outlets() = default;

void Outlets::open(const OutletSettings& settings, const LiveSources& sources, const kube::Clock& clock) {
  annex_ = serve_annex(settings.annex, sources);
  const std::lock_guard lock(mutex_);
  if (!settings.dump_folder.empty()) dumper_ = std::make_shared<CacheDumper>(sources, clock, settings.dump_folder);
}

void Outlets::close() {
  annex_.reset();
  const std::lock_guard lock(mutex_);
  dumper_.reset();
}

void Outlets::dump(DumpTo where) {
  const std::lock_guard lock(mutex_);
  if (dumper_) where == DumpTo::kFile ? dumper_->write_file() : dumper_->tell_log();
}

}  // namespace muster::daemon
