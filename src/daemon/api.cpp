#include "daemon/api.h"

#include <algorithm>
#include <fmt/format.h>

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

using server::Access;
using server::Method;

constexpr kube::Duration kFresh = std::chrono::seconds(1);
constexpr kube::Duration kAskAgain = std::chrono::seconds(5);  // the thread that was asked may be gone
constexpr std::size_t kMostWaiting = 64;                       // for one answer
constexpr int kMostExplained = 8;                              // at once

constexpr int kNotFound = 404;
constexpr int kUnavailable = 503;

server::Response nobody_decides() { return server::error_response(kUnavailable, "the cluster is being read: try again"); }

server::Response to_response(const Result<std::string>& told, int status_of_error) {
  return told ? server::json_response(*told + "\n") : server::error_response(status_of_error, told.error().text());
}

// Counts one who is being explained for as long as it lives.
std::shared_ptr<void> hold_one(const std::shared_ptr<std::atomic<int>>& count) {
  ++*count;
  return {nullptr, [count](void*) { --*count; }};
}

}  // namespace

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

void Api::add_routes(server::Router& router) {
  const auto whole_of = [this](Sight::What what) { return [this, what](const server::Request&) { return whole(what); }; };
  router.on(Method::kGet, "/api/v1/state", [this](const server::Request&) { return state(); }, Access::kPrivate);
  router.on(Method::kGet, "/api/v1/queues", whole_of(Sight::What::kQueues), Access::kPrivate);
  router.on(Method::kGet, "/api/v1/jobs", whole_of(Sight::What::kJobs), Access::kPrivate);
  router.on(Method::kGet, "/api/v1/nodes", whole_of(Sight::What::kNodes), Access::kPrivate);
  router.on_prefix(
      Method::kGet, "/api/v1/jobs/", [this](const server::Request& request) { return job(request); }, Access::kPrivate);
  router.on(
      Method::kGet, "/api/v1/decisions",
      [this](const server::Request&) -> server::Answer { return server::json_response(decisions_.json() + "\n"); },
      Access::kPrivate);
}

void Api::on_cycle(std::uint64_t cycle, const CycleOutcome& outcome) {
  decisions_.add(cycle, questions_.clock.wall(), outcome.effects);
}

server::Answer Api::state() {
  auto later = std::make_shared<server::Deferred>();
  const bool posted = questions_.post([this, later](CycleLoop& cycles) {
    const auto counts = cycles.cluster().counts();
    std::string out;
    JsonWriter json(out);
    json.begin_object().member("dialect", dialect_).member("synced", cycles.synced()).member("cycle", cycles.cycles());
    json.member("leading", questions_.leading()).member("leader", questions_.leader());
    json.member("evictions_stopped", questions_.evictions_stopped()).member("config_hash", questions_.config_hash());
    json.member("nodes", counts.nodes).member("pods", counts.pods).member("jobs", counts.jobs).member("queues", counts.queues);
    json.end_object();
    later->give(server::json_response(out + "\n"));
  });
  if (!posted) return nobody_decides();
  return later;
}

server::Answer Api::whole(Sight::What what) {
  auto later = std::make_shared<server::Deferred>();
  {
    const std::lock_guard lock(mutex_);
    auto& view = views_[what];
    if (!view.body.empty() && questions_.clock.now() - view.made < kFresh) return server::json_response(view.body);
    // Who has waited in vain has been told so.
    std::erase_if(view.waiting, [](const Later& one) { return one.use_count() == 1; });
    if (view.waiting.size() >= kMostWaiting) return server::error_response(kUnavailable, "too many ask at once: try again");
    view.waiting.push_back(later);
    if (view.waiting.size() > 1 && questions_.clock.now() - view.asked < kAskAgain) return later;
    view.asked = questions_.clock.now();
  }
  const bool posted = questions_.post([this, what](CycleLoop& cycles) {
    if (auto why = cycles.why_no_sights(); !why.empty()) return on_whole(what, fail(std::move(why)));
    cycles.add_sight({.what = what, .tell = [this, what](const Result<std::string>& told) { on_whole(what, told); }});
  });
  if (!posted) on_whole(what, fail("the cluster is being read: try again"));
  return later;
}

void Api::on_whole(Sight::What what, const Result<std::string>& told) {
  std::vector<Later> waiting;
  {
    const std::lock_guard lock(mutex_);
    auto& view = views_[what];
    waiting.swap(view.waiting);
    view.body = told ? *told + "\n" : std::string();
    view.made = questions_.clock.now();
  }
  for (const auto& later : waiting) later->give(to_response(told, kUnavailable));
}

server::Answer Api::job(const server::Request& request) {
  const auto slash = request.rest.find('/');
  const bool is_name = slash != std::string::npos && slash != 0 && slash + 1 < request.rest.size() &&
                       request.rest.find('/', slash + 1) == std::string::npos;
  if (!is_name) return server::error_response(kNotFound, "a job is asked for as /api/v1/jobs/NAMESPACE/NAME");
  if (*explaining_ >= kMostExplained) return server::error_response(kUnavailable, "too many ask at once: try again");
  auto later = std::make_shared<server::Deferred>();
  Sight sight{.what = Sight::What::kJob, .name = request.rest, .evictions = decisions_.evictions(), .tell = {}};
  sight.tell = [later, held = hold_one(explaining_)](const Result<std::string>& told) {
    later->give(to_response(told, kNotFound));
  };
  const bool posted = questions_.post([later, moved = std::make_shared<Sight>(std::move(sight))](CycleLoop& cycles) {
    if (const auto why = cycles.why_no_sights(); !why.empty()) return later->give(server::error_response(kUnavailable, why));
    cycles.add_sight(std::move(*moved));
  });
  if (!posted) return nobody_decides();
  return later;
}

}  // namespace muster::daemon
