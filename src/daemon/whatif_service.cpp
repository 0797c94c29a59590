#include "daemon/whatif_service.h"

#include "daemon/whatif_copies.h"

namespace muster::daemon {
namespace {

constexpr int kLiveTries = 32;
constexpr kube::Duration kLongestSearch = std::chrono::seconds(4);  // for changes; who asks is told nothing after ten

constexpr int kBadQuestion = 400;
constexpr int kWrongType = 415;
constexpr int kNotNow = 503;
constexpr const char* kTooMany = "too many ask at once: try again";

// How errors name a question of this type, which is how it is read; empty: another type. These are types that the page of a
// stranger cannot send without asking first.
std::string name_for(std::string_view type) {
  const auto name = type.substr(0, type.find(';'));
  const auto end = name.find_last_not_of(" \t");
  const auto trimmed = end == std::string_view::npos ? std::string_view() : name.substr(0, end + 1);
  if (server::equal_ignoring_case(trimmed, "application/json")) return "question.json";
  return server::equal_ignoring_case(trimmed, "application/yaml") ? "question.yaml" : "";
}

}  // namespace

WhatIfService::WhatIfService(std::shared_ptr<StateKeeper> keeper, const kube::Clock& clock, MakeOfWorkloads make)
    : keeper_(std::move(keeper)), clock_(clock), make_(std::move(make)), thread_([this] { run(); }) {}

WhatIfService::~WhatIfService() {
  {
    const std::lock_guard lock(inbox_->mutex);
    inbox_->stopping = true;
  }
  inbox_->changed.notify_all();
  thread_.join();
}

void WhatIfService::add_routes(server::Router& router) {
  router.on(
      server::Method::kPost, "/api/v1/whatif", [this](const server::Request& request) { return ask(request); },
      server::Access::kPrivate);
}

server::Answer WhatIfService::ask(const server::Request& request) {
  auto name = name_for(request.headers.find("Content-Type").value_or(""));
  if (name.empty())
    return server::error_response(kWrongType, "a question has the Content-Type application/yaml or application/json");
  if (!may_ask()) return server::error_response(kNotNow, kTooMany);
  auto later = std::make_shared<server::Deferred>();
  keeper_->ask([inbox = inbox_, name = std::move(name), question = request.body, later](Result<SharedState> state) {
    {
      const std::lock_guard lock(inbox->mutex);
      inbox->waiting.push_back({name, question, later, {}, std::move(state)});
    }
    inbox->changed.notify_all();
  });
  return later;
}

bool WhatIfService::may_ask() {
  const std::lock_guard lock(inbox_->mutex);
  if (inbox_->asked >= kMostAsked) return false;
  ++inbox_->asked;
  return true;
}

void WhatIfService::fits_if(std::string job, TellFitsIf tell) {
  if (!may_ask()) return tell(fail(kTooMany));
  keeper_->ask([inbox = inbox_, job = std::move(job), tell = std::move(tell)](Result<SharedState> state) {
    {
      const std::lock_guard lock(inbox->mutex);
      inbox->waiting.push_back({job, {}, nullptr, tell, std::move(state)});
    }
    inbox->changed.notify_all();
  });
}

void WhatIfService::run() {
  auto& inbox = *inbox_;
  std::unique_lock lock(inbox.mutex);
  for (;;) {
    inbox.changed.wait(lock, [&] { return inbox.stopping || !inbox.waiting.empty(); });
    if (inbox.stopping) return;
    const auto work = std::move(inbox.waiting.front());
    inbox.waiting.pop_front();
    lock.unlock();
    if (work.tell) work.tell(changes_for(work));
    if (work.later.use_count() > 1) work.later->give(answer(work));  // else nobody waits for it any more
    lock.lock();
    --inbox.asked;
  }
}

server::Response WhatIfService::answer(const Work& work) const {
  const auto cluster = copies(work);
  if (!cluster) return server::error_response(kNotNow, cluster.error().text());
  const auto question = read_what_if(**cluster, work.question, work.name, make_);
  if (!question) return server::error_response(kBadQuestion, question.error().text());
  const auto told = what_if(**cluster, *question, bounds());
  if (!told) return server::error_response(kBadQuestion, told.error().text());
  return server::json_response(whatif_json(*told) + "\n");
}

Result<WhatIfAnswer> WhatIfService::changes_for(const Work& work) const {
  const auto cluster = copies(work);
  if (!cluster) return fail(cluster.error());
  const auto question = question_about(**cluster, work.name);
  if (!question) return fail(question.error());
  return what_if(**cluster, *question, bounds());
}

Result<std::unique_ptr<WhatIfCluster>> WhatIfService::copies(const Work& work) const {
  if (!work.state) return fail(work.state.error());
  return copies_of(*work.state, clock_.wall(), [inbox = inbox_] { return inbox->stopping.load(); });
}

WhatIfBounds WhatIfService::bounds() const {
  return {.tries = kLiveTries,
          .enough = [this, end = clock_.now() + kLongestSearch] { return inbox_->stopping || clock_.now() > end; }};
}

}  // namespace muster::daemon
