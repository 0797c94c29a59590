#include "daemon/state_guard.h"

namespace muster::daemon {

Evictions StateGuard::begin_anew() {
  trust_.begin_anew();
  return trust_.is_doubted() ? Evictions::kStopped : Evictions::kAllowed;
}

void StateGuard::link(CycleLoop::Links& links) {
  links.on_mismatch = [this](const kube::ResourceKind& kind, const kube::Identity& id, const std::string& what) {
    on_mismatch(kind, id, what);
  };
  links.on_broken = [this](const std::string& what, std::uint64_t cycle) { doubt("books", what, {cycle}); };
  links.on_in_order = [this](std::uint64_t cycle) {
    trust_.restore();
    log_.info("everything was listed anew and is in order: evictions are allowed again", {cycle}, {});
  };
}

std::unique_ptr<kube::Audit> StateGuard::start_audit(kube::Loop& loop,
                                                     const std::vector<std::unique_ptr<kube::Reflector>>& reflectors) {
  std::vector<kube::Reflector*> compared;
  for (const auto& reflector : reflectors) compared.push_back(reflector.get());
  auto audit = std::make_unique<kube::Audit>(
      loop, std::move(compared), audit_,
      kube::Audit::Events{.on_checked = [this](std::size_t objects) { monitor_.on_audited(objects); },
                          .on_mismatch = [this](const kube::ResourceKind& kind, const kube::Identity& id,
                                                std::string_view what) { on_mismatch(kind, id, what); }});
  audit->start();
  return audit;
}

void StateGuard::on_mismatch(const kube::ResourceKind& kind, const kube::Identity& id, std::string_view what) {
  const auto object = std::string(kind.kind) + " " + (id.ns.empty() ? "" : id.ns + "/") + id.name;
  monitor_.on_mismatch(kind.kind);
  log_.error("audit: an object is not remembered as the server has it; it is taken in anew",
             {{"object", object}, {"difference", std::string(what)}});
  if (trust_.comes_back(object)) doubt("audit", object + " again: " + std::string(what), {});
}

void StateGuard::doubt(std::string_view invariant, const std::string& what, const Decided& found) {
  monitor_.on_broken(invariant);
  const auto pause = trust_.doubt();
  if (!pause) return;
  log_.error("what is remembered of the cluster is wrong: nobody is evicted until everything was listed anew and is in order",
             found,
             {{"invariant", std::string(invariant)},
              {"what", what},
              {"listed_anew_in_seconds", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*pause).count())}});
  means_.stop_evicting();
  means_.make_anew_after(*pause);
}

}  // namespace muster::daemon
