#include "daemon/config_reloads.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kLookAtConfig = std::chrono::seconds(1);

}  // namespace

Event event_of_bad_config(const kube::Identity& lease, const std::string& problem) {
  return {.api_version = "coordination.k8s.io/v1",
          .kind = "Lease",
          .about = lease,
          .type = "Warning",
          .reason = "InvalidConfiguration",
          .action = "Reload",
          .note = "The configuration that is in force stays: " + problem,
          .is_news = true};
}

void ConfigReloads::start(kube::Loop& loop) {
  if (config_.file().empty()) return;
  loop.after(kLookAtConfig, [this, &loop] {
    look();
    start(loop);
  });
}

void ConfigReloads::look() {
  const auto seen = config_.look();
  if (seen.unreadable) {
    monitor_.on_reload(Reload::kUnreadable);
    log_.error("the configuration cannot be read any more, the old one stays", {{"problem", seen.unreadable->text()}});
    means_.tell(seen.unreadable->text());
  }
  if (seen.is_readable_again) log_.info("the configuration can be read again", {{"file", config_.file()}});
  if (seen.changed) means_.post([this, text = *seen.changed](CycleLoop& cycles) { reconfigure(cycles, text); });
}

void ConfigReloads::reconfigure(CycleLoop& cycles, const std::string& text) {
  const auto done = cycles.cluster().reconfigure(text, config_.file());
  monitor_.on_reload(done ? Reload::kGood : Reload::kRefused);
  done ? config_.take(text) : config_.refuse(text);
  if (!done) {
    log_.error("the new configuration is no good, the old one stays", {{"problem", done.error().text()}});
    means_.tell(done.error().text());
    return;
  }
  if (done->needs_new_cluster) {
    log_.info("a new configuration looks at objects that were not remembered: everything is listed anew for it",
              {{"file", config_.file()}});
    means_.make_anew();
    return;
  }
  log_.info("a new configuration is in force", {{"file", config_.file()}});
  for (const auto& note : done->notes) log_.warn(note);
}

}  // namespace muster::daemon
