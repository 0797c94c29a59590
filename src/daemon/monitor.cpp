#include "daemon/monitor.h"

#include "daemon/incomplete_gangs.h"
#include "kube/text_file.h"

namespace muster::daemon {
namespace {

using server::Access;
using server::Method;

std::string_view result_of(Reload how) {
  switch (how) {
    case Reload::kGood: return "good";
    case Reload::kRefused: return "refused";
    case Reload::kUnreadable: return "unreadable";
  }
  return "refused";
}

server::Response text(int status, std::string body) { return {.status = status, .body = std::move(body), .headers = {}}; }

}  // namespace

Monitor::Monitor(MonitorSettings settings, Questions questions, Log& log)
    : settings_(std::move(settings)),
      questions_(std::move(questions)),
      log_(log),
      own_(registry_),
      process_(registry_),
      profiler_(log) {
  registry_.before_text([this] {
    own_.leader.set(questions_.leading() ? 1 : 0);
    if (questions_.synced_kinds) own_.synced_kinds.set(static_cast<double>(questions_.synced_kinds()));
    own_.evictions_stopped.set(questions_.evictions_stopped && questions_.evictions_stopped() ? 1 : 0);
  });
}

// Healthy is who answers: a scheduler that only waits for its lease or its watches must not be killed for it.
server::Router Monitor::health() const {
  server::Router router;
  const auto alive = [](const server::Request&) -> server::Answer { return text(200, "ok"); };
  const auto ready = [this](const server::Request&) -> server::Answer {
    return questions_.ready() ? text(200, "ok") : text(503, "not every kind of object has been read yet");
  };
  router.on(Method::kGet, "/healthz", alive, Access::kOpen).on(Method::kGet, "/livez", alive, Access::kOpen);
  router.on(Method::kGet, "/readyz", ready, Access::kOpen);
  return router;
}

server::Router Monitor::everything() {
  auto router = health();
  const auto numbers = [this](const server::Request&) -> server::Answer {
    return server::Response{.content_type = std::string(metrics::Registry::kContentType), .body = registry_.text(), .headers = {}};
  };
  router.on(Method::kGet, "/metrics", numbers, Access::kOpen);
  if (questions_.add_routes) questions_.add_routes(router);
  if (settings_.profiles == settings_.listen) profiler_.add_routes(router);
  return router;
}

server::Router Monitor::profiles() {
  server::Router router;
  profiler_.add_routes(router);
  return router;
}

Result<void> Monitor::listen(const std::string& address, server::Router router) {
  if (address.empty()) return {};
  server::Settings settings;
  settings.listen = address;
  settings.guard.bearer_token = token_;
  settings.guard.names = settings_.names;
  settings.log = [this](std::string_view problem) { log_.warn(problem, {{"part", "server"}}); };
  auto made = std::make_unique<server::Server>(std::move(settings), std::move(router));
  if (auto started = made->start(); !started) return started;
  log_.info("listening", {{"address", address}, {"port", std::to_string(made->port())}});
  servers_.push_back(std::move(made));
  return {};
}

Result<void> Monitor::start() {
  if (!settings_.token_file.empty()) {
    auto token = kube::read_text_file(settings_.token_file);
    if (!token) return fail(std::move(token.error()));
    token_ = kube::trimmed(*token);
    if (token_.empty()) return fail(settings_.token_file + ": there is no token in it");
  }
  if (auto done = listen(settings_.listen, everything()); !done) return done;
  if (settings_.profiles != settings_.listen)
    if (auto done = listen(settings_.profiles, profiles()); !done) return done;
  return listen(settings_.healthz, health());
}

void Monitor::stop() {
  for (auto& one : servers_) one->stop();
}

void Monitor::on_cycle(const CycleOutcome& outcome) {
  constexpr double kMicrosPerSecond = 1e6;
  own_.cycles.increment();
  for (const auto& [part, micros] : outcome.micros)
    own_.cycle_phase.with({part}).observe(static_cast<double>(micros) / kMicrosPerSecond);
  if (outcome.looks_micros) own_.cycle_phase.with({"looks"}).observe(static_cast<double>(*outcome.looks_micros) / kMicrosPerSecond);
  own_.decisions.with({"bind"}).add(static_cast<double>(outcome.effects.binds.size()));
  own_.decisions.with({"evict"}).add(static_cast<double>(outcome.effects.evictions.size()));
  own_.requested_pods.add(static_cast<double>(outcome.requested_pods));
}

void Monitor::on_outcome(std::string_view kind, kube::WriteOutcome outcome, const Decided& by) {
  own_.write_outcomes.with({kind, kube::text_of(outcome)}).increment();
  const bool has_evicted = kind == "evict" && (outcome == kube::WriteOutcome::kEvicted || outcome == kube::WriteOutcome::kDone);
  if (has_evicted) (by.action == kIncompleteGangRule ? own_.given_up_pods : own_.evicted_pods).increment();
}

void Monitor::on_first_bind(kube::Duration waited) { own_.first_bind.observe(std::chrono::duration<double>(waited).count()); }

void Monitor::on_reload(Reload how) { own_.config_reloads.with({result_of(how)}).increment(); }

void Monitor::on_audited(std::size_t objects) { own_.audit_checked.add(static_cast<double>(objects)); }

void Monitor::on_mismatch(std::string_view kind) { own_.audit_mismatches.with({kind}).increment(); }

void Monitor::on_broken(std::string_view invariant) { own_.broken_invariants.with({invariant}).increment(); }

void Monitor::on_watch_problem(std::string_view kind) { own_.watch_problems.with({kind}).increment(); }

void Monitor::on_writes(const WriteQueue::Counts& counts) {
  own_.writes_queued.set(static_cast<double>(counts.waiting));
  own_.writes_in_flight.set(static_cast<double>(counts.in_flight));
  own_.events_dropped.raise_to(static_cast<double>(counts.events_dropped));
}

}  // namespace muster::daemon
